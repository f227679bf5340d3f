"""Serial numbers and other short texts, cut into a part or raised on it."""

from geometry.marking.text import mark

__all__ = ["mark"]

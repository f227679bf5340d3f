"""Serial numbers and other short texts, cut into a part or raised on it."""

from geometry.marking.pipeline import mark

__all__ = ["mark"]

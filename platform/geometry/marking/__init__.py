"""Part marking: text engraved into or embossed on a part."""

from geometry.marking.pipeline import mark

__all__ = ["mark"]

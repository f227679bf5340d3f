"""Transformations of a mesh: a list of steps, done in order in one pass over the file."""

from geometry.shaping.body import CannotShape
from geometry.shaping.pipeline import shape
from geometry.shaping.steps import (
    TYPES,
    AutoRotate,
    AutoScale,
    AutoTranslate,
    Bracket,
    Rotate,
    Scale,
    Step,
    Translate,
    steps_of,
)

__all__ = [
    "TYPES",
    "AutoRotate",
    "AutoScale",
    "AutoTranslate",
    "Bracket",
    "CannotShape",
    "Rotate",
    "Scale",
    "Step",
    "Translate",
    "shape",
    "steps_of",
]

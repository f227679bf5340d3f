"""Mesh transformations (contract): a list of steps in one streaming pass."""

from geometry.transformations.pipeline import shape
from geometry.transformations.steps import (
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
from geometry.transformations.streamed_mesh import CannotShape

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

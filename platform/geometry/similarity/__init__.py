"""Shape similarity: descriptor for retrieval, registration for verification."""

from geometry.similarity.classification import TOLERANCES, Comparison, estimate, unit_hint
from geometry.similarity.comparison import COMPARISON_VERSION, compare
from geometry.similarity.descriptor import DESCRIPTOR_VERSION, SIZE, Description, describe
from geometry.similarity.spherical_harmonics import prepare

__all__ = [
    "COMPARISON_VERSION",
    "DESCRIPTOR_VERSION",
    "SIZE",
    "TOLERANCES",
    "Comparison",
    "Description",
    "compare",
    "describe",
    "estimate",
    "prepare",
    "unit_hint",
]

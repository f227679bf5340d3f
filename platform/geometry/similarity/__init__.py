"""Geometric similarity: a vector that finds candidates, and a comparison that proves."""

from geometry.similarity.comparison import COMPARISON_VERSION, compare
from geometry.similarity.description import DESCRIPTOR_VERSION, SIZE, Description, describe
from geometry.similarity.spectrum import prepare
from geometry.similarity.verdict import TOLERANCES, Comparison, estimate, unit_hint

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

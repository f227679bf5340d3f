"""Operators' pages of the slicing service."""

from apps.slicing.admin import configs, constraints, slices

__all__ = ["configs", "constraints", "slices"]

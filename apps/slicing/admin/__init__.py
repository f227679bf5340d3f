"""Operators' pages of the slicing service."""

from apps.slicing.admin import configs, constraints, gcodes, paths, slices

__all__ = ["configs", "constraints", "gcodes", "paths", "slices"]

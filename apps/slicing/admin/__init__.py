"""Operators' pages of the slicing service."""

from apps.slicing.admin import configs, slices

__all__ = ["configs", "slices"]

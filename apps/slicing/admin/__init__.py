"""Admin: configs, constraints, G-code, toolpaths and slices."""

from apps.slicing.admin import configs, constraints, gcodes, paths, slices

__all__ = ["configs", "constraints", "gcodes", "paths", "slices"]

"""Admin: configs, constraints, G-code, confirmed G-code of printers, toolpaths and slices."""

from apps.slicing.admin import configs, constraints, gcodes, paths, printer_gcodes, slices

__all__ = ["configs", "constraints", "gcodes", "paths", "printer_gcodes", "slices"]

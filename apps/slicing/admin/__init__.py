"""Admin: configs, constraints, G-code, G-code of printers, toolpaths, slices, shops' slicers."""

from apps.slicing.admin import (
    agent_engines,
    configs,
    constraints,
    gcodes,
    paths,
    printer_gcodes,
    slices,
)

__all__ = ["agent_engines", "configs", "constraints", "gcodes", "paths", "printer_gcodes", "slices"]

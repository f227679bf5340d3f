"""Reads gcode: whether it is any, and what it will print."""

from apps.slicing.gcode.analysis import Figures, figures
from apps.slicing.gcode.errors import InvalidGcode

__all__ = ["Figures", "InvalidGcode", "figures"]

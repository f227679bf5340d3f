"""Reads gcode: whether it is any, what it will print, and what its layers look like."""

from gcode.analysis import Figures, figures
from gcode.errors import InvalidGcode
from gcode.layers import Layer, LayerIndex
from gcode.paths import MOST_BYTES, LaidPath, laid_paths

__all__ = [
    "MOST_BYTES",
    "Figures",
    "InvalidGcode",
    "LaidPath",
    "Layer",
    "LayerIndex",
    "figures",
    "laid_paths",
]

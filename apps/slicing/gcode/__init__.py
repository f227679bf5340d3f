"""Reads gcode: whether it is any, what it will print, and what its layers look like."""

from apps.slicing.gcode.analysis import Figures, figures
from apps.slicing.gcode.errors import InvalidGcode
from apps.slicing.gcode.layers import Layer, LayerIndex
from apps.slicing.gcode.paths import MOST_BYTES, LaidPath, laid_paths

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

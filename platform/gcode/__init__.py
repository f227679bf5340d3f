"""G-code reader: validation, print figures, layers, toolpaths."""

from gcode.analysis import Figures, figures
from gcode.containers import unpack
from gcode.errors import InvalidGcode
from gcode.layers import Layer, LayerIndex
from gcode.machine import MachineLimits
from gcode.objects import SHARED, Labelled, ObjectFigures, label, object_figures
from gcode.planner import FILAMENT_JERK
from gcode.toolpath_file import PATHS_VERSION, write_paths
from gcode.toolpaths import MAX_BYTES, LaidPath, laid_paths

__all__ = [
    "FILAMENT_JERK",
    "MAX_BYTES",
    "PATHS_VERSION",
    "SHARED",
    "Figures",
    "InvalidGcode",
    "Labelled",
    "LaidPath",
    "Layer",
    "LayerIndex",
    "MachineLimits",
    "ObjectFigures",
    "figures",
    "label",
    "laid_paths",
    "object_figures",
    "unpack",
    "write_paths",
]

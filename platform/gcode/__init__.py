"""G-code reader: validation, metadata, print figures, layers, toolpaths."""

from gcode.analysis import Figures, figures
from gcode.containers import Unpacked, unpack
from gcode.errors import InvalidGcode
from gcode.layers import Layer, LayerIndex
from gcode.machine import MachineLimits
from gcode.metadata import GcodeObject, Metadata, metadata
from gcode.objects import SHARED, Labelled, ObjectFigures, label, mark_meshes, object_figures
from gcode.planner import FILAMENT_JERK
from gcode.toolpath_file import PATHS_VERSION, write_paths
from gcode.toolpaths import MAX_BYTES, LaidPath, laid_paths

__all__ = [
    "FILAMENT_JERK",
    "MAX_BYTES",
    "PATHS_VERSION",
    "SHARED",
    "Figures",
    "GcodeObject",
    "InvalidGcode",
    "Labelled",
    "LaidPath",
    "Layer",
    "LayerIndex",
    "MachineLimits",
    "Metadata",
    "ObjectFigures",
    "Unpacked",
    "figures",
    "label",
    "laid_paths",
    "mark_meshes",
    "metadata",
    "object_figures",
    "unpack",
    "write_paths",
]

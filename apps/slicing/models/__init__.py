"""Configs, slices, constraints, uploaded G-code, slicers in shops."""

from apps.slicing.models.agent_engine import AgentEngine, EngineJob, EngineJobFile, Program
from apps.slicing.models.config import Config, EngineName
from apps.slicing.models.constraint import Association, Constraint
from apps.slicing.models.gcode import Gcode
from apps.slicing.models.printer_gcode import PrinterGcode
from apps.slicing.models.slice import PlatePiece, Slice
from apps.slicing.models.toolpaths import LayerPaths

__all__ = [
    "AgentEngine",
    "Association",
    "Config",
    "Constraint",
    "EngineJob",
    "EngineJobFile",
    "EngineName",
    "Gcode",
    "LayerPaths",
    "PlatePiece",
    "PrinterGcode",
    "Program",
    "Slice",
]

"""Slicing, and reading uploaded gcode, in the background."""

from apps.slicing.actors.gcodes import analyse_gcode, expire_gcode_upload
from apps.slicing.actors.slices import (
    slice_model,
    start_waiting_slices,
    tell_settled,
)

__all__ = [
    "analyse_gcode",
    "expire_gcode_upload",
    "slice_model",
    "start_waiting_slices",
    "tell_settled",
]

"""Slicing, and reading uploaded gcode, in the background."""

from apps.slicing.actors.gcodes import abandon_gcode, analyse_gcode, expire_gcode_upload
from apps.slicing.actors.slices import (
    abandon_slice,
    slice_model,
    start_waiting_slices,
    tell_settled,
)

__all__ = [
    "abandon_gcode",
    "abandon_slice",
    "analyse_gcode",
    "expire_gcode_upload",
    "slice_model",
    "start_waiting_slices",
    "tell_settled",
]

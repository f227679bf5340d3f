"""Slicing, and reading uploaded gcode, in the background."""

from apps.slicing.actors.gcodes import analyse_gcode, cost_of_reading, expire_gcode_upload
from apps.slicing.actors.slices import (
    resume_equal_slices,
    send_to_slicing,
    slice_model,
    start_waiting_slices,
    tell_settled,
)

__all__ = [
    "analyse_gcode",
    "cost_of_reading",
    "expire_gcode_upload",
    "resume_equal_slices",
    "send_to_slicing",
    "slice_model",
    "start_waiting_slices",
    "tell_settled",
]

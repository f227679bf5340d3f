"""Jobs: slicing, G-code analysis, toolpath files."""

from apps.slicing.actors.engine_jobs import check_engine_jobs
from apps.slicing.actors.gcodes import (
    analyse_gcode,
    cost_of_reading,
    expire_gcode_upload,
    expire_gcode_uploads,
)
from apps.slicing.actors.printer_gcodes import try_printer_gcode
from apps.slicing.actors.slices import (
    complete_shop_slice,
    resume_equal_slices,
    send_to_slicing,
    slice_model,
    start_waiting_slices,
    tell_settled,
)
from apps.slicing.actors.toolpaths import cost_of_paths, paths_key, write_layer_paths

__all__ = [
    "analyse_gcode",
    "check_engine_jobs",
    "complete_shop_slice",
    "cost_of_paths",
    "cost_of_reading",
    "expire_gcode_upload",
    "expire_gcode_uploads",
    "paths_key",
    "resume_equal_slices",
    "send_to_slicing",
    "slice_model",
    "start_waiting_slices",
    "tell_settled",
    "try_printer_gcode",
    "write_layer_paths",
]

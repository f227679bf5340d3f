"""Kinds of presets to which the settings of PrusaSlicer belong, by their names."""

import re

from apps.slicing.configs.extruders import OF_EXTRUDER, OF_FILAMENT

OF_COOLING = frozenset({"external_perimeter_fan_speed", "top_fan_speed"})
OF_PRINT = frozenset({"single_extruder_multi_material_priming"})
OF_PRINTER = re.compile(
    r".*_gcode|(machine|printer|printhost|octoprint|serial|silent|thumbnails|use|z)_.*|thumbnails|"
    r"(default_\w+_profile)|(bed_(shape|custom_\w+))|((min|max)_layer_height)|max_print_height|"
    r"(de)?retract_.*|travel_(slope|lift_.*|max_lift|ramping_lift)|extruders_count|gcode_flavor|"
    r"host_type|print_host|binary_gcode|remaining_times|variable_layer_height|parking_pos_.*|"
    r"cooling_tube_.*|extra_loading_move|high_current_.*|single_extruder_.*|multimaterial_.*|wipe|"
    r"wipe_advanced.*|tool_name|time_estimation_compensation"
)


def kind_of_setting(key: str) -> str:
    """Return printer, print or filament: the kind of preset that has a setting."""
    if key.startswith("filament_") or key in OF_FILAMENT or key in OF_COOLING:
        return "filament"
    if key in OF_EXTRUDER or (key not in OF_PRINT and OF_PRINTER.fullmatch(key)):
        return "printer"
    return "print"


def kind_of_cura_setting(key: str) -> str:
    """Return the kind of a setting of CuraEngine, by the same names."""
    if key.startswith(("machine_", "extruder_")):
        return "printer"
    return "filament" if key.startswith("material_") else "print"

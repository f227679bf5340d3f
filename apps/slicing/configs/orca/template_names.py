"""Placeholders of OrcaSlicer and Bambu Studio, and PrusaSlicer's expressions for them.

Sources: the placeholder pages of both programs' documentation, and PrusaSlicer's list of macros.
Settings that `orca.table` translates into one other are not repeated here.
"""

# Indices: a print has one filament here, in the first extruder.
INDICES = {
    **dict.fromkeys(
        (
            *("initial_tool", "initial_extruder", "initial_no_support_extruder"),
            *("initial_filament_id", "initial_no_support_filament_id"),
        ),
        "initial_extruder",
    ),
    **dict.fromkeys(
        ("current_extruder", "current_filament_id", "current_extruder_id"), "current_extruder"
    ),
}
_NOZZLE, _FIRST_NOZZLE = "temperature[0]", "first_layer_temperature[0]"
_BED, _FIRST_BED = "bed_temperature[0]", "first_layer_bed_temperature[0]"
# mm3/s of the outer walls; PrusaSlicer's lines are 1.05 to 1.125 nozzles wide by default.
_OUTER_FLOW = "(external_perimeter_speed*layer_height*nozzle_diameter[0]*1.05)"
# A # is the index: that of a coordinate.
EXPRESSIONS = {
    "nozzle_temperature": _NOZZLE,
    "nozzle_temperature_initial_layer": _FIRST_NOZZLE,
    "first_layer_temperature": _FIRST_NOZZLE,
    "temperature": _NOZZLE,
    "bed_temperature": _BED,
    "bed_temperature_initial_layer": _FIRST_BED,
    "bed_temperature_initial_layer_single": _FIRST_BED,
    "bed_temperature_initial_layer_vector": _FIRST_BED,
    "first_layer_bed_temperature": _FIRST_BED,
    "nozzle_diameter": "nozzle_diameter[0]",
    "nozzle_diameter_at_nozzle_id": "nozzle_diameter[0]",
    "filament_type": "filament_type[0]",
    "flush_volumetric_speeds": "filament_max_volumetric_speed[0]",
    "filament_preset": "filament_preset[0]",
    "outer_wall_volumetric_speed": _OUTER_FLOW,
    "spiral_mode": "spiral_vase",
    "initial_layer_print_height": "first_layer_height",
    "first_layer_print_min": "first_layer_print_min[#]",
    "first_layer_print_max": "first_layer_print_max[#]",
    "first_layer_print_size": "first_layer_print_size[#]",
    "first_layer_center_no_wipe_tower": (
        "(first_layer_print_min[#]+0.5*first_layer_print_size[#])"
    ),
    "adaptive_bed_mesh_min": "first_layer_print_min[#]",
    "adaptive_bed_mesh_max": "first_layer_print_max[#]",
    "print_bed_min": "print_bed_min[#]",
    "print_bed_max": "print_bed_max[#]",
    "print_bed_size": "print_bed_size[#]",
    "max_print_z": "(first_layer_height+(total_layer_count-1)*layer_height)",
    "plate_name": "input_filename_base",
}
# Settings that older versions of PrusaSlicer do not have, and the nearest one that they have.
OLDER = {"external_perimeter_acceleration": "perimeter_acceleration"}
_PRINTED_TOGETHER = "Objects are printed together here, not one after the other."
_ONE_FILAMENT = "A print has one filament here."
ASSUMED = {
    "curr_bed_type": (
        '"High Temp Plate"',
        "Temperatures of the bed are those of the smooth (hot) plate.",
    ),
    "print_sequence": ('"by layer"', _PRINTED_TOGETHER),
    "timelapse_type": ("0", "No smooth time lapse is recorded."),
    "enable_prime_tower": ("false", _ONE_FILAMENT),
    "wipe_tower_x": ("0", _ONE_FILAMENT),
    "wipe_tower_y": ("0", _ONE_FILAMENT),
    "is_all_bbl_filament": ("false", "The maker of the filament is not known."),
    "hold_chamber_temp_for_flat_print": ("false", "Not a setting of PrusaSlicer."),
    "cooling_filter_enabled": ("false", "Not a setting of PrusaSlicer."),
    "long_retraction_when_ec": ("false", "Not a setting of PrusaSlicer."),
    "retraction_distance_when_ec": ("0", "Not a setting of PrusaSlicer."),
    "overall_chamber_temperature": ("0", "The chamber is not heated: PrusaSlicer has no value."),
    "chamber_temperature": ("0", "The chamber is not heated: PrusaSlicer has no value."),
    "activate_chamber_temp_control": ("false", "The chamber is not heated."),
    "support_chamber_temp_control": ("false", "The chamber is not heated."),
    "activate_air_filtration": ("false", "Not a setting of PrusaSlicer."),
    "during_print_exhaust_fan_speed": ("0", "Not a setting of PrusaSlicer."),
    "flush_temperatures": (
        _FIRST_NOZZLE,
        "Filament is flushed at the temperature of the first layer.",
    ),
    "min_vitrification_temperature": (
        '((filament_type[0]=="PLA" or filament_type[0]=="TPU" or filament_type[0]=="PVA") ? 45 : '
        "70)",
        "The temperature at which the usual filament of the type softens.",
    ),
    "has_tpu_in_first_layer": ('(filament_type[0]=="TPU")', _ONE_FILAMENT),
}

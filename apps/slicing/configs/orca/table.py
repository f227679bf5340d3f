"""Settings of OrcaSlicer and Bambu Studio with a twin in PrusaSlicer, one row each."""

from typing import NamedTuple

from apps.slicing.configs.orca.converters import (
    Converter,
    integer,
    number,
    number_or_share,
    one_of,
    percentage,
    positive,
    ratio,
    share_of,
    switch,
    text,
    width,
)
from apps.slicing.configs.orca.profiles import Kind
from apps.slicing.configs.orca.vocabulary import (
    BRIMS,
    FILLS,
    FLAVORS,
    FUZZY,
    INTERFACES,
    IRONING,
    ORDERS,
    SEAMS,
    SHELLS,
    SUPPORT_PATTERNS,
    SUPPORTS,
    SURFACES,
    WALL_SEQUENCES,
)


class Twin(NamedTuple):
    """A setting and those of PrusaSlicer that are it.

    default : what PrusaSlicer gets where the value has no equivalent; empty: its own default
    """

    kind: Kind
    key: str
    to: tuple[str, ...]
    convert: Converter
    default: tuple[str, ...] = ()


def _same(kind: Kind, convert: Converter, *keys: str) -> tuple[Twin, ...]:
    """Settings that PrusaSlicer has by the same name."""
    return tuple(Twin(kind, key, (key,), convert) for key in keys)


def _pairs(kind: Kind, convert: Converter, **names: str) -> tuple[Twin, ...]:
    """Settings by their names here and there."""
    return tuple(Twin(kind, key, (to,), convert) for key, to in names.items())


_PRINTER = (
    *_pairs("printer", positive, printable_height="max_print_height"),
    *_pairs("printer", positive, nozzle_diameter="nozzle_diameter"),
    Twin("printer", "gcode_flavor", ("gcode_flavor",), one_of(FLAVORS), ("marlin",)),
    *(
        Twin("printer", f"machine_max_{name}", (f"machine_max_{to}",), positive)
        for name, to in (
            *((f"speed_{axis}", f"feedrate_{axis}") for axis in "xyze"),
            *((f"acceleration_{axis}", f"acceleration_{axis}") for axis in "xyze"),
            *((f"jerk_{axis}", f"jerk_{axis}") for axis in "xyze"),
            ("acceleration_extruding", "acceleration_extruding"),
            ("acceleration_retracting", "acceleration_retracting"),
            ("acceleration_travel", "acceleration_travel"),
        )
    ),
    *_same(
        "printer",
        number,
        "machine_min_extruding_rate",
        "machine_min_travel_rate",
        "max_layer_height",
        "min_layer_height",
        "retract_lift_above",
        "retract_lift_below",
        "retract_restart_extra",
        "retract_length_toolchange",
        "retract_restart_extra_toolchange",
        "z_offset",
    ),
    *_pairs(
        "printer",
        number,
        retraction_length="retract_length",
        retraction_speed="retract_speed",
        deretraction_speed="deretract_speed",
        retraction_minimum_travel="retract_before_travel",
        z_hop="retract_lift",
        extruder_clearance_radius="extruder_clearance_radius",
        extruder_clearance_height_to_rod="extruder_clearance_height",
    ),
    *_same("printer", percentage, "retract_before_wipe"),
    *_same("printer", switch, "use_relative_e_distances", "use_firmware_retraction", "wipe"),
    *_pairs("printer", switch, retract_when_changing_layer="retract_layer_change"),
    *_same("printer", text, "printer_model", "printer_variant", "default_print_profile"),
)
_WIDTHS = _pairs(
    "print",
    width,
    line_width="extrusion_width",
    initial_layer_line_width="first_layer_extrusion_width",
    outer_wall_line_width="external_perimeter_extrusion_width",
    inner_wall_line_width="perimeter_extrusion_width",
    sparse_infill_line_width="infill_extrusion_width",
    internal_solid_infill_line_width="solid_infill_extrusion_width",
    top_surface_line_width="top_infill_extrusion_width",
    support_line_width="support_material_extrusion_width",
)
_SPEEDS = (
    *_pairs(
        "print",
        positive,
        inner_wall_speed="perimeter_speed",
        sparse_infill_speed="infill_speed",
        travel_speed="travel_speed",
        support_speed="support_material_speed",
    ),
    *_pairs(
        "print",
        share_of("outer_wall_speed", "inner_wall_speed"),
        outer_wall_speed="external_perimeter_speed",
        small_perimeter_speed="small_perimeter_speed",
        initial_layer_speed="first_layer_speed",
        internal_solid_infill_speed="solid_infill_speed",
        top_surface_speed="top_solid_infill_speed",
        gap_infill_speed="gap_fill_speed",
        bridge_speed="bridge_speed",
        ironing_speed="ironing_speed",
    ),
    *_pairs("print", number_or_share, support_interface_speed="support_material_interface_speed"),
    *_same("print", share_of("travel_speed"), "travel_speed_z"),
)
_ACCELERATIONS = (
    *_same("print", number, "default_acceleration"),
    *_pairs(
        "print",
        share_of("default_acceleration"),
        outer_wall_acceleration="external_perimeter_acceleration",
        inner_wall_acceleration="perimeter_acceleration",
        initial_layer_acceleration="first_layer_acceleration",
        sparse_infill_acceleration="infill_acceleration",
        internal_solid_infill_acceleration="solid_infill_acceleration",
        top_surface_acceleration="top_solid_infill_acceleration",
        travel_acceleration="travel_acceleration",
    ),
    *_same(
        "print", share_of("outer_wall_acceleration", "default_acceleration"), "bridge_acceleration"
    ),
)
_PRINT = (
    *_pairs(
        "print",
        positive,
        layer_height="layer_height",
        initial_layer_print_height="first_layer_height",
    ),
    *_WIDTHS,
    *_pairs(
        "print",
        integer,
        wall_loops="perimeters",
        top_shell_layers="top_solid_layers",
        bottom_shell_layers="bottom_solid_layers",
        raft_layers="raft_layers",
        skirt_loops="skirts",
        skirt_height="skirt_height",
        support_interface_top_layers="support_material_interface_layers",
        support_interface_bottom_layers="support_material_bottom_interface_layers",
        support_threshold_angle="support_material_threshold",
        wall_distribution_count="wall_distribution_count",
    ),
    *_pairs(
        "print",
        number,
        top_shell_thickness="top_solid_min_thickness",
        bottom_shell_thickness="bottom_solid_min_thickness",
        infill_direction="fill_angle",
        minimum_sparse_infill_area="solid_infill_below_area",
        raft_contact_distance="raft_contact_distance",
        raft_expansion="raft_expansion",
        raft_first_layer_expansion="raft_first_layer_expansion",
        brim_width="brim_width",
        brim_object_gap="brim_separation",
        skirt_distance="skirt_distance",
        min_skirt_length="min_skirt_length",
        support_top_z_distance="support_material_contact_distance",
        support_bottom_z_distance="support_material_bottom_contact_distance",
        support_base_pattern_spacing="support_material_spacing",
        support_interface_spacing="support_material_interface_spacing",
        support_angle="support_material_angle",
        elefant_foot_compensation="elefant_foot_compensation",
        xy_contour_compensation="xy_size_compensation",
        resolution="gcode_resolution",
        slice_closing_radius="slice_closing_radius",
        wall_transition_angle="wall_transition_angle",
        ironing_spacing="ironing_spacing",
        bridge_angle="bridge_angle",
        fuzzy_skin_thickness="fuzzy_skin_thickness",
        fuzzy_skin_point_distance="fuzzy_skin_point_dist",
        max_volumetric_extrusion_rate_slope="max_volumetric_extrusion_rate_slope_positive",
        tree_support_branch_angle="support_tree_angle",
        tree_support_branch_diameter="support_tree_branch_diameter",
        tree_support_tip_diameter="support_tree_tip_diameter",
    ),
    *_pairs(
        "print",
        percentage,
        sparse_infill_density="fill_density",
        infill_wall_overlap="infill_overlap",
        raft_first_layer_density="raft_first_layer_density",
        ironing_flow="ironing_flowrate",
    ),
    *_pairs(
        "print",
        number_or_share,
        infill_anchor="infill_anchor",
        infill_anchor_max="infill_anchor_max",
        max_travel_detour_distance="avoid_crossing_perimeters_max_detour",
        support_object_xy_distance="support_material_xy_spacing",
        min_bead_width="min_bead_width",
        min_feature_size="min_feature_size",
        wall_transition_length="wall_transition_length",
        wall_transition_filter_deviation="wall_transition_filter_deviation",
    ),
    *_pairs("print", ratio, bridge_flow="bridge_flow_ratio"),
    *_SPEEDS,
    *_ACCELERATIONS,
    *_pairs(
        "print",
        switch,
        enable_support="support_material",
        support_on_build_plate_only="support_material_buildplate_only",
        bridge_no_support="dont_support_bridges",
        detect_thin_wall="thin_walls",
        detect_overhang_wall="overhangs",
        spiral_mode="spiral_vase",
        thick_bridges="thick_bridges",
        reduce_crossing_wall="avoid_crossing_perimeters",
        reduce_infill_retraction="only_retract_when_crossing_perimeters",
        interface_shells="interface_shells",
        staggered_inner_seams="staggered_inner_seams",
        is_infill_first="infill_first",
        enable_arc_fitting="arc_fitting",
    ),
    Twin("print", "sparse_infill_pattern", ("fill_pattern",), one_of(FILLS), ("cubic",)),
    Twin("print", "top_surface_pattern", ("top_fill_pattern",), one_of(SURFACES), ("monotonic",)),
    Twin(
        "print",
        "bottom_surface_pattern",
        ("bottom_fill_pattern",),
        one_of(SURFACES),
        ("monotonic",),
    ),
    Twin("print", "seam_position", ("seam_position",), one_of(SEAMS), ("aligned",)),
    # Brims that depend on the part are left out.
    Twin("print", "brim_type", ("brim_type",), one_of(BRIMS), ("no_brim",)),
    Twin(
        "print",
        "support_type",
        ("support_material_auto", "support_material_style"),
        one_of(SUPPORTS),
        ("1", "grid"),
    ),
    Twin(
        "print",
        "support_base_pattern",
        ("support_material_pattern",),
        one_of(SUPPORT_PATTERNS),
        ("rectilinear",),
    ),
    Twin(
        "print",
        "support_interface_pattern",
        ("support_material_interface_pattern",),
        one_of(INTERFACES),
        ("rectilinear",),
    ),
    Twin(
        "print",
        "wall_generator",
        ("perimeter_generator",),
        one_of({"arachne": "arachne", "classic": "classic"}),
        ("arachne",),
    ),
    Twin("print", "wall_sequence", ("external_perimeters_first",), one_of(WALL_SEQUENCES), ("0",)),
    Twin(
        "print",
        "wall_infill_order",
        ("external_perimeters_first", "infill_first"),
        one_of(ORDERS),
        ("0", "0"),
    ),
    Twin("print", "ironing_type", ("ironing", "ironing_type"), one_of(IRONING), ("0", "top")),
    Twin(
        "print",
        "ensure_vertical_shell_thickness",
        ("ensure_vertical_shell_thickness",),
        one_of(SHELLS),
        ("1",),
    ),
    Twin("print", "fuzzy_skin", ("fuzzy_skin",), one_of(FUZZY), ("none",)),
    Twin(
        "print",
        "slicing_mode",
        ("slicing_mode",),
        one_of({"regular": "regular", "even odd": "even_odd", "close holes": "close_holes"}),
        ("regular",),
    ),
)
_FILAMENT = (
    *_same("filament", text, "filament_type"),
    *_same("filament", positive, "filament_diameter"),
    *_same(
        "filament", number, "filament_density", "filament_cost", "filament_max_volumetric_speed"
    ),
    *_same("filament", switch, "filament_soluble", "filament_wipe"),
    *_pairs("filament", ratio, filament_flow_ratio="extrusion_multiplier"),
    *_pairs(
        "filament",
        integer,
        nozzle_temperature="temperature",
        nozzle_temperature_initial_layer="first_layer_temperature",
        hot_plate_temp="bed_temperature",
        hot_plate_temp_initial_layer="first_layer_bed_temperature",
        chamber_temperature="chamber_temperature",
        fan_min_speed="min_fan_speed",
        fan_max_speed="max_fan_speed",
        overhang_fan_speed="bridge_fan_speed",
        fan_cooling_layer_time="fan_below_layer_time",
        slow_down_layer_time="slowdown_below_layer_time",
        close_fan_the_first_x_layers="disable_fan_first_layers",
        full_fan_speed_layer="full_fan_speed_layer",
    ),
    *_pairs("filament", positive, slow_down_min_speed="min_print_speed"),
    *_pairs(
        "filament",
        switch,
        slow_down_for_layer_cooling="cooling",
        reduce_fan_stop_start_freq="fan_always_on",
        filament_retract_when_changing_layer="filament_retract_layer_change",
    ),
    *_pairs(
        "filament",
        number,
        filament_retraction_length="filament_retract_length",
        filament_retraction_speed="filament_retract_speed",
        filament_deretraction_speed="filament_deretract_speed",
        filament_retraction_minimum_travel="filament_retract_before_travel",
        filament_z_hop="filament_retract_lift",
        filament_retract_restart_extra="filament_retract_restart_extra",
    ),
    *_same("filament", percentage, "filament_retract_before_wipe"),
)

TWINS = (*_PRINTER, *_PRINT, *_FILAMENT)

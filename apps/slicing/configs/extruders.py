"""Settings that have a value for each extruder, and configs that print with one extruder.

PrusaSlicer's window gives each of these settings as many values as there are nozzles
(libslic3r/Preset.cpp, `Preset::normalize`), and takes those of the filament from the filament that
is loaded into each extruder. Its command line does neither, so it is done here.
"""

import re
from collections.abc import Mapping

from apps.slicing.configs.slic3r import NIL, numbers

# Settings of a printer that have a value for each extruder.
OF_EXTRUDER = frozenset(
    {
        "deretract_speed",
        "extruder_colour",
        "extruder_offset",
        "max_layer_height",
        "min_layer_height",
        "nozzle_diameter",
        "nozzle_high_flow",
        "retract_before_travel",
        "retract_before_wipe",
        "retract_layer_change",
        "retract_length",
        "retract_length_toolchange",
        "retract_lift",
        "retract_lift_above",
        "retract_lift_below",
        "retract_restart_extra",
        "retract_restart_extra_toolchange",
        "retract_speed",
        "travel_lift_before_obstacle",
        "travel_max_lift",
        "travel_ramping_lift",
        "travel_slope",
        "wipe",
    }
)
# Settings of a filament whose names do not begin with `filament_`.
OF_FILAMENT = frozenset(
    {
        "bed_temperature",
        "bridge_fan_speed",
        "chamber_minimal_temperature",
        "chamber_temperature",
        "cooling",
        "cooling_perimeter_transition_distance",
        "cooling_slowdown_logic",
        "disable_fan_first_layers",
        "enable_dynamic_fan_speeds",
        "end_filament_gcode",
        "extrusion_multiplier",
        "fan_always_on",
        "fan_below_layer_time",
        "first_layer_bed_temperature",
        "first_layer_temperature",
        "full_fan_speed_layer",
        "idle_temperature",
        "max_fan_speed",
        "min_fan_speed",
        "min_print_speed",
        "overhang_fan_speed_0",
        "overhang_fan_speed_1",
        "overhang_fan_speed_2",
        "overhang_fan_speed_3",
        "slowdown_below_layer_time",
        "start_filament_gcode",
        "temperature",
    }
)
# Settings of a filament that take words of a choice; a list of these is divided by commas.
CHOICES_OF_FILAMENT = frozenset({"cooling_slowdown_logic"})
# Which extruder prints the parts of a model.
CHOICES = (
    "infill_extruder",
    "perimeter_extruder",
    "solid_infill_extruder",
    # These may be 0: the extruder that prints just then.
    "support_material_extruder",
    "support_material_interface_extruder",
)
# Of use only where the extruder changes during a print.
OFF = ("ooze_prevention", "wipe_tower")
POINTS = re.compile(r"[-+.\deE]+x[-+.\deE]+(\s*,\s*[-+.\deE]+x[-+.\deE]+)*")
# A text of a list: in quotes, or up to the next semicolon.
TEXT = re.compile(r'\s*("(?:\\.|[^"\\])*"|[^;]*)\s*(?:;|\Z)', re.DOTALL)


def extruder_count(settings: Mapping[str, str]) -> int:
    """Return how many extruders a printer has."""
    return max(1, len(numbers(settings.get("nozzle_diameter", "")) or ()))


def for_extruder(settings: Mapping[str, str], extruder: int) -> dict[str, str]:
    """Return settings that print with one filament, in one extruder.

    Each setting of the extruders and of the filament gets a value for each extruder. Settings of a
    printer with a single extruder are returned as they are.

    extruder : 1 for the first
    """
    count = extruder_count(settings)
    chosen = dict(settings)
    if count == 1:
        # 0, as QIDI's presets of PrusaSlicer 2.9.6 say, is out of the range that the engine takes.
        return chosen | {key: "1" for key in CHOICES[:3] if chosen.get(key) == "0"}
    for key, value in settings.items():
        if key in OF_EXTRUDER:
            chosen[key] = _repeated(value, count, keep=count)
        elif key in OF_FILAMENT or key.startswith("filament_"):
            chosen[key] = _repeated(value, count, keep=1, words=key in CHOICES_OF_FILAMENT)
    chosen |= {key: str(extruder) for key in CHOICES if key in settings}
    chosen |= {key: "0" for key in OFF if key in settings}
    return chosen


def _repeated(value: str, count: int, *, keep: int, words: bool = False) -> str:
    """Return a list of `count` values: the first ones as they are, then the first again.

    words : the values are words of a choice
    """
    sign, values = (",", value.split(",")) if words else list_values(value)
    values = values[:keep]
    return sign.join([*values, *values[:1] * (count - len(values))])


def list_values(value: str) -> tuple[str, list[str]]:
    """Return what divides the values of a list, and the values.

    Lists of numbers, switches and points are divided by commas, lists of texts by semicolons.
    """
    if numbers(value.replace(NIL, "0")) is not None or POINTS.fullmatch(value):
        return ",", [one.strip() for one in value.split(",")]
    return ";", texts(value)


def texts(value: str) -> list[str]:
    """Return the texts of a list, which are divided by semicolons; quotes are left on."""
    rows, place = [], 0
    while place < len(value) and (match := TEXT.match(value, place)):
        rows.append(match[1].strip())
        place = match.end()
    return rows or [""]

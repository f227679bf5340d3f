"""Settings of Cura that other versions of Cura have under another name, and how to translate them.

The pairs are those of Cura's own upgrade scripts (plugins/VersionUpgrade, 2.1 to 5.10), read in
both directions: which of the two names the installed engine knows decides.
"""

from collections.abc import Container
from difflib import get_close_matches
from typing import NamedTuple

BOOLS = {"true": "True", "1": "True", "yes": "True", "false": "False", "0": "False", "no": "False"}


class Rename(NamedTuple):
    """One setting under another name.

    key        : the other name
    expression : of the value, where `{}` stands for the value as it was written
    options    : the words that the setting takes under its first name; empty where numbers
    """

    key: str
    expression: str = "{}"
    options: tuple[str, ...] = ()


TRUE_OR_FALSE = ("true", "false")
INSET_DIRECTIONS = ("inside_out", "outside_in")
BRIM_LOCATIONS = ("everywhere", "inside", "outside")

RENAMED: dict[str, Rename] = {
    # 5.10 | 5.9
    "wall_overhang_speed_factor": Rename("wall_overhang_speed_factors", "[{}]"),
    "wall_overhang_speed_factors": Rename("wall_overhang_speed_factor", "min({})"),
    # 5.7 | 5.6
    "brim_outside_only": Rename(
        "brim_location", "'outside' if {} else 'everywhere'", TRUE_OR_FALSE
    ),
    "brim_location": Rename("brim_outside_only", "{} == 'outside'", BRIM_LOCATIONS),
    # 5.0 | 4.13
    "outer_inset_first": Rename(
        "inset_direction", "'outside_in' if {} else 'inside_out'", TRUE_OR_FALSE
    ),
    "inset_direction": Rename("outer_inset_first", "{} == 'outside_in'", INSET_DIRECTIONS),
    "speed_equalize_flow_enabled": Rename(
        "speed_equalize_flow_width_factor", "100 if {} else 0", TRUE_OR_FALSE
    ),
    "speed_equalize_flow_width_factor": Rename("speed_equalize_flow_enabled", "{} > 0"),
    # 4.7 and older
    "support_tree_enable": Rename("support_structure", "'tree' if {} else 'normal'", TRUE_OR_FALSE),
    "support_infill_angle": Rename("support_infill_angles", "[round({})]"),
    "support_minimal_diameter": Rename("support_tower_maximum_supported_diameter"),
    "infill_hollow": Rename("infill_support_enabled", "{}", TRUE_OR_FALSE),
    "remove_overlapping_walls_enabled": Rename("travel_compensate_overlapping_walls_enabled"),
    "remove_overlapping_walls_0_enabled": Rename("travel_compensate_overlapping_walls_0_enabled"),
    "remove_overlapping_walls_x_enabled": Rename("travel_compensate_overlapping_walls_x_enabled"),
    "skirt_line_width": Rename("skirt_brim_line_width"),
    "skirt_minimal_length": Rename("skirt_brim_minimal_length"),
    "skirt_speed": Rename("skirt_brim_speed"),
    "speed_support_lines": Rename("speed_support_infill"),
}


def translated(key: str, value: str, known: Container[str]) -> tuple[str, str] | None:
    """Return a setting and its value, `=` and an expression, as the installed engine has them.

    None where the engine knows the setting itself, or has no other name for it. Raises ValueError,
    with words for a person, where the value is none that the setting takes.
    """
    rename = RENAMED.get(key)
    if key in known or rename is None or rename.key not in known:
        return None
    if value.startswith("="):
        literal = f"({value[1:].strip()})"
    elif rename.options == TRUE_OR_FALSE:
        if value.lower() not in BOOLS:
            raise ValueError(f"{value[:100]!r} is not true or false.")
        literal = BOOLS[value.lower()]
    elif rename.options:
        if value not in rename.options:
            raise ValueError(not_an_option(value, rename.options))
        literal = repr(value)
    elif rename.expression == "{}":
        return rename.key, value
    else:
        literal = f"({value})"
    return rename.key, "=" + rename.expression.format(literal)


def not_an_option(value: str, options: tuple[str, ...]) -> str:
    """Return why a setting does not take a value: the values that it takes, and the nearest."""
    words = f"{value[:100]!r} is not one of: {', '.join(options)}."
    near = get_close_matches(value[:100].lower(), options, n=1, cutoff=0.0)
    return f"{words} The nearest is {near[0]}." if near else words

"""Profiles of OrcaSlicer and Bambu Studio as presets of PrusaSlicer.

Settings with a twin are translated, everything else is listed as dropped. G-code uses variables and
commands that PrusaSlicer does not have: a printer gets plain start and end G-code, and its presets
are for estimates. Its own G-code is kept, of which `orca.templates` makes a proposal that a person
has to confirm.
"""

import re
from collections.abc import Iterable, Mapping
from sys import intern
from typing import NamedTuple

from apps.slicing.configs.bundles import GcodeTemplates
from apps.slicing.configs.orca.beds import bed_shape
from apps.slicing.configs.orca.converters import Source, plain
from apps.slicing.configs.orca.profiles import Kind, Value, Values
from apps.slicing.configs.orca.table import TWINS, Twin

NIL = "nil"
# PrusaSlicer's G-code -> that of the other slicers.
GCODES = {
    "start_gcode": "machine_start_gcode",
    "before_layer_gcode": "before_layer_change_gcode",
    "layer_gcode": "layer_change_gcode",
    "end_gcode": "machine_end_gcode",
}
NO_TEMPLATES = GcodeTemplates({}, {})
START_GCODE = (
    "G90\\nG28\\nM140 S[first_layer_bed_temperature]\\nM104 S[first_layer_temperature]\\n"
    "M190 S[first_layer_bed_temperature]\\nM109 S[first_layer_temperature]\\nG92 E0"
)
END_GCODE = "M104 S0\\nM140 S0\\nM107\\nG91\\nG1 Z5 F600\\nG90\\nM84"
# What only describes a profile, or is of the program and not of the print.
NO_SETTINGS = re.compile(
    r".*_settings_id|setting_id|filament_id|base_id|.*_custom_(texture|model)|is_custom_defined|"
    r"different_settings_to_system|inherits_group|upward_compatible_machine|description|url|"
    r"printer_notes|filament_notes|notes|version|renamed_from|.*_variant(_list)?|.*_extruder_id|"
    r"printhost_.*|print_host.*|host_type|default_materials|thumbnails.*|printer_technology"
)
COMPATIBLE = {
    "compatible_printers": "compatible_printers",
    "compatible_prints": "compatible_prints",
}
# Where a catalogue leaves a speed out, that of the outer walls is used.
SPEEDS = ("perimeter_speed", "infill_speed", "solid_infill_speed", "top_solid_infill_speed")
FOLLOWERS = {
    "temperature": "first_layer_temperature",
    "bed_temperature": "first_layer_bed_temperature",
}
_BY_KEY: Mapping[tuple[Kind, str], Twin] = {(twin.kind, twin.key): twin for twin in TWINS}


class TranslatedProfile(NamedTuple):
    """A profile in PrusaSlicer's settings.

    dropped   : settings that are not used, by name
    notes     : values that are used otherwise
    templates : of a printer, its own G-code
    """

    settings: dict[str, str]
    dropped: tuple[str, ...]
    notes: tuple[str, ...]
    templates: GcodeTemplates = NO_TEMPLATES


def translate(kind: Kind, values: Values, *, nozzle: float | None = None) -> TranslatedProfile:
    """Return a profile, with all that it inherits, in PrusaSlicer's settings.

    Of values for several extruders or variants those of the first standard one are used.

    nozzle : mm, of the printers that a print or a filament is for, where it is one
    """
    source = Source(first_values(kind, values), nozzle)
    settings: dict[str, str] = {}
    dropped: list[str] = []
    notes: list[str] = []
    for key, value in source.values.items():
        twin = _BY_KEY.get((kind, key))
        if twin is None:
            if not _is_silent(key):
                dropped.append(key)
            continue
        if value.strip() in ("", NIL):
            continue
        converted = twin.convert(value, source)
        if converted is None:
            dropped.append(key)
            if twin.default:
                settings |= dict(zip(twin.to, twin.default, strict=True))
                notes.append(f"{key}: {value[:60]!r} is {twin.default[-1]!r} here.")
            continue
        parts = converted if isinstance(converted, tuple) else (converted,) * len(twin.to)
        settings |= dict(zip(twin.to, parts, strict=True))
    settings |= _names(values)
    complete = {
        "printer": _complete_printer,
        "print": _complete_print,
        "filament": _complete_filament,
    }
    notes += complete[kind](settings, values)
    is_used = {"printable_area", "bed_exclude_area", "default_filament_profile"}
    dropped = sorted(set(dropped) - (is_used if kind == "printer" else set()))
    shared = {key: intern(value) for key, value in settings.items()}
    templates = _templates(source.values, dropped) if kind == "printer" else NO_TEMPLATES
    return TranslatedProfile(shared, tuple(dropped), tuple(notes), templates)


def _templates(values: Mapping[str, str], dropped: Iterable[str]) -> GcodeTemplates:
    gcodes = {to: intern(text) for to, key in GCODES.items() if (text := values.get(key, ""))}
    others = {key: intern(values[key]) for key in dropped if not key.endswith("_gcode")}
    return GcodeTemplates(gcodes, others)


def first_values(kind: Kind, values: Values) -> dict[str, str]:
    """Return the value of each setting for the first extruder with a standard nozzle."""
    variants = values.get(
        {"printer": "printer_extruder_variant", "print": "print_extruder_variant"}.get(
            kind, "filament_extruder_variant"
        ),
        (),
    )
    variants = (variants,) if isinstance(variants, str) else variants
    standard = next((at for at, name in enumerate(variants) if "standard" in name.lower()), 0)
    return {key: _first(value, standard, len(variants)) for key, value in values.items()}


def _first(value: Value, standard: int, variants: int) -> str:
    if isinstance(value, str):
        return value
    if variants > 1 and len(value) % variants == 0:
        return value[standard * (len(value) // variants)] if value else ""
    return value[0] if value else ""


def _is_silent(key: str) -> bool:
    return key in COMPATIBLE or bool(NO_SETTINGS.fullmatch(key))


def _names(values: Values) -> dict[str, str]:
    """Return the lists of presets that a print or a filament is for."""
    return {
        to: quoted(names) for key, to in COMPATIBLE.items() if (names := _list(values.get(key, ())))
    }


def compatible(values: Values) -> tuple[str, ...]:
    """Return the names of the printers that a print or a filament is for; empty for all."""
    return _list(values.get("compatible_printers", ()))


def quoted(names: Iterable[str]) -> str:
    """Return names as PrusaSlicer lists them: "A";"B"."""
    return ";".join(f'"{name.replace(chr(34), "").replace(";", ",")}"' for name in names)


def _list(value: Value) -> tuple[str, ...]:
    names = value.split(";") if isinstance(value, str) else value
    return tuple(name.strip().strip('"') for name in names if name.strip())


def _complete_printer(settings: dict[str, str], values: Values) -> list[str]:
    notes = []
    shape, note = bed_shape(
        _list(values.get("printable_area", ())), _list(values.get("bed_exclude_area", ()))
    )
    if shape:
        settings["bed_shape"] = shape
    if note:
        notes.append(note)
    if filaments := _list(values.get("default_filament_profile", ())):
        settings["default_filament_profile"] = quoted(filaments)
    if "gcode_flavor" not in settings:
        settings["gcode_flavor"] = "marlin2"
        notes.append("Its firmware is not in the catalogue: times are those of Marlin 2.")
    relative = settings.setdefault("use_relative_e_distances", "1") == "1"
    settings |= {
        "machine_limits_usage": "time_estimate_only",
        "start_gcode": START_GCODE,
        "end_gcode": END_GCODE,
        "layer_gcode": "G92 E0" if relative else "",
        "before_layer_gcode": "",
    }
    return notes


def _complete_print(settings: dict[str, str], values: Values) -> list[str]:
    settings.setdefault("brim_type", "no_brim")  # theirs depends on the part by default
    if "max_volumetric_extrusion_rate_slope_positive" in settings:
        slope = settings["max_volumetric_extrusion_rate_slope_positive"]
        settings["max_volumetric_extrusion_rate_slope_negative"] = slope
    outer = settings.get("external_perimeter_speed")
    missing = [key for key in SPEEDS if key not in settings]
    if not outer or not missing:
        return []
    settings |= dict.fromkeys(missing, outer)
    names = ", ".join(missing)
    return [f"Not in the profile, so that of the outer walls, {outer} mm/s, is used: {names}."]


def _complete_filament(settings: dict[str, str], values: Values) -> list[str]:
    for key, first in FOLLOWERS.items():
        if key in settings:
            settings.setdefault(first, settings[key])
    low, high = settings.get("min_fan_speed"), settings.get("max_fan_speed")
    if low and high and (plain(low) or 0) > (plain(high) or 0):
        settings["min_fan_speed"] = high
    return []

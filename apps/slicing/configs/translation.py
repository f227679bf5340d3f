"""Translates settings of other versions of PrusaSlicer, and of SuperSlicer and Slic3r.

Each program writes some settings by another name or with other words. What the installed engine
knows decides which way a setting is translated, so that one table serves older and newer versions.
What has no equivalent is left as it is, for `slic3r.choose` to refuse or to leave out.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from apps.slicing.configs.base import Entry, Note
from apps.slicing.configs.capabilities import NUMBER, Capabilities

Words = Mapping[str, tuple[str, ...]]

PATTERNS = ("top_fill_pattern", "bottom_fill_pattern")
# A setting that the engine does not have -> those that stand for it.
RENAMED: Words = {
    # older versions
    "solid_fill_pattern": PATTERNS,
    "external_fill_pattern": PATTERNS,
    "top_infill_pattern": PATTERNS[:1],
    "bottom_infill_pattern": PATTERNS[1:],
    "seal_position": ("seam_position",),
    "bed_size": ("bed_shape",),
    "solid_layers": ("top_solid_layers", "bottom_solid_layers"),
    "solid_min_thickness": ("top_solid_min_thickness", "bottom_solid_min_thickness"),
    # SuperSlicer
    "default_fan_speed": ("min_fan_speed",),
    "extra_perimeters_overhangs": ("extra_perimeters_on_overhangs",),
    "gap_fill": ("gap_fill_enabled",),
    "only_one_perimeter_top": ("top_one_perimeter_type",),
    "seam_gap": ("seam_gap_distance",),
    "support_material_contact_distance_top": ("support_material_contact_distance",),
    "support_material_contact_distance_bottom": ("support_material_bottom_contact_distance",),
    "support_material_top_interface_pattern": ("support_material_interface_pattern",),
}
_RECTILINEAR = ("rectilinear",)
_SMOOTH = ("monotoniclines", "monotonic", "rectilinear")
_PATTERNS: Words = {
    "concentricgapfill": ("concentric",),
    "monotonicgapfill": ("monotonic",),
    "monotoniclines": _SMOOTH,
    "rectilineargapfill": _RECTILINEAR,
    "rectilinear-grid": ("grid",),
    "rectiwithperimeter": _RECTILINEAR,
    "sawtooth": _RECTILINEAR,
    "scatteredrectilinear": _RECTILINEAR,
    "smooth": _SMOOTH,
    "smoothhilbert": ("hilbertcurve",),
    "smoothtriple": _SMOOTH,
    "zig-zag": ("zigzag", "rectilinear"),
    "zigzag": _RECTILINEAR,
}
_SWITCHED: Words = {"0": ("disabled",), "disabled": ("0",), "1": ("enabled",), "enabled": ("1",)}
# Setting -> a word that the engine does not know -> its equivalents, the best one first.
EQUIVALENTS: Mapping[str, Words] = {
    "arc_fitting": {
        "0": ("disabled",),
        "1": ("emit_center",),
        "bambu": ("emit_center",),
        "emit_radius": ("emit_center",),
    },
    "bottom_fill_pattern": _PATTERNS,
    "brim_type": {
        "auto_brim": ("outer_only",),
        "brim_ears": ("outer_only",),
        "inner_brim_only": ("inner_only",),
        "outer_and_inner_brim": ("outer_and_inner",),
        "outer_brim_only": ("outer_only",),
    },
    "draft_shield": {**_SWITCHED, "limited": ("enabled",)},
    # PrusaSlicer itself reads the older 0 as partial.
    "ensure_vertical_shell_thickness": {
        **_SWITCHED,
        "0": ("partial",),
        "partial": ("0",),
    },
    "fill_pattern": {
        **_PATTERNS,
        "alignedrectilinear": _RECTILINEAR,
        "lightning": ("adaptivecubic", "cubic"),
        "monotonic": _RECTILINEAR,
    },
    "fuzzy_skin": {"0": ("none",), "1": ("external",), "shell": ("external",)},
    "gcode_flavor": {
        "klipper": (
            "marlin",
        ),  # Klipper reads M204 S, and ignores the limits that it does not know
        "lerdge": ("marlin",),
        "makerbot": ("makerware",),
        "marlin2": ("marlin",),
        "marlinfirmware": ("marlin2",),
        "reprapfirmware": ("reprap",),
        "sprinter": ("reprap",),
    },
    "gcode_label_objects": {
        "0": ("disabled",),
        "1": ("octoprint",),
        "disabled": ("0",),
        "firmware": ("1",),
        "octoprint": ("1",),
    },
    "machine_limits_usage": {"limits": ("time_estimate_only",)},
    "perimeter_generator": {"arachne": ("classic",)},
    "scarf_seam_placement": {"0": ("nowhere",), "1": ("contours",)},
    "seam_position": {
        "aligned_rear": ("rear",),
        "allrandom": ("random",),
        "contiguous": ("aligned",),
        "cost": ("nearest",),
        "custom": ("aligned",),
        "hidden": ("nearest",),
        "near": ("nearest",),
    },
    "support_material_interface_pattern": {
        "monotonic": _RECTILINEAR,
        "sawtooth": _RECTILINEAR,
        "smooth": _RECTILINEAR,
        "zigzag": _RECTILINEAR,
    },
    "support_material_pattern": {"pillars": _RECTILINEAR, "zigzag": _RECTILINEAR},
    "support_material_style": {
        "organic": ("snug", "grid"),
        "snug": ("grid",),
        "tree": ("organic", "snug", "grid"),
    },
    "top_fill_pattern": _PATTERNS,
    "top_one_perimeter_type": {"0": ("none",), "1": ("top",)},
}
ON, OFF = ("true", "yes", "on", "enabled"), ("false", "no", "off", "disabled")

# Settings of SuperSlicer alone.
OF_SUPERSLICER = frozenset(
    {
        "default_speed",
        "external_perimeter_extrusion_spacing",
        "extrusion_spacing",
        "fan_printer_min_speed",
        "fill_top_flow_ratio",
        "infill_connection",
        "perimeter_extrusion_spacing",
        "perimeter_loop",
        "support_material_contact_distance_top",
    }
)
# A percentage of one -> the number that this engine wants.
RATIOS = ("bridge_flow_ratio", "extrusion_multiplier")
# Setting -> that of which a percentage is meant, in SuperSlicer.
SHARE_OF = {
    "bridge_acceleration": "default_acceleration",
    "bridge_speed": "default_speed",
    "external_perimeter_acceleration": "default_acceleration",
    "first_layer_acceleration": "default_acceleration",
    "gap_fill_speed": "perimeter_speed",
    "infill_acceleration": "default_acceleration",
    "infill_speed": "default_speed",
    "ironing_speed": "top_solid_infill_speed",
    "max_layer_height": "nozzle_diameter",
    "min_layer_height": "nozzle_diameter",
    "perimeter_acceleration": "default_acceleration",
    "perimeter_speed": "default_speed",
    "solid_infill_speed": "infill_speed",
    "support_material_contact_distance": "nozzle_diameter",
    "support_material_bottom_contact_distance": "nozzle_diameter",
    "support_material_speed": "default_speed",
    "top_solid_infill_speed": "solid_infill_speed",
}
MAX_STEPS = 5  # from a share to that of which it is one


class Translated(NamedTuple):
    """Settings as the engine writes them, and a note for each that was written otherwise."""

    entries: list[Entry]
    notes: list[Note]


def translate(
    entries: Iterable[Entry], known: Capabilities, written: Iterable[Entry]
) -> Translated:
    """Return settings with values that the engine knows, as far as there are equivalents.

    entries : settings by the names that the engine has, see RENAMED
    known   : what the engine knows
    written : all settings of the file by the names that they have there
    """
    values = {entry.key: entry.value for entry in written}
    superslicer = not OF_SUPERSLICER.isdisjoint(values)
    found, notes = [], []
    for entry in entries:
        value, reason = _translated(entry, known, values, superslicer=superslicer)
        if value is None:
            notes.append(Note(entry.line, entry.key, f"Not used: {reason}."))
            continue
        if value != entry.value:
            notes.append(Note(entry.line, entry.key, f"Read as {value}: {reason}."))
        found.append(entry._replace(value=value))
    return Translated(_without_klipper_limits(found, values, notes), notes)


def _translated(
    entry: Entry, known: Capabilities, values: Mapping[str, str], *, superslicer: bool
) -> tuple[str | None, str]:
    """The value for the engine, and why it is another one; None where the setting is left out."""
    key, value = entry.key, entry.value
    kind = known.kinds.get(key)
    if kind == "word":
        return _word(key, value, known)
    if kind == "switch":
        return _switches(key, value, known)
    if kind != "number" or not value:
        return value, ""
    if value.startswith("!"):
        return None, "a value that begins with ! is switched off in SuperSlicer"
    if superslicer and key == "bridge_fan_speed" and value == "-1":
        return None, "-1 leaves the fan as it is in SuperSlicer"
    if "%" in value:
        return _share(key, value, known, values, superslicer=superslicer)
    return value, ""


def _word(key: str, value: str, known: Capabilities) -> tuple[str, str]:
    words = known.words[key]
    if value in words:
        return value, ""
    if value.lower() in words:
        return value.lower(), "words are in lower case"
    best = next((one for one in EQUIVALENTS.get(key, {}).get(value, ()) if one in words), None)
    return best or value, f"PrusaSlicer {known.version} has no {value[:100]!r}"


def _switches(key: str, value: str, known: Capabilities) -> tuple[str, str]:
    """0 and 1 for words, of each extruder."""
    found = []
    for word in (one.strip() for one in value.split(",")):
        best = next((one for one in EQUIVALENTS.get(key, {}).get(word, ()) if one in "01"), word)
        lower = best.lower()
        found.append("1" if lower in ON else "0" if lower in OFF else best)
    same = found == [one.strip() for one in value.split(",")]
    reason = f"PrusaSlicer {known.version} has 0 and 1 here"
    return value if same else ",".join(found), reason


def _share(
    key: str, value: str, known: Capabilities, values: Mapping[str, str], *, superslicer: bool
) -> tuple[str, str]:
    """A number for a percentage, where the engine takes none or takes it of something else."""
    whole = None
    if superslicer and (key.endswith("extrusion_width") or key == "first_layer_height"):
        whole = "nozzle_diameter"  # PrusaSlicer: of the layer's height
    elif key in known.shares:
        return value, ""
    elif key == "first_layer_height":
        whole = "layer_height"
    elif key in RATIOS:
        share = _percent(value)
        reason = f"PrusaSlicer {known.version} takes a ratio, not a percentage"
        return (value if share is None else f"{share / 100:.6g}"), reason
    elif not superslicer:  # as PrusaSlicer reads it: vendors' presets have it so
        return value.replace("%", ""), f"PrusaSlicer {known.version} takes no percentage here"
    else:
        whole = SHARE_OF.get(key)
    number = whole and _resolved(value, whole, {**known.defaults, **values})
    reason = f"{value[:20]} of {whole}"
    return (f"{number:.6g}" if number else value), reason


def _resolved(value: str, whole: str, values: Mapping[str, str]) -> float | None:
    """What a percentage of another setting comes to, through percentages of further ones."""
    factor = 1.0
    for _ in range(MAX_STEPS):
        share = _percent(value)
        if share is None:
            break
        factor *= share / 100
        value = values.get(whole, "").split(",")[0].strip()
        whole = SHARE_OF.get(whole, "")
    if value.endswith("%") or not NUMBER.fullmatch(value):
        return None
    return factor * float(value)


def _percent(value: str) -> float | None:
    is_one = value.endswith("%") and NUMBER.fullmatch(value)
    return float(value[:-1]) if is_one else None


def _without_klipper_limits(
    entries: list[Entry], values: Mapping[str, str], notes: list[Note]
) -> list[Entry]:
    """Limits are not written for Klipper, which has its own: newer versions refuse it."""
    if values.get("gcode_flavor") != "klipper":
        return entries
    found = []
    for entry in entries:
        if (entry.key, entry.value) == ("machine_limits_usage", "emit_to_gcode"):
            title = "Read as time_estimate_only: Klipper has limits of its own."
            notes.append(Note(entry.line, entry.key, title))
            entry = entry._replace(value="time_estimate_only")
        found.append(entry)
    return found

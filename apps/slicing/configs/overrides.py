"""Curated parameters applied on top of presets."""

from collections.abc import Mapping
from typing import Any

from apps.slicing.configs.bundles import Settings
from apps.slicing.configs.parameters import infill_percent

# The patterns that the engine fills all of a layer with.
SOLID_PATTERNS = (
    "rectilinear",
    "monotonic",
    "monotoniclines",
    "alignedrectilinear",
    "concentric",
    "hilbertcurve",
    "archimedeanchords",
    "octagramspiral",
)
# A parameter that is a number -> the settings that are it.
_NUMBERS = {
    "infill_speed": ("infill_speed", "solid_infill_speed"),
    "perimeter_speed": ("perimeter_speed",),
    "perimeters": ("perimeters",),
}
_TEMPERATURES = {
    "extruder_temperature": ("temperature", "first_layer_temperature"),
    "bed_temperature": ("bed_temperature", "first_layer_bed_temperature"),
}
OUTER_SHARE = {"external_perimeter_speed": "50%", "small_perimeter_speed": "50%"}
RAFT_LAYERS = "3"


def overridden(settings: Settings, overrides: Mapping[str, Any]) -> Settings:
    """The settings with the overrides that are given; a null one changes nothing."""
    values = {name: value for name, value in overrides.items() if value is not None}
    found = dict(settings)
    for name, keys in _NUMBERS.items():
        if name in values:
            found |= dict.fromkeys(keys, f"{values[name]:.6g}")
    for name, keys in _TEMPERATURES.items():
        if name in values:
            found |= dict.fromkeys(keys, str(round(values[name])))
    if "perimeter_speed" in values:
        found |= OUTER_SHARE
    if "infill_density" in values:
        density = infill_percent(values["infill_density"])
        found["fill_density"] = f"{density:.6g}%"
        if density >= 100 and found.get("fill_pattern") not in SOLID_PATTERNS:
            found["fill_pattern"] = "rectilinear"
    if "support" in values:
        found["support_material"] = "1" if values["support"] else "0"
        found["support_material_auto"] = "1"
        found["support_material_enforce_layers"] = "0"
    if "raft" in values:
        found["raft_layers"] = RAFT_LAYERS if values["raft"] else "0"
    return found

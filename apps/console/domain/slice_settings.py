"""Effective settings of a slice, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.messages import JsonValue

if TYPE_CHECKING:
    from manufacturing.generated.slicing import SliceSettings

# Curated parameters that matter at the printer, in the order of the page, with their units.
PARAMETERS: dict[str, tuple[Promise, str]] = {
    "material": (gettext_lazy("Material"), ""),
    "perimeters": (gettext_lazy("Perimeters (wall loops)"), ""),
    "infill_density": (gettext_lazy("Infill"), "%"),
    "support": (gettext_lazy("Supports"), ""),
    "raft": (gettext_lazy("Raft"), ""),
    "extruder_temperature": (gettext_lazy("Nozzle temperature"), "°C"),
    "bed_temperature": (gettext_lazy("Bed temperature"), "°C"),
    "perimeter_speed": (gettext_lazy("Perimeter speed"), "mm/s"),
    "infill_speed": (gettext_lazy("Infill speed"), "mm/s"),
    "nozzle_diameter": (gettext_lazy("Nozzle diameter"), "mm"),
    "filament_diameter": (gettext_lazy("Filament diameter"), "mm"),
}
PRESETS: dict[str, Promise] = {
    "printer": gettext_lazy("Printer preset"),
    "print": gettext_lazy("Print preset"),
    "filament": gettext_lazy("Filament preset"),
}


def setting_rows(settings: SliceSettings) -> list[tuple[str | Promise, str]]:
    """Label and value of each setting that is known."""
    presets = settings["presets"] or {}
    rows: list[tuple[str | Promise, str]] = [
        (label, presets[kind]) for kind, label in PRESETS.items() if presets.get(kind)
    ]
    if height := settings["layer_height"]:
        rows.append((_("Layer height"), f"{number_format(height)} mm"))
    for name, (label, unit) in PARAMETERS.items():
        parameter = settings["parameters"].get(name)
        if parameter and parameter["value"] is not None:
            rows.append((label, f"{_value(parameter['value'])} {unit}".strip()))
    return rows


def _value(value: JsonValue) -> str:
    """A value, or several of them, such as that of the first layer and that of the others."""
    if isinstance(value, list):
        return ", ".join(_value(one) for one in value)
    if isinstance(value, bool):
        return _("On") if value else _("Off")
    return number_format(f"{value:g}") if isinstance(value, float) else str(value)

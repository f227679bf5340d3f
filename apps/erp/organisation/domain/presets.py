"""Preset or config of a printer type for a material."""

from collections.abc import Mapping
from typing import Any

from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.slicing import interface as slicing
from apps.slicing.interface import PresetsAsked
from core.auth_user import Person


def presets_of(
    printer_type: PrinterType,
    material: Material | None,
    *,
    layer_height: float | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> PresetsAsked:
    """Which presets a type of printer that has any prints a material with.

    layer_height : mm; another than that of the type's own print picks another print
    """
    joined = {pair["material"]: pair["preset"] for pair in printer_type.filaments}
    return PresetsAsked(
        printer=str(printer_type.preset_uri),
        print=printer_type.print_preset_uri if layer_height is None else None,
        filament=joined.get(material.uri) if material else None,
        layer_height=layer_height,
        filament_type=(material.filament_type.upper() or None) if material else None,
        overrides=overrides or {},
    )


def config_for(
    printer_type: PrinterType, material: Material | None, *, owner: Person, **wishes: Any
) -> str | None:
    """The URI of the config that a type of printer slices a material with; None without any.

    One of its presets is `owner`'s, made at need; raises what such a config is refused with.

    wishes : as of presets_of
    """
    if printer_type.preset_uri is None:
        return printer_type.config_uri
    asked = presets_of(printer_type, material, **wishes)
    return slicing.find_or_make_preset_config(owner=owner, asked=asked)

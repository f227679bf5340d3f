"""Preset or config of a printer type for a material."""

from collections.abc import Mapping
from typing import Any

from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.slicing import interface as slicing
from apps.slicing.interface import FittedOptions, PresetsAsked, PrinterBed
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
        printer_gcode=printer_type.printer_gcode_uri,
    )


def config_for(
    printer_type: PrinterType,
    material: Material | None,
    *,
    owner: Person,
    config: str | None = None,
    layer_height: float | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> str | None:
    """The URI of the config that a type of printer slices a material with; None without any.

    It is for the printer type's own bed, `owner`'s, and made at need; raises what such a config is
    refused with.

    config       : the URI of a config to be used instead of the printer type's
    layer_height : mm; None: as the preset or the config has it
    overrides    : curated parameters
    """
    if config is None and printer_type.preset_uri:
        asked = presets_of(printer_type, material, layer_height=layer_height, overrides=overrides)
        return slicing.find_or_make_preset_config(owner=owner, asked=asked)
    config = config or printer_type.config_uri
    if config is None:
        return None
    return slicing.find_or_make_fitted_config(
        owner=owner,
        config=config,
        bed=PrinterBed(printer_type.volume, printer_type.preset_uri),
        options=FittedOptions(layer_height, overrides or {}),
    )

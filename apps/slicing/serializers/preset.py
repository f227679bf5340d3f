"""Presets of the catalogue."""

from typing import Annotated, Literal, TypedDict, cast

from apps.slicing.domain.catalogue import Preset, catalogue
from core.api.openapi.response_types import FreeJson, Uri
from core.text.server_paths import without_folders


class OutlineAnswer(TypedDict):
    """A build volume: the bed's corners, [x, y] each, and how high it goes, mm."""

    outline: list[list[float]]
    height: float | None


class PresetAnswer(TypedDict):
    """A manufacturer's settings of a printer, a print profile or a filament."""

    uri: Uri
    name: str
    kind: Annotated[str, Literal["printer", "print", "filament"]]
    vendor: str
    version: Annotated[str, "Version of the vendor's presets."]
    engine: str
    engine_version: str
    origin: Annotated[str, "Program whose preset it is, such as PrusaSlicer or OrcaSlicer."]
    estimate_only: Annotated[
        bool, "Whether it only estimates: it has no start and end G-code of its own."
    ]
    has_start_gcode: Annotated[
        bool | None, "Whether the printer's profile has start G-code, in its own slicer's terms."
    ]
    dropped: Annotated[list[str], "Settings of the original without an equivalent."]
    usable: bool
    reasons: list[str]
    notes: list[str]
    printer_model: str | None
    nozzle_diameter: float | None
    extruders: int | None
    bed: OutlineAnswer | None
    firmware: str | None
    thumbnails: list[str] | None
    limits: FreeJson | None
    default_print: Uri | None
    default_filament: Uri | None
    layer_height: float | None
    supports: bool | None
    brim: float | None
    filament_type: str | None
    filament_diameter: float | None
    density: float | None
    cost_per_kg: float | None
    temperatures: FreeJson | None


def preset_resource(preset: Preset) -> PresetAnswer:
    """A preset; what only other kinds have is null."""
    print_, filament = (None, None)
    if preset.kind == "printer":
        print_, filament = catalogue().defaults_of(preset)
    fields = {
        **{name: getattr(preset, name, None) for name in PresetAnswer.__annotations__},
        **preset.facts,
        "reasons": [without_folders(reason) for reason in preset.reasons],
        "default_print": print_ and print_.uri,
        "default_filament": filament and filament.uri,
    }
    return cast(PresetAnswer, fields)

"""Slices and their gcode files, as other apps see them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from apps.slicing.configs.slic3r import numbers
from apps.slicing.domain.installed_engines import installed_engines, settings_of
from apps.slicing.engines import plate
from apps.slicing.engines.base import SliceFailed
from apps.slicing.models import Config, EngineName, Gcode, Slice
from core.errors import ErrorEntry
from core.models import Blob
from machines.drivers import ObjectLabel


@dataclass(frozen=True)
class StoredSlice:
    """A slice, as far as others need to know it.

    The figures are those of the gcode, of one part: s, and cm3. None until it is processed.
    """

    uri: str
    status: str
    build_time_seconds: float | None
    build_volume_cc: float | None
    support_volume_cc: float | None
    layers: int | None
    errors: tuple[ErrorEntry, ...]
    config: str
    layer_height: float | None  # mm
    supports: bool | None  # whether any are generated
    infill: float | None  # percent
    presets: dict[str, str] | None  # names, by kind


@dataclass(frozen=True)
class GcodeFile:
    """The file for a printer; `size` in bytes.

    The figures are None where unknown: s, cm3, and mm of filament.

    estimate_only : whether it must not be printed: its preset has no start and end G-code
    """

    sha256: str
    size: int
    seconds: float | None = None
    build_volume_cc: float | None = None
    support_volume_cc: float | None = None
    filament_mm: float | None = None
    estimate_only: bool = False


@dataclass(frozen=True)
class StoredGcode:
    """Uploaded G-code, as far as others need to know it.

    metadata, figures : as `gcode.Metadata` and `gcode.Figures` name them; None until processed
    first_plate       : URI of the G-code of the first plate, where the file has several
    """

    uri: str
    name: str
    status: str
    errors: tuple[ErrorEntry, ...]
    figures: Mapping[str, Any] | None
    metadata: Mapping[str, Any] | None
    plate: int | None
    first_plate: str | None


def get_gcode_unchecked(uri: str) -> StoredGcode | None:
    """Return the G-code of `uri` without a check of rights: the caller has checked them."""
    row = Gcode.objects.filter(pk__in=Gcode.keys_of(uri), deleted=None).first()
    if row is None:
        return None
    return StoredGcode(
        uri=row.uri,
        name=row.name,
        status=row.status,
        errors=tuple(row.errors or ()),
        figures=row.figures,
        metadata=row.metadata,
        plate=row.plate,
        first_plate=Gcode.uri_of(row.first_plate_id) if row.first_plate_id else None,
    )


def get_slice_unchecked(uri: str) -> StoredSlice | None:
    """Return the slice of `uri` without a check of rights: the caller has checked them."""
    row = Slice.objects.filter(pk__in=Slice.keys_of(uri), deleted=None).first()
    return stored_slice(row) if row else None


def gcode_file(uri: str) -> GcodeFile | None:
    """Return the file of a slice or gcode without a check of rights; None where there is none."""
    return gcode_files([uri]).get(uri)


def gcode_files(uris: Iterable[str]) -> dict[str, GcodeFile]:
    """As `gcode_file`, of many at once: by their URIs, without those that have no file."""
    wanted, files = set(uris), {}
    for kind, related in ((Slice, "config"), (Gcode, "text")):
        keys = {key: uri for uri in wanted for key in kind.keys_of(uri)}
        rows = kind.objects.filter(pk__in=keys, deleted=None, status="processed")
        for row in rows.select_related("content", related):
            # Hosts of printers read plain gcode; a container is for people to download.
            text = row.text if isinstance(row, Gcode) else None
            if content := text or row.content:
                files[keys[row.pk]] = _file(row, content)
    return files


def _file(row: Slice | Gcode, content: Blob) -> GcodeFile:
    """The file of a processed slice or gcode, with its figures."""
    figures = (row.figures or {}) | (getattr(row, "estimates", None) or {})
    return GcodeFile(
        sha256=content.sha256,
        size=content.size,
        seconds=figures.get("build_time_seconds"),
        build_volume_cc=figures.get("build_volume_cc"),
        support_volume_cc=figures.get("support_volume_cc"),
        filament_mm=figures.get("filament_mm"),
        estimate_only=isinstance(row, Slice) and row.estimate_only,
    )


def labels_of(uri: str) -> dict[str, ObjectLabel]:
    """The labels of the pieces of a run, by their URIs; none where its gcode has none."""
    row = Slice.objects.filter(pk__in=Slice.keys_of(uri), deleted=None).first()
    if row is None or not row.plate:
        return {}
    try:
        firmware = plate.firmware_of(settings_of(row.config), row.build["firmware"])
    except SliceFailed:  # its config is not there any more
        return {}
    pieces = row.build["pieces"] if firmware != "none" else []
    return {
        piece["piece"]: ObjectLabel(piece["name"], number, firmware)
        for number, piece in enumerate(pieces)
    }


def config_of_slice(uri: str) -> str | None:
    """The URI of the config that a slice is made with."""
    row = Slice.objects.filter(pk__in=Slice.keys_of(uri)).first()
    return Config.uri_of(row.config_id) if row else None


def config_reach(*, config: str) -> float:
    """Return how far printing extends beyond an object's outline, mm; 0 where unknown."""
    row = Config.objects.filter(pk__in=Config.keys_of(config)).first()
    try:
        return installed_engines()[row.engine].reach(settings_of(row)) if row else 0.0
    except SliceFailed:
        return 0.0


def slices_with(*, config: str) -> list[str]:
    """The URIs of all slices that were made with a config, whosever they are; deleted ones too."""
    found = Slice.objects.filter(config__in=Config.keys_of(config))
    return [Slice.uri_of(key) for key in found.values_list("pk", flat=True)]


def stored_slice(row: Slice) -> StoredSlice:
    """Return a slice as other apps see it."""
    estimates = row.estimates or {}
    return StoredSlice(
        uri=row.uri,
        status=row.status,
        build_time_seconds=estimates.get("build_time_seconds"),
        build_volume_cc=estimates.get("build_volume_cc"),
        support_volume_cc=estimates.get("support_volume_cc"),
        layers=(row.figures or {}).get("layers"),
        errors=tuple(row.errors or ()),
        config=row.config.uri,
        **_assumptions(row),
        presets=_names(row.config),
    )


def _names(config: Config) -> dict[str, str] | None:
    if config.kind != Config.Kind.PRESET or config.preset is None:
        return None
    return {kind: kept["name"] for kind, kept in config.preset["presets"].items()}


class _Assumptions(TypedDict):
    layer_height: float | None
    supports: bool | None
    infill: float | None


def _assumptions(row: Slice) -> _Assumptions:
    """What a processed slice was made with, by the settings that were sent to its engine."""
    try:
        settings = settings_of(row.config) if row.status == Slice.Status.PROCESSED else {}
    except SliceFailed:
        settings = {}
    height, density, supports = _NAMES[EngineName(row.config.engine)]
    return {
        "layer_height": _first(settings.get(height, "")),
        "supports": settings[supports] in ("1", "true") if supports in settings else None,
        "infill": _first(settings.get(density, "")),
    }


# Of layer height, infill density and supports, by engine.
_NAMES = {
    EngineName.SLIC3R: ("layer_height", "fill_density", "support_material"),
    EngineName.CURA: ("layer_height", "infill_sparse_density", "support_enable"),
}


def _first(text: str) -> float | None:
    values = numbers(text)
    return values[0] if values else None

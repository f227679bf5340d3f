"""The slicing service, as others see it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from apps.slicing.configs.slic3r import numbers
from apps.slicing.domain.catalogue import catalogue
from apps.slicing.domain.engine_room import installed_engines, settings_of
from apps.slicing.engines import plate
from apps.slicing.engines.base import SliceFailed
from apps.slicing.engines.outline import largest_box
from apps.slicing.links import TRACING as TRACING  # what it tells of how things came to be
from apps.slicing.models import Config, EngineName, Slice
from apps.slicing.services import gcodes, presets, slices
from apps.slicing.services.presets import Asked as PresetsAsked
from apps.warehouse import interface as warehouse
from core.errors import Unavailable
from core.person import Person
from core.states import events_of

EVENTS = events_of(Slice)


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
    errors: tuple[dict[str, Any], ...]
    config: str
    layer_height: float | None  # mm
    presets: dict[str, str] | None  # names, by kind


@dataclass(frozen=True)
class PresetBed:
    """The build volume of a printer's preset, mm.

    size : of the largest rectangle on the bed along the axes, and the height; of a round bed 64 %
           of its area
    """

    name: str
    size: tuple[float, float, float]


def find_or_make_slice(*, owner: Person, model: str, config: str) -> StoredSlice:
    """A slice of `owner`'s of this model with this config, which may not be done yet.

    A new one at need; raises what `POST /slice/` is refused with.
    """
    kept = Slice.objects.filter(owner=owner, model_uri=model, deleted=None, plate=None)
    kept = kept.filter(config__in=Config.keys_of(config))
    row = kept.exclude(status=Slice.Status.ERROR).order_by("-uuid").first()
    return _stored(row or slices.create(actor=owner, model=model, config=config))


def preset_exists(*, uri: str, user: Person) -> bool:
    """Whether `uri` names a preset that is installed: everybody reads them all."""
    return _preset(uri) is not None


def preset_kind(uri: str) -> str | None:
    """printer, print or filament; None where there is no such preset."""
    found = _preset(uri)
    return found and found.kind


def preset_bed(uri: str) -> PresetBed | None:
    """The build volume of a printer's preset; None where there is no such preset."""
    found = _preset(uri)
    if found is None or found.kind != "printer" or not found.facts["bed"]["outline"]:
        return None
    bed = found.facts["bed"]
    left, front, right, back = largest_box([(x, y) for x, y in bed["outline"]])
    return PresetBed(found.name, (right - left, back - front, bed["height"]))


def find_or_make_preset_config(*, owner: Person, asked: PresetsAsked) -> str:
    """The URI of a config of these presets, of `owner`'s; raises what its POST is refused with."""
    return presets.find_or_make_preset_config(owner=owner, asked=asked).uri


def _preset(uri: str) -> Any:
    try:
        read = catalogue()
    except Unavailable:
        return None
    kinds = ("printer", "print", "filament")
    return next((row for kind in kinds if (row := read.find(uri, kind))), None)


def make_plate_slice(
    *, owner: Person, model: str, config: str, build: dict[str, Any]
) -> StoredSlice:
    """A slice of a packed run; raises what `POST /slice/` is refused with.

    model : the packed STL
    build : the plate of the model Slice
    """
    return _stored(slices.create(actor=owner, model=model, config=config, plate=build))


def end_slice(uri: str) -> None:
    """Take away a slice that nobody wants any more; an engine that works on it is ended."""
    row = Slice.objects.filter(pk__in=Slice.keys_of(uri), deleted=None).first()
    if row is not None and not row.is_over:
        slices.delete(actor=row.owner, row=row)


def meshes_of(models: set[str]) -> dict[str, str]:
    """The SHA-256 of the canonical file of each processed model."""
    found = warehouse.look_up_all(models)
    return {uri: model.sha256 for uri, model in found.items() if model.sha256}


def config_reach(*, config: str) -> float:
    """mm that what is printed around an object may go beyond it; 0 where that is not known."""
    row = Config.objects.filter(pk__in=Config.keys_of(config), engine=EngineName.SLIC3R).first()
    try:
        return plate.reach(settings_of(row)) if row else 0.0
    except SliceFailed:
        return 0.0


def look_up_slice(uri: str) -> StoredSlice | None:
    """The slice that `uri` names, whoever asks: for work whose rights were checked before."""
    row = Slice.objects.filter(pk__in=Slice.keys_of(uri), deleted=None).first()
    return _stored(row) if row else None


def expect_gcode(*, uuid: UUID) -> int | None:
    """The bytes of the file that the gcode with this key has; None while it waits for one."""
    return gcodes.expect_gcode(uuid=uuid)


def store_gcode(*, uuid: UUID, sha256: str, size: int, place: Callable[[], None]) -> None:
    """Take a file that was uploaded for the gcode with this key; `place` puts it into storage."""
    gcodes.store_gcode(uuid=uuid, sha256=sha256, size=size, place=place)


def engine_versions() -> dict[str, tuple[str | None, str]]:
    """Engine -> its installed version (None: not installed), and what to do where it is missing."""
    return {
        engine.name: (engine.version(), engine.missing()) for engine in installed_engines().values()
    }


def slices_with(*, config: str) -> list[str]:
    """The URIs of all slices that were made with a config, whosever they are; deleted ones too."""
    found = Slice.objects.filter(config__in=Config.keys_of(config))
    return [Slice.uri_of(key) for key in found.values_list("pk", flat=True)]


def _stored(row: Slice) -> StoredSlice:
    estimates = row.estimates or {}
    return StoredSlice(
        uri=row.uri,
        status=row.status,
        build_time_seconds=estimates.get("build_time_seconds"),
        build_volume_cc=estimates.get("build_volume_cc"),
        support_volume_cc=estimates.get("support_volume_cc"),
        errors=tuple(row.errors or ()),
        config=row.config.uri,
        layer_height=_layer_height(row.config) if row.status == Slice.Status.PROCESSED else None,
        presets=_names(row.config),
    )


def _names(config: Config) -> dict[str, str] | None:
    if config.preset is None:
        return None
    return {kind: kept["name"] for kind, kept in config.preset["presets"].items()}


def _layer_height(config: Config) -> float | None:
    try:
        found = numbers(settings_of(config).get("layer_height", ""))
    except SliceFailed:
        return None
    return found[0] if found else None

"""Public interface of slicing."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from apps.slicing.configs.slic3r import bounds_of, numbers
from apps.slicing.domain import installed_engines as engine_room
from apps.slicing.domain.catalogue import catalogue
from apps.slicing.domain.installed_engines import InstalledEngine, installed_engines, settings_of
from apps.slicing.engines import plate
from apps.slicing.engines.base import SliceFailed
from apps.slicing.models import Config, EngineName, Gcode, Slice
from apps.slicing.provenance import TRACING as TRACING  # what it tells of how things came to be
from apps.slicing.services import gcodes, presets, slices
from apps.slicing.services.presets import PresetRequest as PresetsAsked
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import Unavailable
from core.state_machine import event_schemas
from geometry.bed_shape import is_box, is_convex, largest_box
from machines.drivers import ObjectLabel

EVENTS = event_schemas(Slice)


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
    errors: tuple[dict[str, Any], ...]
    config: str
    layer_height: float | None  # mm
    presets: dict[str, str] | None  # names, by kind


@dataclass(frozen=True)
class GcodeFile:
    """What a printer is sent; `size` in bytes.

    The figures are None where they are not known: s, cm3, and mm of filament.
    """

    sha256: str
    size: int
    seconds: float | None = None
    build_volume_cc: float | None = None
    support_volume_cc: float | None = None
    filament_mm: float | None = None


@dataclass(frozen=True)
class PresetBed:
    """The build volume of a printer's preset, mm.

    size    : of the box around the bed, and the height; of a bed with notches, of the largest
              rectangle on it
    outline : the corners of a bed that is no rectangle, such as a round one, from the corner of
              that box; else empty
    """

    name: str
    size: tuple[float, float, float]
    outline: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Recipe:
    """What quick estimates ask of a config.

    key    : of all that decides how it slices: engine, its version, and the file that it reads
    layer  : mm
    infill : a part of 1
    """

    key: str
    layer: float
    infill: float


@dataclass(frozen=True)
class Measured:
    """Numbers of one slice, whosever it is: s, and cm3 without supports."""

    model: str
    sha256: str
    seconds: float
    cc: float


def recipe_of(config: str) -> Recipe | None:
    """What a config comes to; None where it is gone, or its engine is not installed."""
    row = Config.objects.filter(pk__in=Config.keys_of(config), deleted=None).first()
    version = installed_engines()[row.engine].version() if row else None
    if row is None or version is None:
        return None
    try:
        values = settings_of(row)
    except SliceFailed:
        return None
    infill = values.get("fill_density") or values.get("infill_sparse_density") or "20"
    return Recipe(
        key=sha256(f"{row.engine} {version} {row.content_id}".encode()).hexdigest(),
        layer=_number(values.get("layer_height"), 0.2),
        infill=_number(infill, 20.0) / 100,
    )


def measured(config: str, *, most: int) -> list[Measured]:
    """The newest slices by configs like this one, one of each mesh; anybody's, numbers alone."""
    row = Config.objects.filter(pk__in=Config.keys_of(config)).first()
    version = installed_engines()[row.engine].version() if row else None
    if row is None or version is None:
        return []
    rows = Slice.objects.filter(
        config__engine=row.engine,
        config__content=row.content_id,
        engine_version=version,
        status=Slice.Status.PROCESSED,
    )
    found: dict[str, Measured] = {}
    columns = ("model_uri", "model_sha256", "estimates")
    for model, mesh, estimates in rows.order_by("-pk").values_list(*columns)[: 4 * most]:
        seconds = (estimates or {}).get("build_time_seconds")
        cc = (estimates or {}).get("build_volume_cc")
        if mesh and seconds and cc and len(found) < most:
            found.setdefault(mesh, Measured(model, mesh, seconds, cc))
    return list(found.values())


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


def find_or_make_slice(*, owner: Person, model: str, config: str) -> StoredSlice:
    """A slice of `owner`'s of this model with this config, which may not be done yet.

    A new one at need; raises what `POST /slice/` is refused with.
    """
    kept = Slice.objects.filter(owner=owner, model_uri=model, deleted=None, plate__isnull=True)
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
    outline = [(x, y) for x, y in bed["outline"]]
    whole = is_convex(outline) and not is_box(outline)
    left, front, right, back = bounds_of(outline) if whole else largest_box(outline)
    size = (right - left, back - front, bed["height"])
    corners = tuple((x - left, y - front) for x, y in outline) if whole else ()
    return PresetBed(found.name, size, corners)


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
    found = warehouse.get_models_unchecked(models)
    return {uri: model.sha256 for uri, model in found.items() if model.sha256}


def config_reach(*, config: str) -> float:
    """mm that what is printed around an object may go beyond it; 0 where that is not known."""
    row = Config.objects.filter(pk__in=Config.keys_of(config), engine=EngineName.SLIC3R).first()
    try:
        return plate.reach(settings_of(row)) if row else 0.0
    except SliceFailed:
        return 0.0


def get_slice_unchecked(uri: str) -> StoredSlice | None:
    """The slice that `uri` names, whoever asks: for work whose rights were checked before."""
    row = Slice.objects.filter(pk__in=Slice.keys_of(uri), deleted=None).first()
    return _stored(row) if row else None


def gcode_file(uri: str) -> GcodeFile | None:
    """The file of a slice or a gcode, whoever asks; None where it is not there, or no gcode."""
    for kind in (Slice, Gcode):
        rows = kind.objects.filter(pk__in=kind.keys_of(uri), deleted=None, status="processed")
        if (row := rows.select_related("content").first()) and row.content:
            return _file(row)
    return None


def _file(row: Any) -> GcodeFile:
    """The file of a processed slice or gcode, with its figures."""
    known = (row.figures or {}) | (getattr(row, "estimates", None) or {})
    return GcodeFile(
        sha256=row.content.sha256,
        size=row.content.size,
        seconds=known.get("build_time_seconds"),
        build_volume_cc=known.get("build_volume_cc"),
        support_volume_cc=known.get("support_volume_cc"),
        filament_mm=known.get("filament_mm"),
    )


def expect_gcode(*, uuid: UUID) -> int | None:
    """The bytes of the file that the gcode with this key has; None while it waits for one."""
    return gcodes.expect_gcode(uuid=uuid)


def store_gcode(*, uuid: UUID, sha256: str, size: int, place: Callable[[], None]) -> None:
    """Take a file that was uploaded for the gcode with this key; `place` puts it into storage."""
    gcodes.store_gcode(uuid=uuid, sha256=sha256, size=size, place=place)


def engine_states() -> list[InstalledEngine]:
    """Which engines are offered, and why the others are not."""
    return engine_room.engine_states()


def test_engines() -> None:
    """Have engines of other versions than the tested ones slice a cube; see `engine_states`."""
    engine_room.test_engines()


def slices_with(*, config: str) -> list[str]:
    """The URIs of all slices that were made with a config, whosever they are; deleted ones too."""
    found = Slice.objects.filter(config__in=Config.keys_of(config))
    return [Slice.uri_of(key) for key in found.values_list("pk", flat=True)]


def _number(text: str | None, otherwise: float) -> float:
    try:
        found = float(str(text).strip().rstrip("%"))
    except ValueError:
        return otherwise
    return found if found > 0 else otherwise


def _stored(row: Slice) -> StoredSlice:
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

"""The slicing service, as others see it."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from apps.slicing.domain.engine_room import installed_engines, settings_of
from apps.slicing.engines.base import SliceFailed
from apps.slicing.links import TRACING as TRACING  # what it tells of how things came to be
from apps.slicing.models import Config, Slice
from apps.slicing.services import gcodes, slices
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
    layers: int | None
    errors: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Preset:
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


def preset_of(config: str) -> Preset | None:
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
    return Preset(
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


def config_of_slice(uri: str) -> str | None:
    """The URI of the config that a slice is made with."""
    row = Slice.objects.filter(pk__in=Slice.keys_of(uri)).first()
    return Config.uri_of(row.config_id) if row else None


def find_or_make_slice(*, owner: Person, model: str, config: str) -> StoredSlice:
    """A slice of `owner`'s of this model with this config, which may not be done yet.

    A new one at need; raises what `POST /slice/` is refused with.
    """
    kept = Slice.objects.filter(owner=owner, model_uri=model, deleted=None)
    kept = kept.filter(config__in=Config.keys_of(config))
    row = kept.exclude(status=Slice.Status.ERROR).order_by("-uuid").first()
    return _stored(row or slices.create(actor=owner, model=model, config=config))


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
    )

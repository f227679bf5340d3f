"""The slicing service, as others see it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from apps.slicing.domain.engine_room import installed_engines
from apps.slicing.links import TRACING as TRACING  # what it tells of how things came to be
from apps.slicing.models import Config, Slice
from apps.slicing.services import gcodes, slices
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


def find_or_make_slice(*, owner: Any, model: str, config: str) -> StoredSlice:
    """A slice of `owner`'s of this model with this config, which may not be done yet.

    A new one at need; raises what `POST /slice/` is refused with.
    """
    kept = Slice.objects.filter(owner=owner, model_uri=model, deleted=None)
    kept = kept.filter(config__in=Config.keys_of(config))
    row = kept.exclude(status=Slice.Status.ERROR).order_by("-uuid").first()
    return _stored(row or slices.create_slice(owner=owner, model=model, config=config))


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
        layers=(row.figures or {}).get("layers"),
        errors=tuple(row.errors or ()),
    )

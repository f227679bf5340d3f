"""Light forms of meshes for viewers, made when they are first asked for."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import dramatiq
from django.db import transaction

from apps.warehouse.actors.abandonment import abandoned
from apps.warehouse.actors.jails import assessors
from apps.warehouse.actors.pictures import DEFAULT_VIEW, draw, plain_view
from apps.warehouse.models import Rendition
from core import blobs
from core.jail import JobError
from core.states import IllegalTransition
from geometry.preview import PREVIEW_VERSION
from geometry.rendering import RENDERER_VERSION

THUMBNAIL_VIEW = replace(DEFAULT_VIEW, width=256, height=192)
VERSIONS: dict[str, int] = {
    Rendition.Kind.PREVIEW: PREVIEW_VERSION,
    Rendition.Kind.THUMBNAIL: RENDERER_VERSION,
}


def rendition_key(canonical: str, kind: str) -> str:
    """What decides a rendition: the mesh, the kind, and the version of what makes it."""
    return sha256(f"{canonical} {kind} {VERSIONS[kind]}".encode()).hexdigest()


@dramatiq.actor(
    queue_name="extras", throws=IllegalTransition, on_retry_exhausted="abandon_rendition"
)
def write_preview(key: str) -> None:
    """Make a light mesh for viewers: processing -> processed, or -> error."""
    _make(key, _preview)


@dramatiq.actor(
    queue_name="renders", throws=IllegalTransition, on_retry_exhausted="abandon_rendition"
)
def draw_thumbnail(key: str) -> None:
    """Draw a small picture: processing -> processed, or -> error."""
    _make(key, _thumbnail)


@dramatiq.actor(queue_name="extras", throws=IllegalTransition)
def abandon_rendition(message: dict[str, Any], reason: dict[str, Any]) -> None:
    """Making it failed, again and again: processing -> error."""
    (key,) = message["args"]
    rendition = Rendition.objects.filter(pk=key).first()
    if rendition is not None:
        rendition.move(Rendition.Status.ERROR, errors=[abandoned(reason)])


def _make(key: str, make: Callable[[Rendition], tuple[str, int]]) -> None:
    rendition = Rendition.objects.filter(pk=key).first()
    if rendition is None or rendition.status != Rendition.Status.PROCESSING:
        return
    try:
        kept = make(rendition)
    except JobError as error:
        rendition.move(Rendition.Status.ERROR, errors=error.entries())
    else:
        with transaction.atomic():
            rendition.move(Rendition.Status.PROCESSED, content_id=blobs.record(*kept))


def _preview(rendition: Rendition) -> tuple[str, int]:
    with blobs.local(rendition.source_id) as path, blobs.scratch() as folder:
        out = folder / "preview.glb"
        assessors.run("apps.warehouse.jobs.meshes:write_preview_file", path=str(path), out=str(out))
        return blobs.keep(out)


def _thumbnail(rendition: Rendition) -> tuple[str, int]:
    return draw(rendition.source_id, plain_view(THUMBNAIL_VIEW), closed=rendition.closed)

"""Pictures: the default one of every model, and those that are asked for."""

import functools
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction

from apps.callbacks import interface as callbacks
from apps.warehouse.actors.jails import painter
from apps.warehouse.models import Model, Snapshot
from core import blobs
from core.work import noting, work
from geometry.rendering import RENDERER_VERSION, View

# The picture that every upload gets: drawn for each of them, so its cost counts.
DEFAULT_VIEW = View(width=800, height=600, samples=32)
QUICK_PICTURE = 20.0  # s; the cost up to which a picture is quick


def draw_default(model: Model) -> None:
    """Have the picture drawn that every model gets, unless it has one."""
    if not model.snapshots.filter(is_default=True).exists():
        snapshot = Snapshot.objects.create(
            model=model, is_default=True, view=plain_view(DEFAULT_VIEW)
        )
        render_snapshot.send(str(snapshot.pk))


def plain_view(view: View) -> dict[str, Any]:
    """A view as its row keeps it."""
    return json.loads(json.dumps(asdict(view)))


def queue_picture(snapshot: Snapshot) -> None:
    """Send a new snapshot to be drawn: a costly one waits in a queue of its own."""
    cost = View(**snapshot.view).cost(snapshot.model.findings["triangles"])
    if cost <= QUICK_PICTURE:
        render_snapshot.send(str(snapshot.pk))
        return
    snapshot.lane = Snapshot.Lane.WAITING
    snapshot.save(update_fields=["lane"])
    send_next(snapshot.owner_id)


def send_next(owner: UUID | None) -> None:
    """Queue a user's oldest waiting picture, unless one of theirs is in the queue.

    So everybody has at most one slow picture in the queue, and many of one user's hold up nobody
    else's.
    """
    # Two that come here at once would both see that none is in the queue.
    get_user_model().objects.select_for_update(no_key=True).get(pk=owner)  # type: ignore[misc]
    unfinished = Snapshot.objects.filter(owner=owner, status=Snapshot.Status.PROCESSING)
    if unfinished.filter(lane=Snapshot.Lane.SLOW).exists():
        return
    in_line = unfinished.filter(lane=Snapshot.Lane.WAITING).order_by("uuid")
    waiting = in_line.select_for_update(skip_locked=True).first()  # not one that is being deleted
    if waiting is not None:
        waiting.lane = Snapshot.Lane.SLOW
        waiting.save(update_fields=["lane"])
        render_slow_snapshot.send(str(waiting.pk))


def _fail(snapshot: Snapshot, errors: list[dict[str, Any]]) -> None:
    _finish(snapshot, Snapshot.Status.ERROR, errors=errors)


drawing = partial(
    work, of=Snapshot, begun_in=[Snapshot.Status.PROCESSING], related=("model",), fail=_fail
)


@drawing("renders")
def render_snapshot(snapshot: Snapshot) -> None:
    """Draw a model: processing -> processed, or -> error."""
    _draw(snapshot)


@drawing("renders_slow")
def render_slow_snapshot(snapshot: Snapshot) -> None:
    """Draw a model with many samples or triangles: processing -> processed, or -> error."""
    _draw(snapshot)


def _draw(snapshot: Snapshot) -> None:
    key = picture_key(str(snapshot.model.canonical_id), snapshot.view)
    equal = Snapshot.objects.filter(key=key, status=Snapshot.Status.PROCESSED).first()
    if equal is not None:
        same = {"content_id": equal.content_id, "camera": equal.camera}
        _finish(snapshot, Snapshot.Status.PROCESSED, key=key, **same)
        return
    kept, camera = draw(
        str(snapshot.model.canonical_id),
        snapshot.view,
        closed=snapshot.model.findings["manifold"],
        progress=noting(snapshot),
    )
    with transaction.atomic():
        made = {"content_id": blobs.record(*kept), "camera": camera}
        _finish(snapshot, Snapshot.Status.PROCESSED, key=key, **made)


def draw(
    canonical: str,
    view: dict[str, Any],
    *,
    closed: bool,
    progress: Callable[[float], None] | None = None,
) -> tuple[tuple[str, int], dict[str, Any]]:
    """Draw a canonical file; the picture, which is placed but not recorded yet, and its camera."""
    with blobs.local(canonical) as path, blobs.scratch() as folder:
        out = folder / "picture.png"
        camera = painter.run(
            "apps.warehouse.jobs.pictures:draw_file",
            path=path,
            out=out,
            folder=folder,
            view=view,
            closed=closed,
            progress=progress,
        )
        return blobs.keep(out), camera


def picture_key(canonical: str, view: dict[str, Any]) -> str:
    """What decides every byte of a picture."""
    words = json.dumps([canonical, view, RENDERER_VERSION, _driver()], sort_keys=True)
    return sha256(words.encode()).hexdigest()


@functools.cache
def _driver() -> str:
    """The graphics library of this worker's painter: another version draws other bytes."""
    return painter.run("apps.warehouse.jobs.pictures:driver")


@transaction.atomic
def _finish(snapshot: Snapshot, status: str, **fields: Any) -> None:
    snapshot.move(status, progress=1.0, **fields)
    if snapshot.is_default and snapshot.content_id:
        Model.objects.filter(pk=snapshot.model_id).update(picture=snapshot.content_id)
    if snapshot.lane == Snapshot.Lane.SLOW:
        send_next(snapshot.owner_id)
    callbacks.tell(snapshot)

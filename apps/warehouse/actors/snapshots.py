"""Job: render snapshots."""

import functools
import json
import logging
from collections.abc import Callable
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction

from apps.callbacks import interface as callbacks
from apps.warehouse.actors.sandboxes import painter
from apps.warehouse.models import Model, Snapshot
from apps.warehouse.models.model import ModelQuerySet
from core.errors import ErrorEntry
from core.files import blobs
from core.queue.row_jobs import enqueue, progress_reporter, row_job
from core.sandbox.sandbox import JobInputError
from geometry.formats.stl.writer import write_binary
from geometry.formats.thumbnails import Picture, write_png
from geometry.rendering.view import RENDERER_VERSION, View, shrink

# The picture that every upload gets: drawn for each of them, so its cost counts.
DEFAULT_VIEW = View(width=800, height=600, samples=48, transparent=True)
SMALL = (256, 192)  # pixels, of what a gallery shows of it
# A picture may take so many times what is expected of it, and at least so many seconds of the
# processor; then it is drawn simply.
MAX_RATIO, MIN_PROCESSOR_SECONDS = 10.0, 60.0

logger = logging.getLogger(__name__)


def draw_default(model: Model) -> None:
    """Have the picture drawn that every model gets, unless it has one."""
    if not model.snapshots.filter(is_default=True).exists():
        snapshot = Snapshot.objects.create(
            model=model, is_default=True, view=plain_view(DEFAULT_VIEW)
        )
        queue_picture(snapshot)


def plain_view(view: View) -> dict[str, object]:
    """A view as its row keeps it; `transparent` only where it is so, as in earlier versions."""
    values: dict[str, object] = json.loads(json.dumps(asdict(view)))
    if not view.transparent:
        del values["transparent"]
    return values


def queue_picture(snapshot: Snapshot) -> None:
    """Queue the rendering of a snapshot on the share of its creator, or of the model's owner."""
    model = snapshot.model
    owner = snapshot.owner_id or model.owner_id
    enqueue(render_snapshot, snapshot, owner=owner, cost=_cost(snapshot))


def _cost(snapshot: Snapshot) -> float:
    return View(**snapshot.view).cost(snapshot.model.findings["triangles"])


def _fail(snapshot: Snapshot, errors: list[ErrorEntry]) -> None:
    _finish(snapshot, Snapshot.Status.ERROR, errors=errors)


@row_job(
    "renders", of=Snapshot, begun_in=[Snapshot.Status.PROCESSING], related=("model",), fail=_fail
)
def render_snapshot(snapshot: Snapshot) -> None:
    """Draw a model: processing -> processed, or -> error."""
    view = View(**snapshot.view)
    key = picture_key(str(snapshot.model.canonical_id), view)
    equal = Snapshot.objects.filter(key=key, status=Snapshot.Status.PROCESSED).first()
    if equal is not None:
        same = {"content_id": equal.content_id, "camera": equal.camera}
        small = _smaller(snapshot, str(equal.content_id))
        _finish(snapshot, Snapshot.Status.PROCESSED, small=small, key=key, **same)
        return
    try:
        drawn = _draw(snapshot, view)
    except JobInputError as error:
        simple = replace(view, samples=0)
        if error.code != "time-limit" or simple == view:
            raise
        logger.warning("%s: rendering too slow, using the simple renderer", snapshot)
        drawn = _draw(snapshot, simple)
        key = picture_key(str(snapshot.model.canonical_id), simple)
    small = _smaller(snapshot, drawn.stored[0])
    with transaction.atomic():
        made = {"content_id": blobs.create_row(*drawn.stored), "camera": drawn.camera}
        _finish(snapshot, Snapshot.Status.PROCESSED, small=small, key=key, **made)


class Drawn(NamedTuple):
    """A picture: (sha256, size), stored but not recorded yet, and where it is taken from."""

    stored: tuple[str, int]
    camera: dict[str, list[float]]


def _draw(snapshot: Snapshot, view: View) -> Drawn:
    return draw(
        str(snapshot.model.canonical_id),
        view,
        closed=snapshot.model.findings["manifold"],
        progress=progress_reporter(snapshot),
        processor=max(MIN_PROCESSOR_SECONDS, MAX_RATIO * _cost(snapshot)),
    )


def _smaller(snapshot: Snapshot, picture: str) -> tuple[str, int] | None:
    """The small picture that a model gets with its default one, placed but not recorded yet."""
    if not snapshot.is_default:
        return None
    with blobs.local_copy(picture) as path, blobs.scratch_dir() as folder:
        return _shrunk(path, folder)


def _shrunk(picture: Path, folder: Path) -> tuple[str, int]:
    out = folder / "small.png"
    shrink(picture, out, SMALL)
    return blobs.store_file(out)


class KeptPicture(NamedTuple):
    """A picture and its thumbnail: (sha256, size), stored but not recorded yet."""

    whole: tuple[str, int]
    small: tuple[str, int]


def keep_picture(picture: Picture) -> KeptPicture:
    """Place a picture that was not drawn here, but read as plain pixels."""
    with blobs.scratch_dir() as folder:
        path = folder / "picture.png"
        write_png(picture, path)
        small = _shrunk(path, folder)
        return KeptPicture(blobs.store_file(path), small)


def show_picture(models: ModelQuerySet, kept: KeptPicture) -> None:
    """Show a picture of these models until another is drawn, in the caller's transaction."""
    if models.exists():
        whole, small = blobs.create_row(*kept.whole), blobs.create_row(*kept.small)
        models.update(picture=whole, small_picture=small)


def draw(
    canonical: str,
    view: View,
    *,
    closed: bool,
    progress: Callable[[float], None] | None = None,
    processor: float | None = None,
) -> Drawn:
    """Draw a canonical file."""
    with blobs.local_copy(canonical) as path, blobs.scratch_dir() as folder:
        out = folder / "picture.png"
        camera = painter.run(
            "apps.warehouse.jobs.rendering:draw_file",
            path=path,
            out=out,
            folder=folder,
            view=plain_view(view),
            closed=closed,
            progress=progress,
            processor=processor,
        )
        return Drawn(blobs.store_file(out), camera)


def draw_sample_part() -> int:
    """Draw the sample part as an upload's picture is drawn; return the size of the PNG in bytes.

    For checks of an installation. Raises JobInputError and JobInternalError, as a render job does.
    """
    # Only here: it loads the kernel of solids, and nothing else in this module needs it.
    from geometry.sample_part import bracket

    with blobs.scratch_dir() as source, blobs.scratch_dir() as folder:
        model, out = source / "model.stl", folder / "picture.png"
        write_binary(bracket(), model)
        painter.run(
            "apps.warehouse.jobs.rendering:draw_file",
            path=model,
            out=out,
            folder=folder,
            view=plain_view(DEFAULT_VIEW),
            closed=True,
        )
        return out.stat().st_size


def picture_key(canonical: str, view: View) -> str:
    """What decides every byte of a picture."""
    content = json.dumps([canonical, plain_view(view), RENDERER_VERSION, _driver()], sort_keys=True)
    return sha256(content.encode()).hexdigest()


@functools.cache
def _driver() -> str:
    """The graphics library of this worker's painter: another version draws other bytes."""
    return painter.run("apps.warehouse.jobs.rendering:driver")


@transaction.atomic
def _finish(
    snapshot: Snapshot, status: str, *, small: tuple[str, int] | None = None, **fields: Any
) -> None:
    snapshot.move(status, progress=1.0, **fields)
    if small:
        pictures = {"picture": snapshot.content_id, "small_picture": blobs.create_row(*small)}
        Model.objects.filter(pk=snapshot.model_id).update(**pictures)
    callbacks.emit_status(snapshot)

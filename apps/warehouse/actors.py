"""The warehouse's background work: verdicts and pictures."""

import json
import time
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import dramatiq
from django.conf import settings
from django.db import transaction

from apps.callbacks import interface as callbacks
from apps.warehouse.models import Model, Snapshot
from core import blobs
from core.broker import send_by_name
from core.errors import entry
from core.jail import Jail, JobError, Limits
from core.states import IllegalTransition
from geometry.analysis import ANALYSIS_VERSION
from geometry.rendering import RENDERER_VERSION, View

# The picture that every upload gets: drawn for each of them, so its cost counts.
DEFAULT_VIEW = View(width=800, height=600, samples=32)

analysts = Jail(
    "apps.warehouse.jobs",
    limits=Limits(seconds=settings.ANALYSIS_TIME, memory=settings.JOB_MEMORY),
    # numpy sorts several times slower with AVX-512 than with AVX2 where compress is microcode.
    environment={"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"},
    queue="meshes",
)
painter = Jail(
    "geometry.rendering_gl",
    "apps.warehouse.jobs",
    resident=True,
    limits=Limits(seconds=settings.RENDER_TIME, memory=settings.RENDER_MEMORY),
    queue="renders",
)


# ---------------------------------------------------------------- verdicts


@dramatiq.actor(queue_name="meshes", throws=IllegalTransition, on_retry_exhausted="abandon_model")
def analyse_model(uuid: str) -> None:
    """Judge an uploaded file: processing -> processed, or -> error."""
    model = Model.objects.filter(pk=uuid).first()
    if model is None or model.status != Model.Status.PROCESSING or model.content_id is None:
        return  # a second delivery of a message whose work is done

    known = _judged_before(model)
    if known is not None:
        _settle(
            model, Model.Status.PROCESSED, analyses=known.analyses, canonical_id=known.canonical_id
        )
        return
    try:
        with blobs.local(model.content_id) as path, blobs.scratch() as folder:
            canonical = folder / "canonical.stl"
            analyses = analysts.run(
                "apps.warehouse.jobs:analyse_file", path=str(path), canonical=str(canonical)
            )
            kept = blobs.keep(canonical)
    except JobError as error:
        _settle(model, Model.Status.ERROR, errors=error.entries())
    else:
        with transaction.atomic():
            _settle(
                model,
                Model.Status.PROCESSED,
                analyses=analyses,
                canonical_id=blobs.record(*kept),
            )


@dramatiq.actor(queue_name="meshes", throws=IllegalTransition)
def abandon_model(message: dict[str, Any], reason: dict[str, Any]) -> None:
    """The analysis itself failed, again and again: processing -> error."""
    (uuid,) = message["args"]
    _settle(Model.objects.get(pk=uuid), Model.Status.ERROR, errors=[abandoned(reason)])


@dramatiq.actor(queue_name="default", throws=IllegalTransition)
def expire_upload(uuid: str) -> None:
    """The upload location expired unused: processing -> error."""
    model = Model.objects.filter(pk=uuid, content=None).first()
    if model is None or model.status != Model.Status.PROCESSING:
        return
    title = "No file was uploaded before the upload location expired: create the model again."
    # A file that arrives at this very moment wins.
    _settle(
        model,
        Model.Status.ERROR,
        errors=[entry("upload-expired", title)],
        expect={"content": None},
    )


def abandoned(reason: dict[str, Any]) -> dict[str, Any]:
    """The error of a resource whose job was given up."""
    if reason.get("reason") == "worker-died":
        return entry(
            "worker-died",
            f"The work on this ended its worker process {reason['starts']} times and was given "
            "up: the input may be damaged.",
        )
    return entry(
        "internal-error",
        "The work on this failed several times on our side: try again later, or tell the operator.",
    )


def _judged_before(model: Model) -> Model | None:
    """A model with the same content whose analysis is of today's version."""
    return Model.objects.filter(
        content=model.content_id,
        status=Model.Status.PROCESSED,
        analyses__version=ANALYSIS_VERSION,
    ).first()


@transaction.atomic
def _settle(model: Model, status: str, *, expect: dict | None = None, **fields: Any) -> None:
    model.move(status, expect=expect, **fields)
    changes: dict[str, Any] = {"status": status}
    if status == Model.Status.PROCESSED:
        changes["analyses.manifold"] = model.findings["manifold"]
        snapshot = Snapshot.objects.create(
            model=model, is_default=True, **describe_picture(model, DEFAULT_VIEW)
        )
        render_snapshot.send(str(snapshot.pk))
    callbacks.emit(uri=model.uri, owner_id=model.owner_id, changes=changes)
    for actor in settings.AFTER.get("model.settled", ()):
        send_by_name(actor, model.uri)


# ---------------------------------------------------------------- pictures


def describe_picture(model: Model, view: View) -> dict[str, Any]:
    """The fields of a snapshot of `model` that say what is drawn."""
    values = json.loads(json.dumps(asdict(view)))
    words = json.dumps([model.canonical_id, values, RENDERER_VERSION], sort_keys=True)
    return {"view": values, "key": sha256(words.encode()).hexdigest()}


def queue_picture(snapshot: Snapshot) -> None:
    """Send the snapshot to be drawn: a costly one waits in a queue of its own."""
    cost = View(**snapshot.view).cost(snapshot.model.findings["triangles"])
    quick = cost <= settings.QUICK_PICTURE
    (render_snapshot if quick else render_slow_snapshot).send(str(snapshot.pk))


@dramatiq.actor(
    queue_name="renders", throws=IllegalTransition, on_retry_exhausted="abandon_snapshot"
)
def render_snapshot(uuid: str) -> None:
    """Draw a model: processing -> processed, or -> error."""
    _draw(uuid)


@dramatiq.actor(
    queue_name="renders_slow", throws=IllegalTransition, on_retry_exhausted="abandon_snapshot"
)
def render_slow_snapshot(uuid: str) -> None:
    """Draw a model with many samples or triangles: processing -> processed, or -> error."""
    _draw(uuid)


def _draw(uuid: str) -> None:
    snapshot = Snapshot.objects.select_related("model").filter(pk=uuid).first()
    if snapshot is None or snapshot.status != Snapshot.Status.PROCESSING:
        return

    equal = Snapshot.objects.filter(key=snapshot.key, status=Snapshot.Status.PROCESSED).first()
    if equal is not None:
        _finish_picture(snapshot, Snapshot.Status.PROCESSED, content_id=equal.content_id)
        return
    try:
        with blobs.local(str(snapshot.model.canonical_id)) as path, blobs.scratch() as folder:
            out = folder / "picture.png"
            painter.run(
                "apps.warehouse.jobs:draw_file",
                path=str(path),
                out=str(out),
                view=snapshot.view,
                closed=snapshot.model.findings["manifold"],
                progress=_noting(snapshot),
            )
            kept = blobs.keep(out)
    except JobError as error:
        _finish_picture(snapshot, Snapshot.Status.ERROR, errors=error.entries())
    else:
        with transaction.atomic():
            _finish_picture(snapshot, Snapshot.Status.PROCESSED, content_id=blobs.record(*kept))


def _noting(snapshot: Snapshot):
    """A progress function that writes at most once a second."""
    last = time.monotonic()

    def note(done: float) -> None:
        nonlocal last
        if time.monotonic() - last > 1:
            last = time.monotonic()
            Snapshot.objects.filter(pk=snapshot.pk).update(progress=round(done, 3))

    return note


@dramatiq.actor(queue_name="renders", throws=IllegalTransition)
def abandon_snapshot(message: dict[str, Any], reason: dict[str, Any]) -> None:
    """Drawing itself failed, again and again: processing -> error."""
    (uuid,) = message["args"]
    snapshot = Snapshot.objects.select_related("model").get(pk=uuid)
    _finish_picture(snapshot, Snapshot.Status.ERROR, errors=[abandoned(reason)])


@transaction.atomic
def _finish_picture(snapshot: Snapshot, status: str, **fields: Any) -> None:
    snapshot.move(status, progress=1.0, **fields)
    if snapshot.is_default and snapshot.content_id:
        Model.objects.filter(pk=snapshot.model_id).update(picture=snapshot.content_id)
    callbacks.emit(uri=snapshot.uri, owner_id=snapshot.model.owner_id, changes={"status": status})

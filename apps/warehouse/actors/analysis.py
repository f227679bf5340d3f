"""Jobs: analyse uploaded models, expire uploads."""

import logging
from typing import Any

import dramatiq
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.warehouse.actors.printability import assess_later
from apps.warehouse.actors.sandboxes import analysts, assessors
from apps.warehouse.actors.snapshots import draw_default
from apps.warehouse.models import Model
from core.errors import ErrorEntry, error_entry
from core.files import blobs
from core.queue.broker import enqueue_by_name
from core.queue.row_jobs import enqueue, row_job
from core.sandbox.sandbox import JobInputError, Sandbox
from geometry.analysis import ANALYSIS_VERSION

logger = logging.getLogger(__name__)

BYTES_A_SECOND = 10e6  # of an STL as text, which takes longest


def fail(model: Model, errors: list[ErrorEntry]) -> None:
    """processing -> error."""
    settle(model, Model.Status.ERROR, errors=errors)


def cost_of_verdict(model: Model) -> float:
    """Return the estimated seconds of the analysis of a model's file, from its size."""
    return 0.2 + (model.file_size or 0) / BYTES_A_SECOND


@row_job(
    "meshes",
    of=Model,
    begun_in=[Model.Status.PROCESSING],
    where={"content__isnull": False},
    fail=fail,
)
def analyse_model(model: Model) -> None:
    """Judge an uploaded file: processing -> processed, or -> error."""
    known = _judged_before(model)
    if known is not None:
        settle(
            model,
            Model.Status.PROCESSED,
            analyses=known.analyses,
            canonical_id=known.canonical_id,
            printability=known.printability,
        )
        return
    analyses, kept = _judge(str(model.content_id), analysts)
    with transaction.atomic():
        canonical = blobs.create_row(*kept)
        settle(model, Model.Status.PROCESSED, analyses=analyses, canonical_id=canonical)


@dramatiq.actor(queue_name="extras")
def analyse_again(content: str) -> None:
    """Repeat the analysis of a file, made by an older version, for all its models.

    Their status does not change, and no event is emitted.
    """
    models = Model.objects.outdated(ANALYSIS_VERSION).filter(content=content)
    if not models.exists():
        return
    try:
        analyses, kept = _judge(content, assessors)
    except JobInputError as error:
        logger.warning("%s: re-analysis failed, keeping the previous result: %s", content, error)
        return
    with transaction.atomic():
        canonical = blobs.create_row(*kept)
        models.exclude(canonical=canonical).update(printability=None)
        models.update(analyses=analyses, canonical=canonical)
        assess_later(canonical)


@row_job("default", of=Model, begun_in=[Model.Status.PROCESSING], where={"content": None})
def expire_upload(model: Model) -> None:
    """The upload location expired unused: processing -> error."""
    title = "No file was uploaded before the upload location expired: create the model again."
    # A file that arrives at this very moment wins.
    settle(
        model,
        Model.Status.ERROR,
        errors=[error_entry("upload-expired", title)],
        expect={"content": None},
    )


@dramatiq.actor(queue_name="default")
def expire_uploads() -> None:
    """Set models whose upload URL has expired unused to error; runs hourly."""
    expired = timezone.now() - settings.UPLOAD_EXPIRY
    waiting = Model.objects.filter(status=Model.Status.PROCESSING, content=None, deleted=None)
    for model in waiting.filter(created__lt=expired):
        enqueue(expire_upload, model)


@transaction.atomic
def settle(model: Model, status: str, *, expect: dict | None = None, **fields: Any) -> None:
    """Complete a model's processing, emit the event, and queue the work that follows."""
    model.move(status, expect=expect, **fields)
    if status == Model.Status.PROCESSED:
        draw_default(model)
        assess_later(str(model.canonical_id))
    callbacks.emit_status(model)
    tell_settled(model)


def tell_settled(model: Model) -> None:
    """Queue the work that waits for the analysis or the deletion of a model."""
    for actor in settings.EVENT_HOOKS.get("model.settled", ()):
        enqueue_by_name(actor, model.uri)


def _judged_before(model: Model) -> Model | None:
    """Return a model with the same content and an analysis by the current version."""
    return Model.objects.filter(
        content=model.content_id,
        status=Model.Status.PROCESSED,
        analyses__version=ANALYSIS_VERSION,
    ).first()


def _judge(content: str, sandbox: Sandbox) -> tuple[dict[str, object], tuple[str, int]]:
    """The analysis of a file, and its canonical form, which is placed but not recorded yet."""
    with blobs.local_copy(content) as path, blobs.scratch_dir() as folder:
        canonical = folder / "canonical.stl"
        analyses = sandbox.run(
            "apps.warehouse.jobs.meshes:analyse_file", path=path, canonical=canonical, folder=folder
        )
        return analyses, blobs.store_file(canonical)

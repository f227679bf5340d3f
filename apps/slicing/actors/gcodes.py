"""Reads uploaded gcode in the background."""

from typing import Any

import dramatiq
from django.conf import settings
from django.db import transaction

from apps.slicing.models import Gcode
from core import blobs
from core.errors import entry
from core.jail import Jail, JobError, Limits
from core.states import IllegalTransition

readers = Jail(
    "apps.slicing.jobs",
    limits=Limits(seconds=settings.ANALYSIS_TIME, memory=settings.JOB_MEMORY),
)


# Beside the models' analysis: both judge what was uploaded.
@dramatiq.actor(queue_name="meshes", throws=IllegalTransition, on_retry_exhausted="abandon_gcode")
def analyse_gcode(uuid: str) -> None:
    """Judge an uploaded file: processing -> processed, or -> error."""
    row = Gcode.objects.filter(pk=uuid, deleted=None).first()
    if row is None or row.status != Gcode.Status.PROCESSING or row.content_id is None:
        return  # a second delivery of a message whose work is done

    try:
        with blobs.local(row.content_id) as path, blobs.scratch() as folder:
            layers = folder / "layers"
            figures = readers.run(
                "apps.slicing.jobs:read_gcode", path=path, layers=layers, folder=folder
            )
            kept = blobs.keep(layers)
    except JobError as error:
        row.move(Gcode.Status.ERROR, errors=error.entries())
    else:
        with transaction.atomic():
            row.move(Gcode.Status.PROCESSED, figures=figures, layers_id=blobs.record(*kept))


@dramatiq.actor(queue_name="meshes", throws=IllegalTransition)
def abandon_gcode(message: dict[str, Any], reason: dict[str, Any]) -> None:
    """The reading itself failed, again and again: processing -> error."""
    (uuid,) = message["args"]
    times = reason.get("starts") or reason.get("retries")
    title = (
        f"Reading this file was begun {times} times and failed on our side each time: upload it "
        "once more later, or tell the operator."
    )
    errors = [entry(reason.get("reason", "internal-error"), title)]
    Gcode.objects.get(pk=uuid).move(Gcode.Status.ERROR, errors=errors)


@dramatiq.actor(queue_name="default", throws=IllegalTransition)
def expire_gcode_upload(uuid: str) -> None:
    """The upload location expired unused: not-uploaded -> error."""
    row = Gcode.objects.filter(pk=uuid, status=Gcode.Status.NOT_UPLOADED).first()
    if row is None:
        return
    title = "No file was uploaded before the upload location expired: create the gcode again."
    # A file that arrives at this very moment wins.
    expired = [entry("upload-expired", title)]
    row.move(Gcode.Status.ERROR, expect={"content": None}, errors=expired)

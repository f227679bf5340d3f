"""Job: analyse uploaded G-code."""

import dramatiq
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.slicing.models import Gcode
from core.errors import error_entry
from core.files import blobs
from core.queue.row_jobs import enqueue, row_job
from core.sandbox.sandbox import ResourceLimits, Sandbox

readers = Sandbox(
    "apps.slicing.jobs",
    "gcode.word_kernels",
    "gcode.container_kernels",
    limits=ResourceLimits(seconds=settings.ANALYSIS_TIME, memory=settings.JOB_MEMORY),
)


def cost_of_reading(row: Gcode) -> float:
    """Seconds that reading a gcode takes."""
    return 0.2 + (row.file_size or 0) / 5e6


# Beside the models' analysis: both judge what was uploaded.
@row_job("meshes", of=Gcode, begun_in=[Gcode.Status.PROCESSING], where={"deleted": None})
def analyse_gcode(row: Gcode) -> None:
    """Judge an uploaded file: processing -> processed, or -> error."""
    with blobs.local_copy(str(row.content_id)) as path, blobs.scratch_dir() as folder:
        layers, text = folder / "layers", folder / "text"
        read = readers.run(
            "apps.slicing.jobs:read_gcode", path=path, text=text, layers=layers, folder=folder
        )
        index = blobs.store_file(layers)
        unpacked = blobs.store_file(text) if read["container"] else None
    with transaction.atomic():
        row.move(
            Gcode.Status.PROCESSED,
            figures=read["figures"],
            container=read["container"],
            layers_id=blobs.create_row(*index),
            text_id=blobs.create_row(*unpacked) if unpacked else None,
        )


@row_job("default", of=Gcode, begun_in=[Gcode.Status.NOT_UPLOADED])
def expire_gcode_upload(row: Gcode) -> None:
    """The upload location expired unused: not-uploaded -> error."""
    title = "No file was uploaded before the upload location expired: create the gcode again."
    # A file that arrives at this very moment wins.
    expired = [error_entry("upload-expired", title)]
    row.move(Gcode.Status.ERROR, expect={"content": None}, errors=expired)


@dramatiq.actor(queue_name="default")
def expire_gcode_uploads() -> None:
    """Set gcodes whose upload URL has expired unused to error; runs hourly."""
    expired = timezone.now() - settings.UPLOAD_EXPIRY
    waiting = Gcode.objects.filter(status=Gcode.Status.NOT_UPLOADED, deleted=None)
    for row in waiting.filter(created__lt=expired):
        enqueue(expire_gcode_upload, row)

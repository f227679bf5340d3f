"""Job: analyse uploaded G-code."""

import dramatiq
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.slicing.jobs import ReadGcode
from apps.slicing.models import Gcode
from core.errors import ErrorEntry, QuotaExceeded, error_entry
from core.files import blobs
from core.queue import quotas
from core.queue.broker import enqueue_by_name
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


@transaction.atomic
def _fail(row: Gcode, errors: list[ErrorEntry]) -> None:
    row.move(Gcode.Status.ERROR, errors=errors)
    tell_gcode_settled(row)


def tell_gcode_settled(row: Gcode) -> None:
    """Queue the work that waits for the analysis of a gcode."""
    for actor in settings.EVENT_HOOKS.get("gcode.settled", ()):
        enqueue_by_name(actor, row.uri)


# Beside the models' analysis: both judge what was uploaded.
@row_job(
    "meshes",
    of=Gcode,
    begun_in=[Gcode.Status.PROCESSING],
    where={"deleted": None},
    fail=_fail,
    related=("owner",),
)
def analyse_gcode(row: Gcode) -> None:
    """Judge an uploaded file: processing -> processed, or -> error."""
    with blobs.local_copy(str(row.content_id)) as path, blobs.scratch_dir() as folder:
        layers, text = folder / "layers", folder / "text"
        read: ReadGcode = readers.run(
            "apps.slicing.jobs:read_gcode",
            path=path,
            text=text,
            layers=layers,
            plate=row.plate,
            folder=folder,
        )
        index = blobs.store_file(layers)
        unpacked = blobs.store_file(text) if read["container"] else None
    try:
        _keep(row, read, index, unpacked)
    except QuotaExceeded as error:  # of the further plates
        _fail(row, error.entries())


Stored = tuple[str, int]  # SHA-256 and bytes


@transaction.atomic
def _keep(row: Gcode, read: ReadGcode, index: Stored, unpacked: Stored | None) -> None:
    others = [number for number in read["plates"][1:] if row.plate is None]
    row.move(
        Gcode.Status.PROCESSED,
        figures=read["figures"],
        metadata=read["metadata"],
        plate=read["plates"][0] if others else row.plate,
        container=read["container"],
        layers_id=blobs.create_row(*index),
        text_id=blobs.create_row(*unpacked) if unpacked else None,
    )
    _add_plates(row, others)
    tell_gcode_settled(row)


def _add_plates(row: Gcode, numbers: list[int]) -> None:
    """Create G-code of the further plates of a file, and queue its analysis."""
    if not numbers:
        return
    size = row.file_size or 0
    quotas.require_quota(
        "bytes", row.owner, more=size * len(numbers), what="bytes", free_by="deleting G-code"
    )
    for number in numbers:
        added = Gcode.objects.create(
            owner=row.owner,
            name=row.name,
            status=Gcode.Status.PROCESSING,
            content_id=row.content_id,
            file_size=row.file_size,
            plate=number,
            first_plate=row,
        )
        enqueue(analyse_gcode, added, cost=cost_of_reading(added))


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

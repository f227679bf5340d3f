"""Service layer: create, upload, share and delete G-code."""

from collections.abc import Callable
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from apps.slicing.actors import analyse_gcode, cost_of_reading, expire_gcode_upload
from apps.slicing.models import Gcode
from apps.slicing.services.layers import stop_paths
from core.auth_user import Person
from core.errors import Conflict, ContentExists
from core.files import blobs
from core.queue import quotas
from core.queue.row_jobs import cancel_jobs, enqueue


class UploadExpired(Conflict):
    """The file comes too late."""

    code = "upload-expired"


FREE_BY = "deleting models, gcode or slices"


def create(*, actor: Person, name: str = "") -> Gcode:
    """A gcode that waits for its file."""
    return Gcode.objects.create(owner=actor, name=name)


def expect_gcode(*, uuid: UUID) -> int | None:
    """The bytes of the file that a gcode has, None while it waits for one; else why it cannot."""
    row = Gcode.objects.select_related("owner").for_upload(uuid)
    if row.content_id is None:
        _require_waiting(row)
        quotas.require_quota("bytes", row.owner, more=1, what="bytes", free_by=FREE_BY)
        quotas.require_queue_quota("meshes", row.owner)
    return row.file_size


@transaction.atomic
def store_gcode(*, uuid: UUID, sha256: str, size: int, place: Callable[[], None]) -> None:
    """Accept the uploaded file of a gcode and queue its analysis.

    The same bytes may be sent again, so that a client may retry after a broken connection. A file
    is stored only once it is accepted, so that rejected ones leave nothing.
    """
    row = Gcode.objects.select_for_update(of=("self",)).for_upload(uuid)
    if row.content_id == sha256:
        return
    if row.content_id is not None:
        raise ContentExists("This gcode has its file already: create another for another file.")
    _require_waiting(row)
    quotas.require_quota("bytes", row.owner, more=size, what="bytes", free_by=FREE_BY)
    content_id = blobs.create_row(sha256, size, place=place)
    row.move(Gcode.Status.PROCESSING, content_id=content_id, file_size=size)
    enqueue(analyse_gcode, row, cost=cost_of_reading(row))


def _require_waiting(row: Gcode) -> None:
    if row.status != Gcode.Status.NOT_UPLOADED:
        raise UploadExpired("This gcode takes no file any more: create a new one.")


def change(*, actor: Person, row: Gcode, name: str | None = None) -> None:
    """Rename a gcode: for its owner, and holders of the right `write` on it."""
    row.require(actor, "write")
    if name is not None:
        row.name = name
        row.save(update_fields=["name", "updated"])


@transaction.atomic
def delete(*, actor: Person, row: Gcode) -> None:
    """Take a gcode out of sight: for its owner, and holders of the right `delete` on it."""
    row.delete_by(actor)
    stop_paths(row)
    cancel_jobs(analyse_gcode, expire_gcode_upload, on=[row])


@transaction.atomic
def reanalyse(*, gcodes: QuerySet[Gcode]) -> int:
    """Send to analysis what has a file and no good verdict; how many there were."""
    unsettled = gcodes.filter(
        status__in=(Gcode.Status.PROCESSING, Gcode.Status.ERROR),
        content__isnull=False,
        deleted=None,
    )
    chosen = list(unsettled.select_for_update(of=("self",)))
    for row in chosen:
        if row.status == Gcode.Status.ERROR:
            row.move(Gcode.Status.PROCESSING, errors=None)
        enqueue(analyse_gcode, row, cost=cost_of_reading(row))
    return len(chosen)

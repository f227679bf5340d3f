"""Accepts uploaded model files."""

from collections.abc import Callable
from uuid import UUID

from django.db import transaction

from apps.warehouse.actors.analysis import analyse_model, cost_of_verdict
from apps.warehouse.models import Model
from apps.warehouse.services import models
from apps.warehouse.services.conversions import convert_upload
from apps.warehouse.services.models import ModelNotReady
from core.auth_user import Person
from core.errors import ContentExists
from core.files import blobs
from core.queue import quotas
from core.queue.row_jobs import enqueue
from core.text.normalization import composed

FREE_BY = "deleting models, gcode or slices"


def create_model(*, owner: Person, name: str, type: str) -> UUID:
    """Create a model that waits for its file, see `store_content`, and return its key."""
    return models.create(actor=owner, name=composed(name), type=type).pk


def expect_content(*, uuid: UUID) -> int | None:
    """The bytes of the file that a model has, None while it waits for one; else why it cannot."""
    model = Model.objects.select_related("owner").for_upload(uuid)
    if model.content_id is None:
        _require_waiting(model)
        quotas.require_quota("bytes", model.owner, more=1, what="bytes", free_by=FREE_BY)
        quotas.require_queue_quota("meshes", model.owner)
    return model.file_size


@transaction.atomic
def store_content(*, uuid: UUID, sha256: str, size: int, place: Callable[[], None]) -> None:
    """Accept the uploaded file of a model and queue its analysis or conversion.

    The same bytes may be sent again, so that a client may retry after a broken connection. A file
    is stored only once it is accepted, so that rejected ones leave nothing.
    """
    rows = Model.objects.select_for_update(of=("self",)).select_related("owner")
    model = rows.for_upload(uuid)
    if model.content_id == sha256:
        return
    if model.content_id is not None:
        raise ContentExists("This model has its file already: create a new model for another file.")
    _require_waiting(model)
    quotas.require_quota("bytes", model.owner, more=size, what="bytes", free_by=FREE_BY)
    model.content_id = blobs.create_row(sha256, size, place=place)
    model.file_size = size
    model.save(update_fields=["content", "file_size", "updated"])
    if model.status == Model.Status.PROCESSING:
        enqueue(analyse_model, model, cost=cost_of_verdict(model))
    else:
        convert_upload(model)


def _require_waiting(model: Model) -> None:
    if model.transformations is not None:
        raise ContentExists("This model's file is made from its parent's: upload to a new model.")
    if model.status not in (Model.Status.PROCESSING, Model.Status.INOPERABLE):
        raise ModelNotReady("This model takes no file any more: create a new one.")

"""What a client may do with models and snapshots."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.users import interface as users
from apps.warehouse.actors import (
    analyse_model,
    describe_picture,
    expire_upload,
    queue_picture,
)
from apps.warehouse.models import Model, Snapshot
from core import blobs
from core.errors import Conflict, NotFound
from core.rights import require_right
from geometry.rendering import View


class ContentExists(Conflict):
    """The model has its file already, and it is another one."""

    code = "content-exists"


class ModelNotReady(Conflict):
    """The model's file is not there yet, or cannot be worked on."""

    code = "model-not-ready"


@transaction.atomic
def create_model(
    *,
    owner,
    name: str,
    type: str = Model.Type.STL,
    unit: str = "",
    allowed_transformations: dict[str, bool] | None = None,
    callback: dict[str, str] | None = None,
) -> Model:
    """A model that waits for its file; of another type than STL, one that is only kept."""
    operable = type == Model.Type.STL
    allowed = allowed_transformations or {}
    model = Model.objects.create(
        owner=owner,
        name=name,
        type=type,
        unit=unit,
        status=Model.Status.PROCESSING if operable else Model.Status.INOPERABLE,
        may_resize=allowed.get("resize", False),
        may_rotate=allowed.get("rotation", False),
    )
    if callback:
        callbacks.subscribe(uri=model.uri, owner_id=owner.pk, **callback)
    if operable:
        wait = int(settings.UPLOAD_EXPIRY.total_seconds() * 1000)
        expire_upload.send_with_options(args=(str(model.pk),), delay=wait)
    return model


@transaction.atomic
def store_content(*, uuid: UUID, sha256: str, size: int, place: Callable[[], None]) -> None:
    """Take the file that was uploaded for a model, and have it judged.

    The same bytes again are fine, so that a client whose connection broke may repeat. A file is
    placed only once it is sure to be taken, so that refused ones leave nothing.
    """
    model = Model.objects.select_for_update().filter(pk=uuid, deleted=None).first()
    if model is None:
        raise NotFound("The model that this location was made for is no longer there.")
    if model.content_id == sha256:
        return
    if model.content_id is not None:
        raise ContentExists("This model has its file already: create a new model for another file.")
    if model.status not in (Model.Status.PROCESSING, Model.Status.INOPERABLE):
        raise ModelNotReady("This model takes no file any more: create a new one.")
    place()
    model.content_id = blobs.record(sha256, size)
    model.file_size = size
    model.save(update_fields=["content", "file_size", "updated"])
    if model.status == Model.Status.PROCESSING:
        analyse_model.send(str(model.pk))


@transaction.atomic
def update_model(
    *, user, model_uuid: UUID, allowed_transformations: dict | None = None, **fields: Any
) -> None:
    """Change a model: for its owner, and holders of the right `write` on it."""
    model = _allowed(user, "write", model_uuid)
    for name, value in fields.items():
        setattr(model, name, value)
    if allowed_transformations is not None:
        model.may_resize = allowed_transformations.get("resize", model.may_resize)
        model.may_rotate = allowed_transformations.get("rotation", model.may_rotate)
    model.save(update_fields=[*fields, "may_resize", "may_rotate", "updated"])


@transaction.atomic
def delete_model(*, user, model_uuid: UUID) -> None:
    """Take a model away from everybody's sight; operators can bring it back, to its owner alone.

    For its owner, and holders of the right `delete` on it.
    """
    model = _allowed(user, "delete", model_uuid)
    model.put_away()
    callbacks.forget(uri=model.uri)
    users.revoke_all_on(actor=user, object=model.uri)


@transaction.atomic
def restore_models(*, models: QuerySet[Model]) -> int:
    """Bring deleted models back; how many there were."""
    return models.exclude(deleted=None).update(deleted=None, updated=timezone.now())


@transaction.atomic
def judge_again(*, models: QuerySet[Model]) -> int:
    """Send models to analysis that have a file and no verdict; how many there were."""
    stuck = models.filter(status=Model.Status.PROCESSING).exclude(content=None)
    for uuid in stuck.values_list("pk", flat=True):
        analyse_model.send(str(uuid))
    return len(stuck)


def _allowed(user, right: str, uuid: UUID) -> Model:
    """A model that `user` owns or has the right on, locked."""
    model = Model.objects.select_for_update().visible_to(user).filter(pk=uuid).first()
    if model is None:
        raise NotFound("There is no such model, or not for you.")
    if model.owner_id != user.pk:
        require_right(user, right, namespace="models", on=model.uri)
    return model


@transaction.atomic
def create_snapshot(
    *, user, model_uuid: UUID, view: View, callback: dict[str, str] | None = None
) -> Snapshot:
    """A picture of a model that has been judged."""
    model = Model.objects.visible_to(user).filter(pk=model_uuid).first()
    if model is None:
        raise NotFound("There is no such model, or not for you.")
    if model.status != Model.Status.PROCESSED:
        raise ModelNotReady(
            f"A picture needs a model that is processed; this one is {model.status}."
        )
    snapshot = Snapshot.objects.create(model=model, **describe_picture(model, view))
    if callback:
        callbacks.subscribe(uri=snapshot.uri, owner_id=user.pk, **callback)
    queue_picture(snapshot)
    return snapshot

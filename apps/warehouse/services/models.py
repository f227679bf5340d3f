"""Service layer: create, update, share, delete and restore models."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.module_loading import import_string

from apps.callbacks import interface as callbacks
from apps.warehouse.actors.analysis import (
    analyse_model,
    cost_of_verdict,
    expire_upload,
    tell_settled,
)
from apps.warehouse.actors.printability import assess_printability
from apps.warehouse.actors.renditions import draw_thumbnail, write_preview
from apps.warehouse.actors.snapshots import queue_picture, render_snapshot
from apps.warehouse.actors.transformations import send_to_shaping, transform_model
from apps.warehouse.domain.stored_models import owner_of
from apps.warehouse.models import Model, ModelQuerySet, Rendition, Snapshot
from apps.warehouse.queries import ModelRow
from apps.warehouse.services import conversions
from core.auth_user import Person
from core.errors import Conflict, NotFound, RateLimited, error_entry
from core.files.pending_uploads import PartialUpload
from core.queue import quotas
from core.queue.row_jobs import cancel_jobs, enqueue
from core.text.normalization import composed

MAX_NAMED = 10  # line items and orders, in a refusal
GONE = "The model was deleted before it was drawn."


class ModelNotReady(Conflict):
    """The model's file is not there yet, or cannot be worked on."""

    code = "model-not-ready"


class ModelInUse(Conflict):
    """Pieces of the model are ordered and still to be printed."""

    code = "model-in-use"


def create(
    *,
    actor: Person,
    name: str,
    type: str = Model.Type.STL,
    unit: str = "",
    allowed_transformations: dict[str, bool] | None = None,
    callback: dict[str, str] | None = None,
) -> Model:
    """Create a model that waits for its file; types other than STL are stored without analysis."""
    require_another_today(actor)
    operable = type == Model.Type.STL
    allowed = allowed_transformations or {}
    model = Model(
        owner=actor,
        name=name,
        type=type,
        unit=unit,
        status=Model.Status.PROCESSING if operable else Model.Status.INOPERABLE,
        may_resize=allowed.get("resize", False),
        may_rotate=allowed.get("rotation", False),
    )
    if not callback:
        model.save(force_insert=True)  # one statement is a transaction
    else:
        with transaction.atomic():
            model.save(force_insert=True)
            callbacks.subscribe(uri=model.uri, owner_id=actor.pk, **callback)
    return model


def require_another_today(owner: Person) -> None:
    """Raise RateLimited where the account may make no more models for now."""
    allowed = quotas.quota("models_day", owner)
    if allowed is not None and (made := made_today(owner.pk)) >= allowed:
        raise RateLimited(
            f"You made {made:,} models in 24 hours, and may make {allowed:,}: go on tomorrow.",
            limit="models_day",
            most=allowed,
            used=made,
            wait=quotas.MAX_WAIT_SECONDS,
        )


def made_today(owner: UUID) -> int:
    """How many models a user has made in 24 hours."""
    since = timezone.now() - timedelta(hours=24)
    return Model.objects.filter(owner=owner, created__gte=since).count()


@transaction.atomic
def add_model(
    *,
    owner: Person,
    name: str,
    type: str,
    sha256: str,
    size: int,
    parents: list[UUID],
    source: Mapping[str, object] | None = None,
) -> Model:
    """Create a model made from others, whose file is stored already."""
    made_from = list(Model.objects.filter(pk__in=parents))
    operable = type == Model.Type.STL
    model = Model.objects.create(
        owner=owner,
        name=composed(name),
        type=type,
        status=Model.Status.PROCESSING if operable else Model.Status.INOPERABLE,
        content_id=sha256,
        source=source,
        file_size=size,
        may_resize=all(parent.may_resize for parent in made_from),
        may_rotate=all(parent.may_rotate for parent in made_from),
    )
    model.parents.set(made_from)
    if operable:
        enqueue(analyse_model, model, cost=cost_of_verdict(model))
    return model


@transaction.atomic
def change(
    *,
    actor: Person,
    row: ModelRow | Model,
    allowed_transformations: dict | None = None,
    convert: bool = False,
    **fields: Any,
) -> None:
    """Change a model: for its owner, and holders of the right `write` on it.

    convert : begin the conversion of its file; for its owner
    """
    model = _allowed(actor, "write", row.uuid)
    if convert:
        conversions.convert(model, actor=actor)
    for name, value in fields.items():
        setattr(model, name, value)
    if allowed_transformations is not None:
        model.may_resize = allowed_transformations.get("resize", model.may_resize)
        model.may_rotate = allowed_transformations.get("rotation", model.may_rotate)
    model.save(update_fields=[*fields, "may_resize", "may_rotate", "updated"])


@transaction.atomic
def delete(*, actor: Person, row: ModelRow | Model) -> None:
    """Delete a model for all users; operators can restore it, for its owner only.

    Needs ownership or the right `delete` on it. Raises ModelInUse.
    """
    model = _allowed(actor, "delete", row.uuid)
    if users := _in_use([model]).get(model.uri):
        items, orders = users["line_items"][:MAX_NAMED], users["orders"][:MAX_NAMED]
        title = (
            f"Confirmed orders still need this model: {', '.join(orders or items)}. Cancel them, "
            "or delete the model once they are complete."
        )
        raise ModelInUse(title, details={"line_items": items, "orders": orders})
    _delete(model, actor=actor)


@transaction.atomic
def discard(*, row: Model) -> None:
    """Delete a model that turned out to be of no use, in its owner's name."""
    model = Model.objects.select_for_update().get(pk=row.pk)
    _delete(model, actor=model.owner)


@transaction.atomic
def delete_models(*, actor: Person, models: QuerySet[Model]) -> int:
    """Delete models as an administrator, but for those in production; return how many."""
    chosen = list(models.select_for_update().filter(deleted=None))
    in_use = _in_use(chosen)
    chosen = [model for model in chosen if model.uri not in in_use]
    for model in chosen:
        _delete(model, actor=actor)
    return len(chosen)


@transaction.atomic
def delete_models_of(owner: UUID) -> bool:
    """Delete the models of an account but those in production; return whether none is left."""
    own = Model.objects.filter(owner=owner, deleted=None).select_related("owner")
    if (first := own.first()) is not None:
        delete_models(actor=first.owner, models=own)
    return not own.exists()


@transaction.atomic
def restore_models(*, models: ModelQuerySet) -> int:
    """Restore deleted models whose files are still stored, and return how many.

    Rights on them were revoked at deletion, and are not granted again.
    """
    chosen = list(models.restorable().select_for_update())
    keys = [model.pk for model in chosen]
    Model.objects.filter(pk__in=keys).update(deleted=None, updated=Now())
    # What was ended when they were deleted is begun again.
    reanalyse(models=Model.objects.filter(pk__in=keys, status=Model.Status.PROCESSING))
    undrawn = Snapshot.objects.filter(model__in=keys, errors__0__code="model-gone")
    for snapshot in undrawn.select_related("model"):
        snapshot.move(Snapshot.Status.PROCESSING, errors=None, progress=0.0)
        queue_picture(snapshot)
    return len(chosen)


@transaction.atomic
def reanalyse(*, models: QuerySet[Model]) -> int:
    """Repeat the analysis of models that wait for it or failed, and return how many.

    Models with neither a file nor a parent, and deleted ones, are left out.
    """
    unsettled = models.filter(
        status__in=(Model.Status.PROCESSING, Model.Status.ERROR), deleted=None
    )
    has_source = Q(content__isnull=False) | Q(transformations__isnull=False)
    chosen = list(unsettled.filter(has_source).select_for_update())
    for model in chosen:
        if model.status == Model.Status.ERROR:
            model.move(Model.Status.PROCESSING, errors=None)
            callbacks.emit_status(model)
        if model.content_id is None:
            send_to_shaping(model)
        else:
            enqueue(analyse_model, model, cost=cost_of_verdict(model))
    return len(chosen)


def processed(user: Person, uuid: UUID, what: str) -> Model:
    """A model that `user` may read and that is judged well, as `what` needs one."""
    model = Model.objects.visible_to(user).filter(pk=uuid).first()
    if model is None:
        raise NotFound("There is no such model, or not for you.")
    if model.status != Model.Status.PROCESSED:
        raise ModelNotReady(f"{what} needs a model that is processed; this one is {model.status}.")
    return model


def _in_use(models: Iterable[Model]) -> dict[str, dict[str, list[str]]]:
    """The line items in production and their orders, by the URIs of their models."""
    return import_string(settings.MODELS_IN_USE)([model.uri for model in models])


def _delete(model: Model, *, actor: Person) -> None:
    model.delete_by(actor)
    _stop_work_on(model)
    transaction.on_commit(PartialUpload(model.KIND, model.pk).discard)


def _stop_work_on(model: Model) -> None:
    """Stop the work for one model; waiting work of others is informed of its deletion."""
    unfinished = model.snapshots.filter(status=Snapshot.Status.PROCESSING)
    cancel_jobs(render_snapshot, on=unfinished)
    for snapshot in unfinished:
        snapshot.move(Snapshot.Status.ERROR, errors=[error_entry("model-gone", GONE)])
    if model.canonical_id and not model.has_twins():
        renditions = Rendition.objects.filter(
            source=model.canonical_id, status=Rendition.Status.PROCESSING
        )
        cancel_jobs(assess_printability, on=[model.canonical_id])
        cancel_jobs(write_preview, draw_thumbnail, on=renditions)
        renditions.delete()
    cancel_jobs(*settings.EVENT_HOOKS.get("model.settled", ()), on=[model.uri])
    cancel_jobs(analyse_model, transform_model, expire_upload, on=[model])
    tell_settled(model)


def _allowed(user: Person, right: str, uuid: UUID) -> Model:
    """A model that `user` owns or has the right on, locked."""
    model = Model.objects.select_for_update().visible_to(user).filter(pk=uuid).first()
    if model is None:
        raise NotFound("There is no such model, or not for you.")
    model.require(user, right)
    return model


def create_replacement(*, uri: str, name: str) -> tuple[str, Person]:
    """Create an STL model that waits for its file, for the owner of another; its URI and owner.

    uri : of the model that it is to replace, which may be deleted

    Raises RateLimited beyond the owner's models of a day.
    """
    owner = owner_of(uri)
    return create(actor=owner, name=name).uri, owner


@transaction.atomic(savepoint=False)
def discard_model(uri: str) -> None:
    """Delete a model that turned out to be of no use, in its owner's name."""
    model = Model.objects.filter(pk__in=Model.keys_of(uri), deleted=None).first()
    if model is not None:
        discard(row=model)

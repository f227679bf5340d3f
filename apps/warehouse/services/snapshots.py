"""Service layer: create, update and delete snapshots."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from apps.callbacks import interface as callbacks
from apps.warehouse.actors.snapshots import plain_view, queue_picture, render_snapshot
from apps.warehouse.models import Snapshot
from apps.warehouse.services.models import processed
from core.auth_user import Person
from core.errors import Conflict
from core.queue.row_jobs import cancel_jobs
from geometry.rendering.view import View


class DefaultSnapshot(Conflict):
    """The picture that every model has stays as long as its model."""

    code = "default-snapshot"


@transaction.atomic
def create(
    *, actor: Person, model_uuid: UUID, view: View, callback: dict[str, str] | None = None
) -> Snapshot:
    """A picture of a model that has been judged."""
    model = processed(actor, model_uuid, "A picture")
    snapshot = Snapshot.objects.create(model=model, owner=actor, view=plain_view(view))
    if callback:
        callbacks.subscribe(uri=snapshot.uri, owner_id=actor.pk, **callback)
    queue_picture(snapshot)
    return snapshot


@transaction.atomic
def rerender(*, snapshots: QuerySet[Snapshot]) -> int:
    """Draw what failed, or is stuck, of models that have been judged; how many there were."""
    unfinished = snapshots.exclude(status=Snapshot.Status.PROCESSED).exclude(model__canonical=None)
    chosen = list(unfinished.select_related("model").select_for_update(of=("self",)))
    for snapshot in chosen:
        if snapshot.status == Snapshot.Status.ERROR:
            snapshot.move(Snapshot.Status.PROCESSING, errors=None, progress=0.0)
            callbacks.emit_status(snapshot)
        queue_picture(snapshot)
    return len(chosen)


@transaction.atomic
def delete(*, actor: Person, row: Snapshot) -> None:
    """Delete a picture; for its creator, the model's owner, and holders of `delete` on it."""
    if not may_delete(actor, row):
        row.model.require(actor, "delete")
    if row.is_default:
        raise DefaultSnapshot("Every model has this picture: it goes when the model is deleted.")
    callbacks.cancel_pending(uri=row.uri)
    cancel_jobs(render_snapshot, on=[row])
    row.delete()


def may_delete(user: Person, row: Snapshot) -> bool:
    """Return whether `user` created the picture, or may delete the model."""
    return row.owner_id == user.pk or row.model.is_open_to(user, "delete")

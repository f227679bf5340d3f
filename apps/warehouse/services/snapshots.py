"""What a client may do with pictures of models."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from apps.callbacks import interface as callbacks
from apps.warehouse.actors.pictures import plain_view, queue_picture, render_snapshot
from apps.warehouse.models import Snapshot
from apps.warehouse.services.models import processed
from core.errors import Conflict
from core.work import cancel
from geometry.rendering import View


class DefaultSnapshot(Conflict):
    """The picture that every model has stays as long as its model."""

    code = "default-snapshot"


@transaction.atomic
def create_snapshot(
    *, user, model_uuid: UUID, view: View, callback: dict[str, str] | None = None
) -> Snapshot:
    """A picture of a model that has been judged."""
    model = processed(user, model_uuid, "A picture")
    snapshot = Snapshot.objects.create(model=model, owner=user, view=plain_view(view))
    if callback:
        callbacks.subscribe(uri=snapshot.uri, owner_id=user.pk, **callback)
    queue_picture(snapshot)
    return snapshot


@transaction.atomic
def draw_again(*, snapshots: QuerySet[Snapshot]) -> int:
    """Draw what failed, or is stuck, of models that have been judged; how many there were."""
    unfinished = snapshots.exclude(status=Snapshot.Status.PROCESSED).exclude(model__canonical=None)
    chosen = list(unfinished.select_related("model").select_for_update(of=("self",)))
    for snapshot in chosen:
        if snapshot.status == Snapshot.Status.ERROR:
            snapshot.move(Snapshot.Status.PROCESSING, errors=None, progress=0.0)
            callbacks.tell(snapshot)
        queue_picture(snapshot)
    return len(chosen)


@transaction.atomic
def delete_snapshot(*, user, snapshot: Snapshot) -> None:
    """Remove a picture: for who asked for it, the model's owner, and holders of `delete` on it."""
    if snapshot.owner_id != user.pk:
        snapshot.model.require(user, "delete")
    if snapshot.is_default:
        raise DefaultSnapshot("Every model has this picture: it goes when the model is deleted.")
    callbacks.forget(uri=snapshot.uri)
    cancel(render_snapshot, on=[snapshot])
    snapshot.delete()

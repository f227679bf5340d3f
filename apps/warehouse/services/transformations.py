"""Service layer: create transformations of models."""

from uuid import UUID

from django.db import transaction

from apps.callbacks import interface as callbacks
from apps.warehouse.actors.transformations import send_to_shaping
from apps.warehouse.models import Model
from apps.warehouse.services.models import processed
from core.auth_user import Person


@transaction.atomic
def create_child(
    *,
    actor: Person,
    model_uuid: UUID,
    transformations: list[dict[str, object]],
    callback: dict[str, str] | None = None,
) -> Model:
    """A model that is made from one that `actor` may read, by these steps in their order."""
    parent = processed(actor, model_uuid, "A transformation")
    child = Model.objects.create(
        owner=actor,
        name=parent.name,
        may_resize=parent.may_resize,
        may_rotate=parent.may_rotate,
        unit=parent.unit,
        transformations=[{**step, "result": None} for step in transformations],
    )
    child.parents.add(parent)
    if callback:
        callbacks.subscribe(uri=child.uri, owner_id=actor.pk, **callback)
    send_to_shaping(child)
    return child

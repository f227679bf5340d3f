"""What a client may do with slices."""

from django.db import transaction

from apps.callbacks import interface as callbacks
from apps.slicing.actors import slice_model
from apps.slicing.models import Slice
from apps.slicing.services.configs import find_config
from apps.warehouse import interface as warehouse
from core.errors import Conflict


class ModelNotUsable(Conflict):
    """The model cannot be sliced, now or ever."""

    code = "model-not-usable"


@transaction.atomic
def create_slice(
    *, owner, model: str, config: str, callback: dict[str, str] | None = None
) -> Slice:
    """A slice of the model with this URI, by the config with that one; it waits for both."""
    found = warehouse.find_model(uri=model, user=owner)
    if found.status in ("error", "inoperable"):
        raise ModelNotUsable(
            f"A model that is {found.status} cannot be sliced: upload a new one, or convert it.",
            field="model",
        )
    row = Slice.objects.create(
        owner=owner, model_uri=found.uri, config=find_config(uri=config, user=owner)
    )
    if callback:
        callbacks.subscribe(uri=row.uri, owner_id=owner.pk, **callback)
    slice_model.send(str(row.pk))
    return row


@transaction.atomic
def delete_slice(*, row: Slice) -> None:
    """Take a slice out of sight; an engine that works on it is ended."""
    row.put_away()
    callbacks.forget(uri=row.uri)

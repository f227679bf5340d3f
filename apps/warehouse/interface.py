"""Public interface of the model warehouse.

Statements of other apps ask these functions of the database for models, each by its `key` and the
`sha256` of its canonical STL or null:

    warehouse_kept() : all of them
    warehouse_readable(person) : what somebody may read who does not read everything; for questions
        about few models
    warehouse_readable_list(person) : the same for all of them; some may come twice
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.warehouse.actors import snapshots as pictures
from apps.warehouse.actors.snapshots import KeptPicture as KeptPicture
from apps.warehouse.actors.snapshots import draw_sample_part as draw_sample_part
from apps.warehouse.actors.snapshots import keep_picture as keep_picture
from apps.warehouse.domain.family import ancestors as ancestors
from apps.warehouse.domain.family import descendants as descendants
from apps.warehouse.domain.family import readable_keys as readable_keys
from apps.warehouse.domain.family import reads_all as reads_all
from apps.warehouse.domain.stored_models import PlacedObject as PlacedObject
from apps.warehouse.domain.stored_models import StoredModel as StoredModel
from apps.warehouse.domain.stored_models import any_unsettled as any_unsettled
from apps.warehouse.domain.stored_models import find_model as find_model
from apps.warehouse.domain.stored_models import get_model_unchecked as get_model_unchecked
from apps.warehouse.domain.stored_models import get_models_unchecked as get_models_unchecked
from apps.warehouse.domain.stored_models import location_of as location_of
from apps.warehouse.domain.stored_models import pictures_of as pictures_of
from apps.warehouse.domain.stored_models import placed_objects as placed_objects
from apps.warehouse.domain.stored_models import stl_file as stl_file
from apps.warehouse.models import Model, Snapshot
from apps.warehouse.models.download_urls import location
from apps.warehouse.provenance import TRACING as TRACING
from apps.warehouse.services import conversions, models, snapshots
from apps.warehouse.services.content import expect_content as expect_content
from apps.warehouse.services.content import store_content as store_content
from apps.warehouse.services.models import ModelNotReady as ModelNotReady
from apps.warehouse.services.models import made_today as made_today
from core.auth_user import Person
from core.state_machine import event_schemas
from geometry.rendering.view import View

EVENTS = event_schemas(Model, Snapshot)
# What a model's file can be.
TYPES: tuple[str, ...] = tuple(Model.Type.values)


def stored_location(*, sha256: str, name: str, type: str) -> str | None:
    """Where a stored file can be fetched, named like a model's; gone once nothing refers to it."""
    return location(sha256 or None, name, type)


def add_model(
    *,
    owner: Person,
    name: str,
    type: str,
    sha256: str,
    size: int,
    parents: list[str],
    source: Mapping[str, object] | None = None,
) -> str:
    """A model made from others, whose file is stored already; its URI.

    It is judged like an upload where it is an STL, and inoperable otherwise.

    sha256, size : of a file that the caller's rows refer to; size in bytes
    parents      : URIs of the models that it was made from
    source       : what their file says of it, as `source` of a model is answered
    """
    keys = [key for uri in parents for key in Model.keys_of(uri)]
    return models.add_model(
        owner=owner,
        name=name,
        type=type,
        sha256=sha256,
        size=size,
        parents=keys,
        source=source,
    ).uri


def end_conversion(
    *,
    uri: str,
    operation: str,
    models: list[str],
    receipt: dict[str, Any] | None = None,
    failure: dict[str, Any] | None = None,
) -> None:
    """Keep and tell how the conversion of a model by this operation ended.

    Nothing where the model does not wait for it: whoever converts a model by hand does that.

    models  : URIs of what it made
    failure : {code, title} of what made nothing
    """
    waiting = Model.objects.filter(
        pk__in=Model.keys_of(uri), deleted=None, conversion__operation=operation
    )
    for model in waiting.select_for_update():
        conversions.end(
            model=model, operation=operation, models=models, receipt=receipt, failure=failure
        )


def show_picture(*, uri: str, operation: str, picture: KeptPicture) -> None:
    """Show the picture that the file of a model has of itself, in the caller's transaction.

    Nothing where the model does not wait for the conversion by this operation, or has a picture.
    """
    waiting = Model.objects.filter(
        pk__in=Model.keys_of(uri), deleted=None, conversion__operation=operation
    )
    pictures.show_picture(waiting.filter(picture=None), picture)


def add_snapshot(*, uri: str, direction: tuple[float, float, float]) -> str:
    """Have a model that is processed drawn in its owner's name; the picture's URI.

    direction : where the camera looks, in the model's axes; the whole model is framed
    """
    (key,) = Model.keys_of(uri)
    model = Model.objects.select_related("owner").get(pk=key, deleted=None)
    view = View(direction=direction)
    return snapshots.create(actor=model.owner, model_uuid=key, view=view).uri


@transaction.atomic(savepoint=False)
def discard_model(uri: str) -> None:
    """Delete a model that turned out to be of no use, in its owner's name."""
    model = Model.objects.filter(pk__in=Model.keys_of(uri), deleted=None).first()
    if model is not None:
        models.discard(row=model)


def uri_of(key: UUID) -> str:
    """The URI of the model with this key."""
    return Model.uri_of(key)

"""Public interface of the model warehouse.

Other apps use these database functions in their statements for models, each by its `key` and the
`sha256` of its canonical STL or null:

    warehouse_kept() : all of them
    warehouse_readable(person) : those that a person without the right to read all may read; for
        statements about few models
    warehouse_readable_list(person) : the same for statements about all; duplicates are possible
"""

from collections.abc import Mapping

from apps.warehouse.actors import snapshots as pictures
from apps.warehouse.actors.printability import find_thin_places
from apps.warehouse.actors.snapshots import KeptPicture, draw_sample_part, keep_picture
from apps.warehouse.domain.family import ancestors, descendants, readable_keys, reads_all
from apps.warehouse.domain.stored_models import (
    PlacedObject,
    StoredModel,
    any_unsettled,
    find_model,
    get_model_unchecked,
    get_models_unchecked,
    hold_model,
    location_of,
    owner_of,
    picture_files_of,
    pictures_of,
    placed_objects,
    stl_file,
    stored_location,
    uri_of,
)
from apps.warehouse.models import Model, Snapshot
from apps.warehouse.provenance import TRACING
from apps.warehouse.services import models, snapshots
from apps.warehouse.services.content import create_model, expect_content, store_content
from apps.warehouse.services.conversions import end_conversion
from apps.warehouse.services.copies import ModelGone, copy_model, owners_of
from apps.warehouse.services.models import (
    ModelNotReady,
    create_replacement,
    delete_models_of,
    discard_model,
    made_today,
)
from core.auth_user import Person
from core.state_machine import event_schemas
from geometry.rendering.view import View

__all__ = [
    "EVENTS",
    "KeptPicture",
    "ModelGone",
    "ModelNotReady",
    "PlacedObject",
    "StoredModel",
    "TRACING",
    "TYPES",
    "add_model",
    "add_snapshot",
    "ancestors",
    "any_unsettled",
    "copy_model",
    "create_model",
    "create_replacement",
    "descendants",
    "delete_models_of",
    "discard_model",
    "draw_sample_part",
    "end_conversion",
    "expect_content",
    "find_model",
    "find_thin_places",
    "get_model_unchecked",
    "get_models_unchecked",
    "hold_model",
    "keep_picture",
    "location_of",
    "owner_of",
    "made_today",
    "owners_of",
    "picture_files_of",
    "pictures_of",
    "placed_objects",
    "readable_keys",
    "reads_all",
    "show_picture",
    "stl_file",
    "store_content",
    "stored_location",
    "uri_of",
]

EVENTS = event_schemas(Model, Snapshot)
# What a model's file can be.
TYPES: tuple[str, ...] = tuple(Model.Type.values)


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
    """Create a model made from others, whose file is stored already, and return its URI.

    An STL is analysed like an upload; others are `inoperable`.

    sha256, size : of a file that the caller's rows refer to; size in bytes
    parents      : URIs of the models that it was made from
    source       : metadata of its file, returned as the model's `source`
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
    view = View(direction=direction, transparent=True)
    return snapshots.create(actor=model.owner, model_uuid=key, view=view).uri

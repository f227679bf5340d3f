"""Public interface of the model warehouse.

Statements of other apps ask these functions of the database for models, each by its `key` and the
`sha256` of its canonical STL or null:

    warehouse_kept() : all of them
    warehouse_readable(person) : what somebody may read who does not read everything; for questions
        about few models
    warehouse_readable_list(person) : the same for all of them; some may come twice
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models.expressions import RawSQL

from apps.warehouse.actors import snapshots as pictures
from apps.warehouse.actors.snapshots import KeptPicture as KeptPicture
from apps.warehouse.actors.snapshots import draw_sample_part as draw_sample_part
from apps.warehouse.models import Model, Snapshot
from apps.warehouse.models.download_urls import content_location, location, picture_location
from apps.warehouse.provenance import TRACING as TRACING  # what it tells of how things came to be
from apps.warehouse.services import content, conversions, models, snapshots
from apps.warehouse.services.models import ModelNotReady as ModelNotReady
from apps.warehouse.services.models import made_today as made_today  # counted for limits
from core.auth_user import Person
from core.errors import UnknownResource
from core.files import blobs
from core.state_machine import event_schemas
from geometry.formats.thumbnails import Picture
from geometry.rendering.view import View

EVENTS = event_schemas(Model, Snapshot)

# Takes the keys of the models whose ancestors are wanted.
_ANCESTORS = """
    WITH RECURSIVE ancestor (uuid) AS (
        SELECT to_model_id FROM warehouse_model_parents WHERE from_model_id = ANY (%s)
        UNION
        SELECT edge.to_model_id FROM warehouse_model_parents edge
            JOIN ancestor ON edge.from_model_id = ancestor.uuid
    )
    SELECT uuid FROM ancestor
"""
# Takes the keys of the models whose descendants are wanted.
_DESCENDANTS = """
    WITH RECURSIVE descendant (uuid) AS (
        SELECT from_model_id FROM warehouse_model_parents WHERE to_model_id = ANY (%s)
        UNION
        SELECT edge.from_model_id FROM warehouse_model_parents edge
            JOIN descendant ON edge.to_model_id = descendant.uuid
    )
    SELECT uuid FROM descendant
"""


@dataclass(frozen=True)
class StoredModel:
    """A model, as far as others need to know it.

    uuid : its key in `warehouse_kept()` and the like
    sha256 : of the canonical STL; None until the model is processed
    size   : (x, y, z) extents, mm; None until then
    volume : mm^3; None also where the surface is not closed
    content_sha256 : of the file as it was uploaded; None until it is
    """

    uri: str
    uuid: UUID
    name: str
    type: str
    status: str
    sha256: str | None
    content_sha256: str | None
    manifold: bool | None
    triangles: int | None
    size: tuple[float, float, float] | None
    volume: float | None
    may_resize: bool
    may_rotate: bool
    errors: tuple[dict[str, Any], ...]


def find_model(*, uri: str, user: Person, field: str = "model") -> StoredModel:
    """The model that `uri` names, if `user` may read it; UnknownResource otherwise."""
    model = Model.objects.visible_to(user).filter(pk__in=_keys(uri)).first()
    if model is None:
        raise UnknownResource(
            f"{uri} is not a model that you may read: create it, or have it shared with you.",
            field=field,
        )
    return _stored(model)


def get_model_unchecked(uri: str) -> StoredModel | None:
    """The model that `uri` names, whoever asks: for work whose rights were checked before."""
    model = Model.objects.filter(pk__in=_keys(uri), deleted=None).first()
    return _stored(model) if model else None


def get_models_unchecked(uris_of_models: Iterable[str]) -> dict[str, StoredModel]:
    """As `look_up`, of many at once: by their URIs, without those that name nothing."""
    keys = {key: uri for uri in set(uris_of_models) for key in _keys(uri)}
    found = Model.objects.filter(pk__in=keys, deleted=None)
    return {keys[model.pk]: _stored(model) for model in found}


@dataclass(frozen=True)
class PlacedObject:
    """An object of a file that was converted: the model that it became, and its places.

    plates : for each place the number of its plate; 1 where the file knows no plates
    """

    uri: str
    name: str
    plates: tuple[int, ...]


def placed_objects(*, uri: str, user: Person) -> list[PlacedObject]:
    """The objects that a file was converted to, as far as `user` may read them, in its order."""
    children = Model.objects.visible_to(user).filter(parents__in=_keys(uri)).order_by("pk")
    return [
        PlacedObject(
            child.uri, child.name, tuple(place["plate"] or 1 for place in child.source["instances"])
        )
        for child in children
        if child.source
    ]


def pictures_of(uris_of_models: Iterable[str]) -> dict[str, str]:
    """Where the default pictures of these models can be fetched, by URI, where there are any."""
    keys = {key: uri for uri in uris_of_models for key in _keys(uri)}
    found = Model.objects.filter(pk__in=keys, deleted=None).exclude(picture=None)
    rows = found.values_list("pk", "name", "picture_id")
    places = {keys[key]: picture_location(picture, name) for key, name, picture in rows}
    return {uri: place for uri, place in places.items() if place}


# What a model's file can be.
TYPES: tuple[str, ...] = tuple(Model.Type.values)


def location_of(uri: str) -> str | None:
    """Where the file of the model with this URI can be fetched; None where there is none.

    Of an STL that was judged its canonical form, which is the same part in binary.
    """
    model = Model.objects.filter(pk__in=_keys(uri), deleted=None).first()
    if model is None:
        return None
    return location(model.canonical_id, model.name, model.type) or content_location(model)


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
    source: dict[str, Any] | None = None,
) -> str:
    """A model made from others, whose file is stored already; its URI.

    It is judged like an upload where it is an STL, and inoperable otherwise.

    sha256, size : of a file that the caller's rows refer to; size in bytes
    parents      : URIs of the models that it was made from
    source       : what their file says of it, as `source` of a model is answered
    """
    keys = [key for uri in parents for key in _keys(uri)]
    return models.add_model(
        owner=owner,
        name=name,
        type=type,
        sha256=sha256,
        size=size,
        parents=keys,
        source=source,
    ).uri


def any_unsettled(uris_of_models: Iterable[str]) -> bool:
    """Whether one of these models is still judged."""
    keys = [key for uri in uris_of_models for key in _keys(uri)]
    return Model.objects.filter(pk__in=keys, status=Model.Status.PROCESSING, deleted=None).exists()


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
    waiting = Model.objects.filter(pk__in=_keys(uri), deleted=None, conversion__operation=operation)
    for model in waiting.select_for_update():
        conversions.end(
            model=model, operation=operation, models=models, receipt=receipt, failure=failure
        )


def keep_picture(picture: Picture) -> KeptPicture:
    """Place a picture in storage, for `show_picture` to record it."""
    return pictures.keep_picture(picture)


def show_picture(*, uri: str, operation: str, picture: KeptPicture) -> None:
    """Show the picture that the file of a model has of itself, in the caller's transaction.

    Nothing where the model does not wait for the conversion by this operation, or has a picture.
    """
    waiting = Model.objects.filter(pk__in=_keys(uri), deleted=None, conversion__operation=operation)
    pictures.show_picture(waiting.filter(picture=None), picture)


def add_snapshot(*, uri: str, direction: tuple[float, float, float]) -> str:
    """Have a model that is processed drawn in its owner's name; the picture's URI.

    direction : where the camera looks, in the model's axes; the whole model is framed
    """
    (key,) = _keys(uri)
    model = Model.objects.select_related("owner").get(pk=key, deleted=None)
    view = View(direction=direction)
    return snapshots.create(actor=model.owner, model_uuid=key, view=view).uri


@transaction.atomic(savepoint=False)
def discard_model(uri: str) -> None:
    """Delete a model that turned out to be of no use, in its owner's name."""
    model = Model.objects.filter(pk__in=_keys(uri), deleted=None).first()
    if model is not None:
        models.discard(row=model)


def ancestors(uri: str) -> list[str]:
    """URIs of the models that the one with this URI was made from, at any distance.

    Deleted ones as well: they were made from it all the same.
    """
    return _family(_ANCESTORS, uri)


def descendants(uri: str) -> list[str]:
    """URIs of the models that were made from the one with this URI, at any distance.

    Deleted ones as well: they were made from it all the same.
    """
    return _family(_DESCENDANTS, uri)


def reads_all(user: Person) -> bool:
    """Whether `user` may read every model."""
    return Model.is_all_read_by(user)


def readable_keys(user: Person) -> RawSQL:
    """The keys of the models that `user` may read, for a condition: `model_uuid__in=`."""
    if reads_all(user):
        return RawSQL("SELECT key FROM warehouse_kept()", ())  # noqa: S611
    return RawSQL("SELECT key FROM warehouse_readable(%s)", (user.pk,))  # noqa: S611


def uri_of(key: UUID) -> str:
    """The URI of the model with this key."""
    return Model.uri_of(key)


@contextmanager
def stl_file(sha256: str) -> Iterator[Path]:
    """A local file with the canonical binary STL of this hash, to be read only."""
    with blobs.local_copy(sha256) as path:
        yield path


def expect_content(*, uuid: UUID) -> int | None:
    """The bytes of the file that the model with this key has; None while it waits for one."""
    return content.expect_content(uuid=uuid)


def store_content(*, uuid: UUID, sha256: str, size: int, place: Callable[[], None]) -> None:
    """Take a file that was uploaded for the model with this key; `place` puts it into storage."""
    content.store_content(uuid=uuid, sha256=sha256, size=size, place=place)


def _family(statement: str, uri: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(statement, (_keys(uri),))
        return [Model.uri_of(key) for (key,) in cursor.fetchall()]


def _keys(uri: str) -> list[UUID]:
    """The key of the model that `uri` names; none where it names something else."""
    return Model.keys_of(uri)


def _stored(model: Model) -> StoredModel:
    found = model.findings
    return StoredModel(
        uri=model.uri,
        uuid=model.uuid,
        name=model.name,
        type=model.type,
        status=model.status,
        sha256=model.canonical_id,
        content_sha256=model.content_id,
        manifold=found.get("manifold"),
        triangles=found.get("triangles"),
        size=tuple(found["size"]) if "size" in found else None,
        volume=found.get("volume"),
        may_resize=model.may_resize,
        may_rotate=model.may_rotate,
        errors=tuple(model.errors or ()),
    )

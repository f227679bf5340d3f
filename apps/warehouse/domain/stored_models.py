"""Models as other apps see them, by URI, and where their files can be fetched."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from apps.warehouse.models import Model
from apps.warehouse.models.download_urls import content_location, location, picture_location
from core.auth_user import Person
from core.errors import ErrorEntry, UnknownResource
from core.files import blobs


@dataclass(frozen=True)
class StoredModel:
    """A model, as far as others need to know it.

    uuid : its key in `warehouse_kept()` and the like
    sha256 : of the canonical STL; None until the model is processed
    size   : (x, y, z) extents, mm; None until then
    volume : mm^3; None also where the surface is not closed
    content_sha256 : of the file as it was uploaded; None until it is
    file_size : of that file, bytes; None until then
    converted : whether its objects were taken out of it, within the limits of archives
    """

    uri: str
    uuid: UUID
    name: str
    type: str
    status: str
    sha256: str | None
    content_sha256: str | None
    file_size: int | None
    converted: bool
    manifold: bool | None
    triangles: int | None
    size: tuple[float, float, float] | None
    volume: float | None
    may_resize: bool
    may_rotate: bool
    errors: tuple[ErrorEntry, ...]


def find_model(*, uri: str, user: Person, field: str = "model") -> StoredModel:
    """The model that `uri` names, if `user` may read it; UnknownResource otherwise."""
    model = Model.objects.visible_to(user).filter(pk__in=Model.keys_of(uri)).first()
    if model is None:
        raise UnknownResource(
            f"{uri} is not a model that you may read: create it, or have it shared with you.",
            field=field,
        )
    return _stored(model)


def get_model_unchecked(uri: str) -> StoredModel | None:
    """Return the model of `uri` without a check of rights: the caller has checked them."""
    model = Model.objects.filter(pk__in=Model.keys_of(uri), deleted=None).first()
    return _stored(model) if model else None


def owner_of(uri: str) -> Person:
    """Return the account that a model is of, which may be deleted."""
    return Model.objects.select_related("owner").get(pk__in=Model.keys_of(uri)).owner


def hold_model(uri: str) -> bool:
    """Whether the model is there; it is not deleted before the caller's transaction ends."""
    held = Model.objects.select_for_update(no_key=True).filter(pk__in=Model.keys_of(uri))
    return held.filter(deleted=None).exists()


def get_models_unchecked(uris_of_models: Iterable[str]) -> dict[str, StoredModel]:
    """As `get_model_unchecked`, of many at once: by their URIs, without those that name nothing."""
    keys = {key: uri for uri in set(uris_of_models) for key in Model.keys_of(uri)}
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
    children = Model.objects.visible_to(user).filter(parents__in=Model.keys_of(uri)).order_by("pk")
    return [
        PlacedObject(
            child.uri, child.name, tuple(place["plate"] or 1 for place in child.source["instances"])
        )
        for child in children
        if child.source
    ]


def pictures_of(uris_of_models: Iterable[str]) -> dict[str, str]:
    """Return the download URLs of these models' default pictures, by URI, where they exist."""
    files = _picture_files(uris_of_models)
    places = {uri: picture_location(picture, name) for uri, (name, picture) in files.items()}
    return {uri: place for uri, place in places.items() if place}


def picture_files_of(uris_of_models: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of these models' default pictures (PNG), by URI, where they exist."""
    return {uri: picture for uri, (_, picture) in _picture_files(uris_of_models).items()}


def _picture_files(uris_of_models: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Name and picture of models, by URI."""
    keys = {key: uri for uri in uris_of_models for key in Model.keys_of(uri)}
    rows = Model.objects.filter(pk__in=keys, deleted=None).exclude(picture=None)
    columns = rows.values_list("pk", "name", "picture_id")
    return {keys[key]: (name, str(picture)) for key, name, picture in columns}


def location_of(uri: str) -> str | None:
    """Return the download URL of the model with this URI; None where it has no file.

    For an analysed STL, that of its canonical form: the same part as binary STL.
    """
    model = Model.objects.filter(pk__in=Model.keys_of(uri), deleted=None).first()
    if model is None:
        return None
    return location(model.canonical_id, model.name, model.type) or content_location(model)


def stored_location(*, sha256: str, name: str, type: str) -> str | None:
    """Return the download URL of a stored file, named like a model's.

    It is valid as long as a row refers to the file.
    """
    return location(sha256 or None, name, type)


def uri_of(key: UUID) -> str:
    """The URI of the model with this key."""
    return Model.uri_of(key)


def any_unsettled(uris_of_models: Iterable[str]) -> bool:
    """Whether one of these models is still judged."""
    keys = [key for uri in uris_of_models for key in Model.keys_of(uri)]
    return Model.objects.filter(pk__in=keys, status=Model.Status.PROCESSING, deleted=None).exists()


@contextmanager
def stl_file(sha256: str) -> Iterator[Path]:
    """A local file with the canonical binary STL of this hash, to be read only."""
    with blobs.local_copy(sha256) as path:
        yield path


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
        file_size=model.file_size,
        converted=(model.conversion or {}).get("status") == "complete",
        manifold=found.get("manifold"),
        triangles=found.get("triangles"),
        size=tuple(found["size"]) if "size" in found else None,
        volume=found.get("volume"),
        may_resize=model.may_resize,
        may_rotate=model.may_rotate,
        errors=tuple(model.errors or ()),
    )

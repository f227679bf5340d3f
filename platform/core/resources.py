"""Base of all resources: service, kind, UUIDv7 key, absolute URI."""

import functools
from typing import Any, ClassVar
from uuid import UUID

from django.apps import apps
from django.db import models
from django.utils import timezone

from core import uris
from core.auth_user import Person
from core.keys import uuid7
from core.model_fields import DatabaseTimeField


class HasUri:
    """A model with a URI: `<KIND>/<uuid>/` on the host of SERVICE.

    SERVICE : key of the host in the settings
    KIND    : its name in URIs, events and traces
    OWNER   : the column with the key of the account that may grant rights on it; empty for none
    """

    SERVICE: ClassVar[str]
    KIND: ClassVar[str]
    OWNER: ClassVar[str] = ""
    uuid: Any

    @property
    def uri(self) -> str:
        return self.uri_of(self.uuid)

    @classmethod
    def uri_of(cls, key: UUID) -> str:
        """The URI of the one with this key."""
        return uris.uri_of(cls.SERVICE, cls.KIND, key)

    @classmethod
    def keys_of(cls, uri: str) -> list[UUID]:
        """The key of the one that `uri` names; none where it names another kind, or nothing."""
        return uris.keys_of(uri, cls.KIND)


class Resource(HasUri, models.Model):
    """A row with a URI, whose keys increase with the time of creation."""

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    created = DatabaseTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class Deletable:
    """A row with `updated` and `deleted`; once deleted, only operators see it."""

    deleted: Any

    def put_away(self: Any) -> None:
        """Mark the row as deleted."""
        self.deleted = timezone.now()
        self.save(update_fields=["deleted", "updated"])


@functools.cache
def kinds() -> dict[tuple[str, str], Any]:
    """Every kind that has a table, by its service and its name."""
    return {
        (kind.SERVICE, kind.KIND): kind
        for kind in apps.get_models()
        if issubclass(kind, HasUri) and hasattr(kind, "KIND")
    }


def owner_of(uri: str) -> UUID | None:
    """Return the key of the owner of the resource `uri`, who may grant rights on it."""
    kind, key = _at(uri)
    if kind is None or not kind.OWNER:
        return None
    rows = kind._base_manager.filter(pk=key)
    if hasattr(kind, "deleted"):
        rows = rows.filter(deleted=None)
    return rows.values_list(kind.OWNER, flat=True).first()


def may_read(uri: str, user: Person) -> bool:
    """Whether `uri` names something that `user` may read."""
    kind, key = _at(uri)
    return kind is not None and kind.objects.visible_to(user).filter(pk=key).exists()


def _at(uri: str) -> tuple[Any, UUID | None]:
    """The kind of what `uri` names, and its key; None where it has no table."""
    reference = uris.resolve_uri(uri)
    kind = kinds().get((reference.service, reference.kind)) if reference else None
    return kind, reference.kwargs["uuid"] if reference and kind else None

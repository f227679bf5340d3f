"""What every resource is: rows of a kind, each with a URI."""

from typing import Any, ClassVar
from uuid import UUID

from django.db import models

from core import uris
from core.keys import uuid7


class Addressed:
    """What has a URI of its own: `<KIND>/<uuid>/` on the host of SERVICE.

    SERVICE : whose host, as the settings name it
    KIND    : its name in URIs, events and traces
    """

    SERVICE: ClassVar[str]
    KIND: ClassVar[str]
    uuid: Any

    @property
    def uri(self) -> str:
        return self.uri_of(self.uuid)

    @classmethod
    def uri_of(cls, key: UUID) -> str:
        """The URI of the one with this key."""
        return uris.resource_uri(cls.SERVICE, cls.KIND, uuid=key)

    @classmethod
    def keys_of(cls, uri: str) -> list[UUID]:
        """The key of the one that `uri` names; none where it names another kind, or nothing."""
        return uris.keys_of(uri, cls.KIND)


class Resource(Addressed, models.Model):
    """A row with a URI, whose keys are in the order of creation."""

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True

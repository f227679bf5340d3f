"""Resources with an owner, and soft deletion."""

from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.db import models

from core.auth_user import Person
from core.errors import UrlExpired
from core.model_fields import DatabaseTimeField
from core.resources import Deletable, Resource


class OwnedQuerySet(models.QuerySet):
    """Questions about rows that have an owner."""

    def visible_to(self, user: Person) -> Self:
        """What `user` may read: their own; all for administrators."""
        kept = self.filter(deleted=None)
        return kept if user.is_staff else kept.filter(owner=user)

    def for_upload(self, uuid: UUID) -> Any:
        """Return the row of an upload URL. Raises UrlExpired if it, or its owner, was deleted."""
        row = self.filter(pk=uuid, deleted=None, owner__is_active=True).first()
        if row is None:
            raise UrlExpired(
                "What this location was made for was deleted, or its owner's account was: create "
                "it again."
            )
        return row


class Owned(Deletable, Resource):
    """A resource with an owner."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    updated = DatabaseTimeField(auto_now=True)
    deleted = models.DateTimeField(null=True, blank=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True

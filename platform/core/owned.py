"""What most resources have in common: an owner, and a deletion that can be taken back."""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.utils import timezone


class OwnedQuerySet(models.QuerySet):
    """Questions about rows that have an owner."""

    def visible_to(self, user: Any) -> Self:
        """What `user` may read: their own; all for administrators."""
        kept = self.filter(deleted=None)
        return kept if user.is_staff else kept.filter(owner=user)


class Owned(models.Model):
    """A resource of somebody's; deleted, it is seen by nobody but the operators."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    deleted = models.DateTimeField(null=True, blank=True)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True

    def put_away(self) -> None:
        """Delete it, for everybody's eyes."""
        self.deleted = timezone.now()
        self.save(update_fields=["deleted", "updated"])  # type: ignore[misc]

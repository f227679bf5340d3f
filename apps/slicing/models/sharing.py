"""Resources that their owner can share: permissions in the namespace `slicing`."""

from typing import Any

from django.db import models
from django.db.models.expressions import RawSQL

from apps.users import interface as users
from core.owned import Owned, OwnedQuerySet, reads_everything


class SharedQuerySet(OwnedQuerySet):
    """Questions about rows that have an owner, and readers besides."""

    def visible_to(self, user: Any) -> "SharedQuerySet":
        """What `user` may read: their own, and what is shared with them or their groups.

        All for administrators and platform services.
        """
        kept = self.filter(deleted=None)
        if reads_everything(user):
            return kept
        return kept.filter(models.Q(owner=user) | models.Q(pk__in=shared_keys(user)))


def shared_keys(user: Any) -> RawSQL:
    """The keys of what `user` may read by a permission."""
    given = users.holdings(user=user, namespace="slicing", right="read")
    return RawSQL(users.HELD_KEYS_SQL, given)  # noqa: S611  constant text


class Shared(Owned):
    """A resource of somebody's that others may be allowed to read, change or delete."""

    objects = SharedQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        abstract = True

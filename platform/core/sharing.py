"""Resources that their owner can share, by read, write and delete rights."""

from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.utils.module_loading import import_string

from core.auth_user import Person
from core.ownership import Owned, OwnedQuerySet
from core.rights import keys_with_right, missing_right


class SharedQuerySet(OwnedQuerySet):
    """Questions about rows that have an owner, and readers besides."""

    def visible_to(self, user: Person) -> Self:
        """Return rows that `user` may read: their own, and those shared with them or their groups.

        All for administrators, and for platform services where the kind is for them.
        """
        kept = self.filter(deleted=None)
        kind: Any = self.model
        if kind.is_all_read_by(user):
            return kept
        shared = keys_with_right(user, "read", namespace=kind.SERVICE)
        return kept.filter(models.Q(owner=user) | models.Q(pk__in=shared))


class Shareable(Owned):
    """A resource of an account that others may be allowed to read, change or delete.

    Rights on it are in the namespace of its SERVICE.

    FOR_SERVICES : whether platform services read all of the kind
    """

    OWNER = "owner_id"
    FOR_SERVICES: ClassVar[bool] = False

    objects: ClassVar = SharedQuerySet.as_manager()

    class Meta:
        abstract = True

    @classmethod
    def is_all_read_by(cls, user: Person) -> bool:
        """Whether `user` may read every one of the kind."""
        return user.is_staff or (cls.FOR_SERVICES and user.is_platform_service)

    def is_open_to(self, user: Person, right: str) -> bool:
        """Whether `user` owns it, or holds `right` on it."""
        return self.owner_id == user.pk or user.has_perm(f"{self.SERVICE}.{right}", self.uri)

    def require(self, user: Person, right: str) -> None:
        """Raise MissingRight unless `user` owns it, or holds `right` on it."""
        if not self.is_open_to(user, right):
            raise missing_right(user, right, namespace=self.SERVICE, on=self.uri)

    def delete_by(self, user: Person) -> None:
        """Delete the row with the rights on it and its pending deliveries.

        Raises MissingRight unless `user` may.
        """
        self.require(user, "delete")
        self.put_away()
        import_string(settings.CANCEL_CALLBACKS_HOOK)(uri=self.uri)
        import_string(settings.REVOKE_RIGHTS_HOOK)(actor=user, object=self.uri)

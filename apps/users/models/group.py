"""User groups."""

from django.db import models

from apps.users.models.permission import Permission
from apps.users.models.user import User
from core.resources import Resource


class GroupQuerySet(models.QuerySet):
    """Questions about groups."""

    def visible_to(self, user: User) -> "GroupQuerySet":
        """The groups that `user` made, is in, or holds a right on; all for operators.

        Rights on groups are those of the namespace `users`.
        """
        if user.is_staff:
            return self
        held = Permission.objects.held_by(user).filter(namespace="users")
        return self.filter(
            models.Q(creator=user)
            | models.Q(uuid__in=user.memberships.values("group"))
            | models.Q(uuid__in=held.values("object_uuid"))
        )


class Group(Resource):
    """A group of users that holds rights; a new group has no rights and no members."""

    SERVICE = "users"
    KIND = "group"
    OWNER = "creator_id"

    name = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    creator = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    objects = GroupQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name or str(self.uuid)

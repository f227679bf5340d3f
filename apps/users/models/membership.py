"""Group membership."""

from django.db import models

from apps.users.models.group import Group
from apps.users.models.permission import Permission
from apps.users.models.user import User
from core.resources import Resource

# The right, on a group, to add and remove its members.
ADDING = "group.membership.all"


class MembershipQuerySet(models.QuerySet):
    """Questions about memberships."""

    def visible_to(self, user: User) -> "MembershipQuerySet":
        """Those of `user`, and those of the groups that they are in, made, or may add members to.

        All of them for operators.
        """
        if user.is_staff:
            return self
        managed = Permission.objects.held_by(user).filter(namespace="users", right=ADDING)
        return self.filter(
            models.Q(group__in=user.memberships.values("group"))
            | models.Q(group__in=Group.objects.filter(creator=user))
            | models.Q(group__in=managed.values("object_uuid"))
        )


class Membership(Resource):
    """A user's membership in a group, which gives the user the group's rights."""

    SERVICE = "users"
    KIND = "membership"

    # Both directions have an index below.
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="memberships", db_index=False
    )
    group = models.ForeignKey(
        Group, on_delete=models.CASCADE, related_name="memberships", db_index=False
    )
    created_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "group"], name="member_once")]
        indexes = [models.Index(fields=["group", "user"], name="membership_group")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.group_id}"

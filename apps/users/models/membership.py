"""Who is in which group."""

from django.db import models

from apps.users.models.group import Group
from apps.users.models.permission import Permission
from apps.users.models.user import User
from core.keys import uuid7
from core.uris import build_uri

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


class Membership(models.Model):
    """A user in a group, who holds the rights that the group holds."""

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
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
    created = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "group"], name="member_once")]
        indexes = [models.Index(fields=["group", "user"], name="membership_group")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.group_id}"

    @property
    def uri(self) -> str:
        return build_uri("users", "membership-detail", uuid=self.uuid)

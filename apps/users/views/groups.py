"""{users_url}: groups and memberships."""

from typing import Any
from uuid import UUID

from apps.users.models import Group, Membership
from apps.users.serializers.group import (
    GroupSerializer,
    MembershipSerializer,
    group_resource,
    membership_resource,
)
from apps.users.services import groups, memberships
from core.api import lists
from core.api.lists import Column, Listing
from core.api.views import ResourceViewSet


class GroupViewSet(ResourceViewSet):
    kind = Group
    related = ("creator",)
    serializer_class = GroupSerializer
    listing = Listing(
        filters={
            "name": Column("name"),
            "uuid": Column("uuid", UUID),
            "user": Column("memberships__user", lists.key_in_uri),
            "user_uri": Column("creator", lists.key_in_uri),
            "created": Column("created", lists.time, ordered=True),
        },
        search={"name": "name", "description": "description"},
        sort={"created": "uuid", "name": "name"},
    )

    def represent(self, row: Group) -> dict[str, Any]:
        return group_resource(row)

    def perform_create(self, values: dict[str, Any]) -> Group:
        return groups.create_group(user=self.caller, **values)

    def perform_update(self, row: Group, values: dict[str, Any]) -> None:
        groups.update_group(user=self.caller, group=row, **values)

    def perform_destroy(self, row: Group) -> None:
        groups.delete_group(user=self.caller, group=row)


class MembershipViewSet(ResourceViewSet):
    kind = Membership
    related = ("group", "user")
    serializer_class = MembershipSerializer
    listing = Listing(
        filters={
            "group": Column("group", lists.key_in_uri),
            "user": Column("user", lists.key_in_uri),
            "created": Column("created", lists.time, ordered=True),
        },
        sort={"created": "uuid"},
    )

    def represent(self, row: Membership) -> dict[str, Any]:
        return membership_resource(row)

    def perform_create(self, values: dict[str, Any]) -> Membership:
        return memberships.create_membership(
            user=self.caller, group=values["group"], member=values["user"]
        )

    def perform_update(self, row: Membership, values: dict[str, Any]) -> None:
        memberships.update_membership(
            user=self.caller,
            membership=row,
            group=values.get("group"),
            member=values.get("user"),
        )

    def perform_destroy(self, row: Membership) -> None:
        memberships.delete_membership(user=self.caller, membership=row)

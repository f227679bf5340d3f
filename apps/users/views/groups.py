"""Views: groups and memberships."""

from uuid import UUID

from apps.users.models import Group, Membership
from apps.users.serializers.group import (
    GroupSerializer,
    MembershipSerializer,
    group_resource,
    membership_resource,
)
from apps.users.services import groups, memberships
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class GroupViewSet(ResourceViewSet):
    kind = Group
    related = ("creator",)
    serializer_class = GroupSerializer
    represent = staticmethod(group_resource)
    writes = groups
    listing = ListOptions(
        filters={
            "name": Column("name"),
            "uuid": Column("uuid", UUID),
            "user": Column("memberships__user", list_queries.key_in_uri),
            "user_uri": Column("creator", list_queries.key_in_uri),
            "created": Column("created", list_queries.time, ordered=True),
        },
        search={"name": "name", "description": "description"},
        sort={"created": "uuid", "name": "name"},
    )

    def may(self, row: Group, right: str) -> bool:
        return groups.may_change(self.caller, row)


class MembershipViewSet(ResourceViewSet):
    kind = Membership
    related = ("group", "user")
    serializer_class = MembershipSerializer
    represent = staticmethod(membership_resource)
    writes = memberships
    listing = ListOptions(
        filters={
            "group": Column("group", list_queries.key_in_uri),
            "user": Column("user", list_queries.key_in_uri),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid"},
    )

    def may(self, row: Membership, right: str) -> bool:
        if right == "delete":
            return memberships.may_end(self.caller, row)
        return memberships.may_change(self.caller, row.group)

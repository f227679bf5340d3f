"""{erp_url}: the caller's standing in each bureau."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from apps.erp.models import Bureau, Location
from apps.erp.models.access import ROLES, standing
from core.api import lists
from core.api.fields import Choice, StrictSerializer
from core.api.lists import Column, Listing
from core.api.views import ResourceViewSet
from core.resources import Addressed


class RoleSerializer(StrictSerializer):
    """What somebody is in a bureau."""

    uri = serializers.CharField(read_only=True)
    bureau = serializers.CharField(read_only=True)
    location = serializers.CharField(
        read_only=True, allow_null=True, help_text="Of `restricted`: where they work."
    )
    username = serializers.CharField(read_only=True)
    role = Choice(choices=ROLES, read_only=True)


class Role(Addressed):
    """What somebody is in a bureau."""

    SERVICE = "erp"
    KIND = "role"


class RoleViewSet(ResourceViewSet):
    """Made from rights and memberships: there is nothing to write."""

    kind = Role
    serializer_class = RoleSerializer
    listing = Listing(
        filters={"bureau": Column("pk", lists.key_in_uri), "role": Column("role")},
        sort={"created": "uuid"},
    )

    def rows(self) -> QuerySet:
        return standing(self.caller)

    def represent(self, row: Any) -> dict[str, Any]:
        restricted = row.role == "restricted"
        return {
            "uri": Role.uri_of(row.pk),
            "bureau": Bureau.uri_of(row.pk),
            "location": Location.uri_of(row.location) if restricted else None,
            "username": self.caller.username,
            "role": row.role,
        }

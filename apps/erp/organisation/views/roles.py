"""Views: roles of the caller in each bureau."""

from typing import Annotated, Any, Literal, TypedDict

from django.db.models import QuerySet

from apps.erp.base.models.access import ROLES, standing
from apps.erp.base.models.bureaus import Bureau, Location
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.openapi.response_types import Uri
from core.api.views import ResourceViewSet
from core.resources import HasUri


class RoleAnswer(TypedDict):
    """What somebody is in a bureau."""

    uri: Uri
    bureau: Uri
    location: Annotated[Uri | None, "Location of the role `restricted`."]
    username: str
    role: Annotated[str, Literal[*ROLES]]


class Role(HasUri):
    """What somebody is in a bureau."""

    SERVICE = "erp"
    KIND = "role"


class RoleViewSet(ResourceViewSet):
    """Made from rights and memberships: there is nothing to write."""

    says = {"list": "List roles", "retrieve": "Get a role"}
    kind = Role
    listing = ListOptions(
        filters={"bureau": Column("pk", list_queries.key_in_uri), "role": Column("role")},
        sort={"created": "uuid"},
    )

    def rows(self) -> QuerySet:
        return standing(self.caller)

    def represent(self, row: Any) -> RoleAnswer:
        restricted = row.role == "restricted"
        return {
            "uri": Role.uri_of(row.pk),
            "bureau": Bureau.uri_of(row.pk),
            "location": Location.uri_of(row.location) if restricted else None,
            "username": self.caller.username,
            "role": row.role,
        }

"""Views: accounts."""

from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.users.domain.authentication import SessionOrTokenAuthentication, credential_of
from apps.users.models import Group, Membership, User
from apps.users.serializers.session import PresenceSerializer
from apps.users.serializers.user import UserAnswer, UserSerializer, member_resource, user_resource
from apps.users.services import accounts
from apps.users.views.sessions import give_cookie
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import BadQuery, Column, ListOptions
from core.api.renderers import Response
from core.api.views import ResourceViewSet
from core.web.throttling import client_address


class LenientCaller(SessionOrTokenAuthentication):
    """Authentication of public endpoints: a stale cookie counts as anonymous, not as an error."""

    def authenticate(self, request: Request) -> Any:
        try:
            return super().authenticate(request)
        except AuthenticationFailed:
            return None


def groups_named(given: str) -> set[UUID]:
    """The keys of the groups that these URIs name; one that names none counts as another."""
    return {list_queries.key_of_kind("group", uri) for uri in given.split(",")}


def in_groups(given: str) -> Q:
    """Return the users in any of these groups."""
    return Q(pk__in=Membership.objects.filter(group__in=groups_named(given)).values("user"))


# What members of a group may be asked by those who read it: nothing of how to reach them.
MEMBERS = ListOptions(
    filters={
        "username": Column("username"),
        "name": Column("name"),
        "uuid": Column("uuid", UUID),
        "created": Column("date_joined", list_queries.time, ordered=True),
    },
    search={"username": "username", "name": "name"},
    sort={"created": "uuid", "username": "username", "name": "name"},
    plain={"filter[group]": in_groups},
)
PEOPLE = ListOptions(
    filters={**MEMBERS.filters, "email": Column("email"), "company": Column("company")},
    search={**MEMBERS.search, "email": "email"},
    sort=MEMBERS.sort,
    plain=MEMBERS.plain,
)


class UserViewSet(ResourceViewSet):
    says = {"list": "List users"}
    kind = User
    serializer_class = UserSerializer
    listing = PEOPLE

    def get_permissions(self):
        return [AllowAny()] if self.action == "create" else super().get_permissions()

    def get_authenticators(self):
        creating = self.request is not None and self.request.method == "POST"
        return [LenientCaller()] if creating else super().get_authenticators()

    def rows(self) -> QuerySet[User]:
        everybody = User.objects.filter(is_active=True)
        caller = self.caller
        return everybody if caller.is_staff else everybody.filter(pk=caller.pk)

    def list(self, request: Request, **keys: Any) -> Response:
        """List users readable by the caller; with `filter[group]`, members of readable groups."""
        if not self.caller.is_staff and "filter[group]" in request.query_params:
            self.listing = MEMBERS
        return super().list(request, **keys)

    def listed(self) -> QuerySet[User]:
        if self.listing is PEOPLE:
            return self.rows().filter(guest_until=None)
        named = groups_named(",".join(self.request.query_params.getlist("filter[group]")))
        if Group.objects.visible_to(self.caller).filter(pk__in=named).count() < len(named):
            raise BadQuery(
                "This names a group that is not there, or that you may not read.",
                code="resource-not-found",
                field="filter[group]",
            )
        return User.objects.filter(is_active=True)

    def represent(self, row: User) -> UserAnswer:
        merely_shared = self.listing is MEMBERS and row.pk != self.caller.pk
        return member_resource(row) if merely_shared else user_resource(row)

    def create(self, request: Request, **keys: Any) -> HttpResponse:
        body = request.data if isinstance(request.data, dict) else {}
        accounts.admit(
            address=client_address(request._request),
            by_operator=bool(self.caller and self.caller.is_staff),
            invitation=str(body.get("invitation") or ""),
        )
        return super().create(request, **keys)

    def perform_create(self, values: ValidatedData) -> User:
        return accounts.register(actor=self.caller, **values)

    def update(self, request: Request, uuid: UUID, **keys: Any) -> Response:
        row = self.row(uuid)
        renewed = accounts.update_user(
            user=row,
            actor=self.caller,
            credential=credential_of(request),
            **self.read(request, row),
        )
        response = Response(status=204)
        if renewed:
            give_cookie(response, renewed)
        return response

    def may(self, row: User, right: str) -> bool:
        return self.caller.may_change(row)

    def perform_destroy(self, row: User) -> None:
        serializer = PresenceSerializer(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        accounts.deactivate_user(
            user=row,
            actor=self.caller,
            credential=credential_of(self.request),
            **serializer.validated_data,
        )

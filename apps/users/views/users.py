"""{users_url}: accounts."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from apps.users.authentication import Caller, credential_of
from apps.users.models import User
from apps.users.serializers.user import UserSerializer, user_resource
from apps.users.services import accounts
from apps.users.views.sessions import give_cookie
from core.api import lists
from core.api.lists import Column, Listing
from core.api.views import ResourceViewSet
from core.throttle import client_address


class LenientCaller(Caller):
    """Who calls, where anybody may: a stale cookie is nobody, not an error."""

    def authenticate(self, request: Request) -> Any:
        try:
            return super().authenticate(request)
        except AuthenticationFailed:
            return None


class UserViewSet(ResourceViewSet):
    service = "users"
    serializer_class = UserSerializer
    listing = Listing(
        filters={
            "username": Column("username"),
            "email": Column("email"),
            "name": Column("name"),
            "company": Column("company"),
            "uuid": Column("uuid", UUID),
            "created": Column("date_joined", lists.time, ordered=True),
        },
        search={"username": "username", "name": "name", "email": "email"},
        sort={"created": "uuid", "username": "username", "name": "name"},
    )

    def get_permissions(self):
        return [AllowAny()] if self.action == "create" else super().get_permissions()

    def get_authenticators(self):
        creating = self.request is not None and self.request.method == "POST"
        return [LenientCaller()] if creating else super().get_authenticators()

    def rows(self) -> QuerySet[User]:
        everybody = User.objects.filter(is_active=True)
        caller = self.caller
        return everybody if caller.is_staff else everybody.filter(pk=caller.pk)

    def represent(self, row: User) -> dict[str, Any]:
        return user_resource(row)

    def create(self, request: Request, **keys: Any) -> HttpResponse:
        accounts.admit(
            address=client_address(request._request),
            by_operator=bool(self.caller and self.caller.is_staff),
        )
        return super().create(request, **keys)

    def perform_create(self, values: dict[str, Any]) -> User:
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

    def perform_destroy(self, row: User) -> None:
        accounts.deactivate_user(
            user=row, actor=self.caller, credential=credential_of(self.request)
        )

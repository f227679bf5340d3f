"""{users_url}: accounts."""

from typing import Any

from django.db.models import QuerySet
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.users.authentication import Caller
from apps.users.models import User
from apps.users.serializers.user import UserSerializer, user_resource
from apps.users.services import accounts
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
            "uuid": Column("uuid"),
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

    def perform_create(self, values: dict[str, Any]) -> User:
        caller = self.caller
        return accounts.register(
            address=client_address(self.request._request),
            by_operator=bool(caller and caller.is_staff),
            **values,
        )

    def perform_update(self, row: User, values: dict[str, Any]) -> None:
        accounts.update_user(user=row, **values)

    def perform_destroy(self, row: User) -> None:
        accounts.deactivate_user(user=row)

"""{users_url}: accounts, sessions, API tokens."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from rest_framework import status
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from apps.users import services
from apps.users.authentication import Caller
from apps.users.models import ApiToken, User
from apps.users.serializers import (
    ApiTokenSerializer,
    SessionSerializer,
    UserSerializer,
    token_resource,
    user_resource,
)
from core.api import lists
from core.api.lists import Column, Listing
from core.api.views import ApiView, ResourceViewSet
from core.origins import refuse_cross_site
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
        return services.register(
            address=client_address(self.request._request),
            by_operator=bool(caller and caller.is_staff),
            **values,
        )

    def perform_update(self, row: User, values: dict[str, Any]) -> None:
        services.update_user(user=row, **values)

    def perform_destroy(self, row: User) -> None:
        services.deactivate_user(user=row)


class ApiTokenViewSet(ResourceViewSet):
    service = "users"
    serializer_class = ApiTokenSerializer
    repeatable = False
    listing = Listing(
        filters={"name": Column("name"), "created": Column("created", lists.time, ordered=True)},
        search={"name": "name"},
        sort={"created": "uuid", "name": "name"},
    )

    def rows(self) -> QuerySet[ApiToken]:
        return ApiToken.objects.filter(user=self.caller).select_related("user")

    def represent(self, row: ApiToken) -> dict[str, Any]:
        return token_resource(row)

    def perform_create(self, values: dict[str, Any]) -> ApiToken:
        return services.create_token(user=self.caller, **values)

    def perform_update(self, row: ApiToken, values: dict[str, Any]) -> None:
        services.update_token(token=row, **values)

    def perform_destroy(self, row: ApiToken) -> None:
        services.revoke_token(token=row)


class SessionView(ApiView):
    """The caller's login: made by POST, read by GET, ended by DELETE."""

    serializer_class = SessionSerializer

    def get_permissions(self):
        return [AllowAny()] if self.request.method == "POST" else super().get_permissions()

    def get_authenticators(self):
        posting = self.request is not None and self.request.method == "POST"
        return [] if posting else super().get_authenticators()

    def post(self, request: Request) -> Response:
        refuse_cross_site(request._request)
        serializer = SessionSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        user, session = services.sign_in(
            address=client_address(request._request), **serializer.validated_data
        )
        response = Response(user_resource(user), status.HTTP_201_CREATED)
        response["Location"] = response["X-Location"] = user.uri
        response.set_cookie(
            settings.SESSION_COOKIE_NAME,
            str(session.session_key),
            max_age=settings.SESSION_COOKIE_AGE,
            domain=settings.SESSION_COOKIE_DOMAIN,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
        return response

    def get(self, request: Request) -> Response:
        return Response(user_resource(self.caller))

    def delete(self, request: Request) -> Response:
        session_key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if session_key:
            services.sign_out(session_key=session_key)
        response = Response(status=status.HTTP_204_NO_CONTENT)
        response.delete_cookie(settings.SESSION_COOKIE_NAME, domain=settings.SESSION_COOKIE_DOMAIN)
        return response

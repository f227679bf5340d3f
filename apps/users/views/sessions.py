"""Views: sessions."""

from collections.abc import Callable

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.users.domain.authentication import credential_of
from apps.users.models import Login
from apps.users.serializers.session import (
    LinkSerializer,
    LoginAnswer,
    SignInSerializer,
    login_resource,
)
from apps.users.serializers.user import UserAnswer, user_resource
from apps.users.services import login_links, sessions
from core.api.fields import StrictSerializer
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.renderers import Response
from core.api.views import ApiView, ResourceViewSet
from core.web.csrf import require_same_site
from core.web.throttling import client_address


def give_cookie(response: Response, login: Login) -> None:
    """Put the session's key where every service's host is sent it, and no script sees it."""
    response.set_cookie(
        settings.SESSION_COOKIE_NAME,
        login.session_id,
        max_age=sessions.time_left(login),
        domain=settings.SESSION_COOKIE_DOMAIN,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def sign_in_by(
    prove: Callable[..., Login], request: Request, serializer: StrictSerializer
) -> Response:
    """Sign in with the serializer's credentials and return the response."""
    require_same_site(request._request)
    serializer.is_valid(raise_exception=True)
    login = prove(
        address=client_address(request._request),
        user_agent=request.headers.get("User-Agent", ""),
        replaces=request.COOKIES.get(settings.SESSION_COOKIE_NAME, ""),
        **serializer.validated_data,
    )
    response = Response(user_resource(login.user), status.HTTP_201_CREATED)
    response["Location"] = response["X-Location"] = login.user.uri
    give_cookie(response, login)
    return response


class SessionView(ApiView):
    """The caller's login: made by POST, read by GET, ended by DELETE."""

    says = {"post": "Sign in", "get": "Get the signed-in user", "delete": "Sign out"}

    def get_permissions(self):
        return [AllowAny()] if self.request.method == "POST" else super().get_permissions()

    def get_authenticators(self):
        posting = self.request is not None and self.request.method == "POST"
        return [] if posting else super().get_authenticators()

    @extend_schema(request=SignInSerializer, responses={201: UserAnswer})
    def post(self, request: Request) -> Response:
        return sign_in_by(sessions.sign_in, request, SignInSerializer(data=request.data))

    @extend_schema(responses={200: UserAnswer})
    def get(self, request: Request) -> Response:
        return Response(user_resource(self.caller))

    @extend_schema(responses={204: None})
    def delete(self, request: Request) -> Response:
        key = credential_of(request).login
        login = Login.objects.filter(pk=key).first() if key else None
        if login:
            sessions.end_session(login=login, actor=self.caller)
        response = Response(status=status.HTTP_204_NO_CONTENT)
        response.delete_cookie(settings.SESSION_COOKIE_NAME, domain=settings.SESSION_COOKIE_DOMAIN)
        return response


class LinkSessionView(ApiView):
    """Sign in by a link that `make up` or `manage.py login_link` has printed; it works once."""

    says = {"post": "Sign in with a login link"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(request=LinkSerializer, responses={201: UserAnswer})
    def post(self, request: Request) -> Response:
        return sign_in_by(login_links.sign_in, request, LinkSerializer(data=request.data))


class LoginViewSet(ResourceViewSet):
    """All of the caller's sessions: looked at, and ended one by one or all others at once."""

    says = {"end_others": "End all other sessions", "destroy": "End a session"}
    kind = Login
    listing = ListOptions(
        filters={
            "created": Column("created", list_queries.time, ordered=True),
            "last_used": Column("last_used", list_queries.time, ordered=True),
            "address": Column("address"),
        },
        sort={"created": "uuid", "last_used": "last_used"},
    )

    def rows(self) -> QuerySet[Login]:
        return self.caller.logins.open()

    def represent(self, row: Login) -> LoginAnswer:
        return login_resource(row, credential_of(self.request).login)

    def perform_destroy(self, row: Login) -> None:
        sessions.end_session(login=row, actor=self.caller)

    def end_others(self, request: Request) -> Response:
        sessions.end_others(keep=credential_of(request).login, user=self.caller)
        return Response(status=status.HTTP_204_NO_CONTENT)

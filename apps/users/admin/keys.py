"""Admin: API tokens, sessions and second factors; read and revoke."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.users.models import ApiToken, Login, SecondFactor
from apps.users.services import second_factor, sessions, tokens
from core.auth_user import admin_user
from core.web.admin_base import ReadOnlyPage, apply_to_each


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyPage):
    """API tokens; only their owners create them, and see the secret once."""

    list_display = ["uuid", "name", "user", "read_only", "created", "expires", "last_used"]
    list_filter = ["read_only", "created", "expires", "last_used"]
    search_fields = ["uuid", "name", "user__username"]
    ordering = ["-uuid"]
    actions = ["revoke"]

    @admin.action(description="Revoke selected tokens", permissions=["act"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[ApiToken]) -> None:
        def revoke(token: ApiToken) -> None:
            tokens.revoke_token(token=token, actor=admin_user(request))

        apply_to_each(request, chosen, revoke, done="revoked")


@admin.register(Login)
class LoginAdmin(ReadOnlyPage):
    """Sessions of the API."""

    list_display = ["uuid", "user", "address", "user_agent", "created", "last_used"]
    list_filter = ["created", "last_used"]
    search_fields = ["user__username", "address"]
    exclude = ["session"]  # its key is the cookie
    ordering = ["-uuid"]
    actions = ["end"]

    @admin.action(description="End selected sessions", permissions=["act"])
    def end(self, request: HttpRequest, chosen: QuerySet[Login]) -> None:
        def end(login: Login) -> None:
            sessions.end_session(login=login, actor=admin_user(request))

        apply_to_each(request, chosen, end, done="ended")


@admin.register(SecondFactor)
class SecondFactorAdmin(ReadOnlyPage):
    """Authenticator apps; an operator removes a lost one for a user with proven identity."""

    list_display = ["user", "created", "confirmed"]
    list_filter = ["confirmed"]
    search_fields = ["user__username"]
    fields = ["user", "created", "confirmed"]
    ordering = ["-uuid"]
    actions = ["remove"]

    @admin.action(description="Remove selected second factors", permissions=["act"])
    def remove(self, request: HttpRequest, chosen: QuerySet[SecondFactor]) -> None:
        def remove(factor: SecondFactor) -> None:
            second_factor.drop(factor=factor, actor=admin_user(request))

        apply_to_each(request, chosen, remove, done="removed")

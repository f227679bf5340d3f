"""Middleware of the admin host: its own session cookie, CSRF, messages, CSP.

On the API's hosts they would cost two queries a request and demand CSRF tokens that the contract
does not know; there `apps.users.domain.authentication` does what is needed.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware

from core.request_context import ACCOUNT
from core.uris import base_url

COOKIE = "operator"
# Nothing but our own, and pictures of models.
POLICY = (
    f"default-src 'self'; img-src 'self' data: {base_url('files')}; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


class OperatorSession(SessionStore):
    """Signed under its own name: a key of the API's sessions opens nothing here."""


class Sessions(SessionMiddleware):
    """Sessions in a cookie that no service host is sent, and that none of them can set."""

    def process_request(self, request: HttpRequest) -> None:
        request.session = OperatorSession(request.COOKIES.get(COOKIE))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response = super().process_response(request, response)
        morsel = response.cookies.pop(settings.SESSION_COOKIE_NAME, None)
        if morsel is not None:
            response.cookies[COOKIE] = morsel.value
            for name in ("expires", "max-age", "path", "samesite", "secure", "httponly"):
                response.cookies[COOKIE][name] = morsel[name]
        return response


class AdminMiddleware:
    """What Django's admin needs around it, in one layer that every other request passes by."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response
        layers: Any = XFrameOptionsMiddleware(get_response)
        layers = MessageMiddleware(layers)
        layers = AuthenticationMiddleware(layers)
        self.csrf = layers = CsrfViewMiddleware(layers)
        self.layers: Any = Sessions(layers)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.host.name != "admin":  # type: ignore[attr-defined]
            return self.get_response(request)
        response = self.layers(request)
        if request.user.is_authenticated:
            request.META[ACCOUNT] = str(request.user.pk)
        response.setdefault("Content-Security-Policy", POLICY)
        return response

    def process_view(self, request: HttpRequest, *arguments: Any) -> HttpResponse | None:
        """Django calls this on the layers that its settings name, so it is handed on."""
        if request.host.name != "admin":  # type: ignore[attr-defined]
            return None
        return self.csrf.process_view(request, *arguments)

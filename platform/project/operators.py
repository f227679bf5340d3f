"""Django's session middlewares, for the operators' host alone and with a cookie of its own.

On the API's hosts they would cost two queries a request and demand CSRF tokens that the contract
does not know; there `apps.users.authentication` does what is needed.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware

COOKIE = "operator"


class OnlyOperators:
    """Pass by every request that is not for the operators' host."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if request.host.name != "admin":  # type: ignore[attr-defined]
            return self.get_response(request)
        return super().__call__(request)  # type: ignore[misc]


class StaticFiles(OnlyOperators, WhiteNoiseMiddleware):
    pass


class OperatorSession(SessionStore):
    """Signed under its own name: a key of the API's sessions opens nothing here."""


class Sessions(OnlyOperators, SessionMiddleware):
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


class Csrf(OnlyOperators, CsrfViewMiddleware):
    def process_view(self, request: HttpRequest, *arguments: Any) -> Any:
        if request.host.name == "admin":  # type: ignore[attr-defined]
            return super().process_view(request, *arguments)
        return None


class Authentication(OnlyOperators, AuthenticationMiddleware):
    def process_view(self, request: HttpRequest, *arguments: Any) -> Any:
        return None


class Messages(OnlyOperators, MessageMiddleware):
    pass


class Frames(OnlyOperators, XFrameOptionsMiddleware):
    pass

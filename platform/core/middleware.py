"""What every request passes first: its host, its path, its number."""

import re
from collections.abc import Callable
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from core.api.errors import not_found
from core.circumstances import answering
from core.throttle import client_address

SAFE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin",
    "Cross-Origin-Resource-Policy": "same-site",
}


def request_number(asked: str) -> str:
    """The number of a request: the one that it brings, if that is fit to be written to a log."""
    return asked if SAFE_REQUEST_ID.fullmatch(asked) else str(uuid4())


class Front:
    """Give the request a number, one form of host, and one form of path.

    Hosts that are not exactly ours go to `nowhere`, which answers 404; the bare domain is `www`.
    A path without a slash at the end is answered like the one with it, never by a redirect,
    since clients turn a redirected POST into a GET.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response
        self.names = {"admin", "data", *settings.SERVICES, *settings.HOST_ALIASES}
        self.suffix = f".{settings.PARENT_HOST}"

    def __call__(self, request: HttpRequest) -> HttpResponse:
        asked = request.headers.get("Request-ID", "")
        number = request_number(asked)
        request.id = number  # type: ignore[attr-defined]
        request.META["HTTP_HOST"] = self._host(
            request.META.get("HTTP_HOST") or request.META["SERVER_NAME"]
        )
        if not request.path_info.endswith("/") and "." not in request.path_info.rpartition("/")[2]:
            request.path_info += "/"
            request.path += "/"

        with answering(number, client_address(request)):
            # Nothing has a NUL in its path, and PostgreSQL could not be asked for it.
            hidden = "\0" in request.path_info
            response = not_found(request) if hidden else self.get_response(request)

        response["Request-ID"] = number
        for name, value in HEADERS.items():
            response.setdefault(name, value)
        return response

    def _host(self, given: str) -> str:
        host = given.lower()
        name = host.partition(":")[0]
        if name == settings.PARENT_HOST:
            return f"www.{host}"
        if name.endswith(self.suffix) and name.removesuffix(self.suffix) in self.names:
            return host
        return f"nowhere.{settings.PARENT_HOST}"

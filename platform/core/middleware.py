"""Request middleware: Request-ID, canonical host and path, CORS, host routing."""

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from corsheaders.middleware import CorsMiddleware
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django_hosts.middleware import HostsRequestMiddleware

from core.api.exception_handler import not_found
from core.request_context import bind_request
from core.web.site_urls import DOMAIN
from core.web.throttling import client_address

SAFE_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")

HEADERS = {
    "Cache-Control": "private, no-cache",  # unless an answer sets its own
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin",
    "Cross-Origin-Resource-Policy": "same-site",
}
MAX_FORMS = 1000  # of hosts, whose urls are remembered


def request_number(asked: str) -> str:
    """The number of a request: the one that it brings, if that is fit to be written to a log."""
    return asked if SAFE_REQUEST_ID.fullmatch(asked) else str(uuid4())


class RequestMiddleware:
    """Give the request a number, one form of host, and one form of path.

    Hosts that are not exactly ours go to `nowhere`, which answers 404; the bare domain is `www`, a
    domain of a shop's own `storefront`.
    A path without a slash at the end is answered like the one with it, never by a redirect,
    since clients turn a redirected POST into a GET.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response
        self.names = {"admin", "data", "events", *settings.SERVICES, *settings.HOST_ALIASES}
        self.suffix = f".{settings.PARENT_HOST}"

    def __call__(self, request: HttpRequest) -> HttpResponse:
        number = request_number(request.META.get("HTTP_REQUEST_ID", ""))
        request.id = number  # type: ignore[attr-defined]
        host = request.META.get("HTTP_HOST") or request.META["SERVER_NAME"]
        name = host.lower().partition(":")[0]
        request.META[DOMAIN] = name if name in settings.STOREFRONT_DOMAINS else ""
        request.META["HTTP_HOST"] = self._host(host)
        if not request.path_info.endswith("/") and "." not in request.path_info.rpartition("/")[2]:
            request.path_info += "/"
            request.path += "/"

        with bind_request(number, client_address(request)):
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
        if name in settings.STOREFRONT_DOMAINS:
            return f"storefront.{settings.PARENT_HOST}"
        if name.endswith(self.suffix) and name.removesuffix(self.suffix) in self.names:
            return host
        return f"nowhere.{settings.PARENT_HOST}"


class PlatformCorsMiddleware(CorsMiddleware):
    """CORS: Access-Control headers for allowed origins, and Vary: Origin on every response."""

    def __call__(self, request: HttpRequest) -> Any:
        if "HTTP_ORIGIN" in request.META or request.method == "OPTIONS":
            return super().__call__(request)
        response: Any = self.get_response(request)
        patch_vary_headers(response, ("origin",))
        return response


class CachedHostsMiddleware(HostsRequestMiddleware):
    """django-hosts' layer, which looks through its patterns once for each form of a host.

    `Front` lets through few forms: a name of ours, with or without a port.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        super().__init__(get_response)
        self.known: dict[str, object] = {}

    def __call__(self, request: HttpRequest) -> Any:
        given = request.META["HTTP_HOST"]
        host = self.known.get(given)
        if host is None:
            host, _ = self.get_host(request.get_host())
            if len(self.known) < MAX_FORMS:
                self.known[given] = host
        request.host, request.urlconf = host, host.urlconf  # type: ignore[attr-defined]
        return self.get_response(request)

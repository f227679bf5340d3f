"""Messages to chat and push services through Apprise, by the URL policy of outbound requests.

Apprise requests by the package `requests`: to any address, by the proxies and passwords of the
environment, and behind redirects. Its modules therefore get another `requests`, whose sessions send
by `core.outbound.http`: addresses are checked as the socket is opened, redirects are not followed,
and time and answers are limited. Only services that send by `requests` alone are allowed, and of
their options only those that name no file, address or header.
"""

import functools
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from http import HTTPStatus
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import BaseAdapter

from core.outbound import http
from core.outbound.url_policy import ForbiddenUrl, parse

# By the scheme of the address: whether it names the host of the service.
SERVICES: Mapping[str, bool] = {
    **dict.fromkeys(("slack", "discord", "tgram", "pover", "gchat"), False),
    **dict.fromkeys(("workflow", "workflows", "ntfy", "ntfys", "gotify", "gotifys"), True),
    **dict.fromkeys(("mmost", "mmosts", "rocket", "rockets", "json", "jsons"), True),
}
OPTIONS = frozenset(
    {
        *("to", "channel", "channels", "team", "topic", "thread", "threadkey", "workspace"),
        *("token", "auth", "key", "priority", "tags", "botname"),
        *("id", "workflow", "sig", "signature", "ver", "api-version", "sp", "sv"),
    }
)
MAX_SECONDS = 30.0  # for one message, with all requests of its service
NAME = "Manufacturing platform"  # by which services show the sender
# The names of `requests` that modules of Apprise get; all others fail.
_METHODS = frozenset({"request", "get", "post", "put", "patch", "delete", "head", "options"})
_PASSED_ON = frozenset({"auth", "codes", "exceptions", "RequestException", "TooManyRedirects"})


class NotAccepted(Exception):
    """The service does not take the message, now or later; the text has the reason."""


@dataclass
class _Exchange:
    """The requests of one message: when they must have ended, and why the last one failed."""

    end: float
    failure: NotAccepted | http.Unreachable | None = None


_exchange: ContextVar[_Exchange] = ContextVar("exchange")


def masked(url: str) -> str:
    """Return an address without its secrets: its scheme, and its host where it names one.

    Raises ForbiddenUrl for an address that is not allowed.
    """
    service = _service_of(url)
    return f"{service.schema}://{service.host + '/' if service.host else ''}…"


def send(url: str, *, title: str, text: str) -> None:
    """Send a plain text to a service.

    Raises NotAccepted, or OSError where another attempt may succeed.
    """
    try:
        service = _service_of(url)
    except ForbiddenUrl as error:
        raise NotAccepted(str(error)) from error
    apprise = _apprise()
    exchange = _Exchange(time.monotonic() + MAX_SECONDS)
    with _in(exchange):
        result = apprise.Apprise([service.plugin], asset=service.plugin.asset).notify(
            text, title, body_format=apprise.NotifyFormat.TEXT
        )
    if not result:
        raise exchange.failure or NotAccepted("The service has not taken the message.")


@dataclass(frozen=True)
class _Service:
    """A service as its address names it; `host` is empty where the address has none."""

    schema: str
    host: str
    plugin: Any


def _service_of(url: str) -> _Service:
    apprise = _apprise()
    values = apprise.plugins.url_to_dict(url) or {}
    schema = str(values.get("schema"))
    if schema not in SERVICES:
        allowed = ", ".join(f"{each}://" for each in SERVICES)
        raise ForbiddenUrl(f"This is no address of a service: use one of {allowed}.")
    keyed = [values.get(f"qsd{mark}") for mark in "+-:"]
    if any(keyed) or (unknown := sorted(set(values.get("qsd") or ()) - OPTIONS)):
        which = "+, - and :" if any(keyed) else ", ".join(unknown)
        raise ForbiddenUrl(f"Options of the address are not allowed: leave out {which}.")
    asset = apprise.AppriseAsset(
        app_id=NAME,
        app_desc=NAME,
        image_url_mask="",
        image_url_logo="",
        image_path_mask=False,
        allow_templates=False,
        service_timeout=0,  # no thread of Apprise's; `_Exchange.end` is the limit
    )
    plugin = apprise.Apprise.instantiate(values, asset=asset)
    if plugin is None:
        raise ForbiddenUrl(f"The address {schema}:// is incomplete: compare it with an example.")
    if getattr(plugin, "detect_owner", False):  # it would be the last sender to the bot
        raise ForbiddenUrl("The address names no chat: write tgram://token/chat.")
    if urlsplit(url).netloc.count("@") > 1:
        raise ForbiddenUrl("The password contains @: write %40 instead.")
    host = plugin.host or "" if SERVICES[schema] else ""
    if host:
        parse(f"https://{host}:{plugin.port or 443}/")
    plugin.throttle = lambda *args, **options: None  # it sleeps as long as an answer wants
    return _Service(schema, host, plugin)


@contextmanager
def _in(exchange: _Exchange) -> Iterator[None]:
    token = _exchange.set(exchange)
    try:
        yield
    finally:
        _exchange.reset(token)


@functools.cache
def _apprise() -> Any:
    """Return Apprise with all its plugins, none of which has `requests` itself."""
    import apprise

    for manager in ("NotificationManager", "AttachmentManager", "ConfigurationManager"):
        getattr(apprise, manager)().load_modules()
    for name, module in list(sys.modules.items()):
        if name.startswith("apprise.") and vars(module).get("requests") is requests:
            vars(module)["requests"] = _Requests("requests")
    apprise.logger.disabled = True  # its lines have addresses and answers
    return apprise


class _Requests(ModuleType):
    """What modules of Apprise use in place of `requests`."""

    def __getattr__(self, name: str) -> Any:
        if name in _PASSED_ON:
            return getattr(requests, name)
        if name not in _METHODS:
            raise AttributeError(name)
        session = requests.Session()
        session.trust_env = False
        session.adapters.clear()
        session.mount("http", _Adapter())
        return getattr(session, name)


class _Adapter(BaseAdapter):
    """Sends requests of Apprise by the platform's HTTP client."""

    def send(
        self, request: requests.PreparedRequest, *_: object, **__: object
    ) -> requests.Response:
        """Return the answer. Raises ConnectionError, and sets the failure of the exchange."""
        exchange = _exchange.get()
        headers = {**request.headers, "Accept-Encoding": "identity"}
        headers = {name: value for name, value in headers.items() if name not in _OF_CONNECTION}
        body = request.body.encode() if isinstance(request.body, str) else request.body
        left = exchange.end - time.monotonic()
        try:
            if left <= 0:
                raise http.Unreachable("timeout", f"No answer within {MAX_SECONDS:g} s.")
            answer = http.request(
                request.method or "",
                request.url or "",
                headers=headers,
                body=body,
                timeout=min(http.TOTAL_TIMEOUT, left),
                max_bytes=http.READ_LIMIT,
            )
        except ForbiddenUrl as error:
            exchange.failure = NotAccepted(str(error))
            raise requests.ConnectionError from error
        except http.Unreachable as error:
            exchange.failure = _readable(error)
            raise requests.ConnectionError from error
        exchange.failure = _failure_of(answer.status)
        response = requests.Response()
        response.status_code, response.url = answer.status, request.url or ""
        response._content, response.encoding = answer.head, "utf-8"
        response.request = request
        return response

    def close(self) -> None:
        """Connections end with their request."""


_REASONS = {
    "broken": "The answer broke off or is not HTTP.",
    "dns": "The host name of the service is not found.",
    "refused": "The service refuses connections.",
    "tls": "The certificate of the service is not valid for its host.",
}
_OF_CONNECTION = frozenset({"Connection", "Content-Length", "Host", "Transfer-Encoding"})


def _readable(error: http.Unreachable) -> NotAccepted | http.Unreachable:
    """A failure whose text has no URL and no address: those of services are secrets."""
    if error.reason == "blocked":
        return NotAccepted(str(error))
    return http.Unreachable(error.reason, _REASONS.get(error.reason, str(error)))


def _failure_of(status: int) -> NotAccepted | http.Unreachable | None:
    """What an answer means; a redirect is not followed, since it may lead anywhere."""
    if status < HTTPStatus.MULTIPLE_CHOICES:
        return None
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
    text = f"The service answered {status} {phrase}".strip() + "."
    repeated = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)
    if status in repeated or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return http.Unreachable("status", text)
    return NotAccepted(text)

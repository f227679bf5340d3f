"""ASGI application of the web process: files host, event streams, Django behind a request buffer.

The shield is against slow clients. It reads a whole body in the event loop before a thread is
spent on the request, so that a client which sends one byte at a time delays nobody.
"""

import logging
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import quote

import orjson
from a2wsgi import WSGIMiddleware
from django.conf import settings

from core.process.parent_death_signal import end_with_parent
from project.wsgi import application as django  # sets Django up: the imports below need it

# isort: split
from core.files import blobs
from core.middleware import request_number
from core.process.open_files import raise_open_files
from core.web import connection_limits, throttling
from core.web.fair_semaphore import SemaphoreTimeout
from core.web.slow_readers import ClientStalled, close_unread_connections, paced
from files_host.app import files
from files_host.responses import HttpError
from files_host.slicer_host import slicer_uploads
from project import login_admission
from project.admin_middleware import COOKIE
from project.event_streams import is_stream, stream
from project.request_buffer import STRANGERS, RequestBuffer
from project.request_liveness import RequestLiveness
from project.request_turns import Clients, RequestTurns
from project.request_usage import USAGE, measured

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

logger = logging.getLogger(__name__)

THREADS = 16
VISITORS = 2  # threads for guests and for requests without credentials
# s, of Python's lock, 5 ms by default: a request waits for it after each statement of SQL, and so
# some fifty times beside one that computes.
SWITCH_INTERVAL = 0.0005

end_with_parent()  # granian's first process may be killed; a web process alone would hold the port
raise_open_files()  # each connection is one, and those that send nothing are many
blobs.remove_stale()
sys.setswitchinterval(SWITCH_INTERVAL)
connection_limits.watch(settings.PORT)

_wsgi: Any = measured(django)
_django: Any = WSGIMiddleware(_wsgi, workers=THREADS)
_visitors: Any = WSGIMiddleware(_wsgi, workers=VISITORS)
_passwords: Any = WSGIMiddleware(
    _wsgi, workers=login_admission.THREADS
)  # no other request waits for these
_files_host, _print_host = f"files.{settings.PARENT_HOST}", f"print.{settings.PARENT_HOST}"
_hsts = (b"strict-transport-security", f"max-age={settings.SECURE_HSTS_SECONDS}".encode())
_cookies = tuple(f"{name}=" for name in (settings.SESSION_COOKIE_NAME, COOKIE))
_bodies = RequestBuffer()
_pulse = RequestLiveness()
_clients = Clients()
_turns = RequestTurns()
_always = [_hsts] if settings.SECURE_HSTS_SECONDS else []


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application of a web process."""
    if scope["type"] != "http":
        return await _django(scope, receive, send)
    if _pulse.start():
        close_unread_connections()
    send = _numbered(scope, paced(send))
    scope["neighbourhood"] = _neighbourhood(scope)
    try:
        if _asks_for_health(scope) and _pulse.beats():
            await _say(send, 200, {"status": "ok"})
        elif _host(scope) == _files_host:
            await files(scope, receive, send)
        elif _host(scope) == _print_host:
            await slicer_uploads(scope, receive, send)
        else:
            await _shielded(scope, receive, send)
    except ClientStalled as stalled:
        logger.info("%s %s: %s", scope["method"], scope["path"], stalled)


def _numbered(scope: Scope, send: Send) -> Send:
    """Give the request its number, which its answer carries, whoever writes it; and HSTS."""
    number = request_number(_header(scope, b"request-id")).encode()
    others = [(name, value) for name, value in scope["headers"] if name != b"request-id"]
    scope["headers"] = [*others, (b"request-id", number)]

    async def numbered(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = [pair for pair in message["headers"] if pair[0].lower() != b"request-id"]
            message["headers"] = [*own, (b"request-id", number), *_always]
        await send(message)

    return numbered


async def _shielded(scope: Scope, receive: Receive, send: Send) -> None:
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE if _shows_credentials(scope) else STRANGERS
    try:
        async with _bodies.whole(receive, scope["neighbourhood"], most) as body:
            await _answer(scope, body, receive, send)
    except HttpError as refused:
        await _refuse(send, *refused.args)


async def _answer(scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    # Two names that differ in - and _ alone would be one to WSGI: a way round a proxy's checks.
    headers = [(name, value) for name, value in scope["headers"] if b"_" not in name]
    # Also a body that came in chunks has a length now, without which WSGI reads nothing of it.
    others = [pair for pair in headers if pair[0] not in (b"content-length", b"transfer-encoding")]
    scope["headers"] = [*others, (b"content-length", str(len(body)).encode())] if body else others
    scope["query_string"] = quote(scope["query_string"], safe=_ASCII).encode()
    if is_stream(scope, _host(scope)):
        return await stream(scope, _once(body, receive), send)
    if login_admission.may_hash(scope["method"], _host(scope), scope["path"]):
        try:
            async with login_admission.turn(scope["neighbourhood"], _host(scope), body):
                return await _passwords(scope, _once(body, receive), send)
        except SemaphoreTimeout:
            title = "Too many people sign in at this moment: try again in a second."
            return await _refuse(send, 503, "unavailable", title, (b"retry-after", b"1"))
    own = [each for each in _header(scope, b"cookie").split("; ") if each.startswith(_cookies)]
    credentials = _header(scope, b"authorization"), own
    client = _clients.find(*credentials, scope["neighbourhood"], _host(scope))
    web = _visitors if client.is_visitor else _django
    try:
        async with _turns.one(client):
            try:
                with _pulse.waiting():
                    await web(scope, _once(body, receive), send)
            finally:  # also for a client that has gone, or does not read
                if usage := scope.get(USAGE):
                    _clients.learn(*credentials, usage.account)
                    _turns.charge(client, usage)
    except SemaphoreTimeout:
        title = "Too many of your requests wait to be answered: try again in a second."
        await _refuse(send, 503, "unavailable", title, (b"retry-after", b"1"))


_ASCII = "".join(chr(number) for number in range(33, 127))


def _asks_for_health(scope: Scope) -> bool:
    return (
        scope["method"] == "GET"
        and scope["path"] in ("/health", "/health/")
        and _host(scope) == settings.PARENT_HOST
    )


def _shows_credentials(scope: Scope) -> bool:
    """Whether the request brings any; whether they are good is asked with the body at hand."""
    cookies = _header(scope, b"cookie").split("; ")
    return bool(_header(scope, b"authorization")) or any(c.startswith(_cookies) for c in cookies)


def _neighbourhood(scope: Scope) -> str:
    """Where the request comes from, as it is counted."""
    peer = (scope.get("client") or ("",))[0]
    return throttling.client_prefix(
        throttling.untrusted_client(peer, _header(scope, b"x-forwarded-for"))
    )


def _once(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def whole() -> MutableMapping[str, Any]:
        return waiting.pop() if waiting else await receive()

    return whole


async def _refuse(
    send: Send, status: int, code: str, title: str, *more: tuple[bytes, bytes]
) -> None:
    errors = {"errors": [{"code": code, "title": title}]}
    await _say(send, status, errors, (b"connection", b"close"), *more)


async def _say(send: Send, status: int, body: Any, *more: tuple[bytes, bytes]) -> None:
    content = orjson.dumps(body)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        (b"x-content-type-options", b"nosniff"),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _host(scope: Scope) -> str:
    return _header(scope, b"host").lower().partition(":")[0]


def _header(scope: Scope, name: bytes) -> str:
    return next((value for known, value in scope["headers"] if known == name), b"").decode("latin1")

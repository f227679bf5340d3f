"""ASGI responses of the files host: headers, errors, thread offloading."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
from django.db import InterfaceError, OperationalError, ProgrammingError

from core.errors import DatabaseUnavailable, ErrorEntry, ServiceError, error_entry
from core.files.disk_space import StorageFull, is_disk_full
from core.files.storage.errors import StorageError

logger = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

# Writing, hashing and calls into Django: never in the event loop.
_threads = ThreadPoolExecutor(max_workers=16, thread_name_prefix="files")

HEADERS = [
    (b"access-control-allow-origin", b"*"),  # a location is its own credential
    (
        b"access-control-expose-headers",
        b"etag, content-range, content-disposition, retry-after, request-id, tus-resumable,"
        b" tus-version, tus-extension, tus-max-size, tus-checksum-algorithm, upload-offset,"
        b" upload-length, upload-defer-length, upload-expires",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; sandbox"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"cross-origin"),
]
PREFLIGHT = [
    (b"access-control-allow-methods", b"GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS"),
    (
        b"access-control-allow-headers",
        b"content-type, range, if-range, if-none-match, request-id, x-request-id,"
        b" x-http-method-override, tus-resumable, upload-offset, upload-length,"
        b" upload-defer-length, upload-checksum",
    ),
    (b"access-control-max-age", b"3600"),
]
_JSON = [(b"content-type", b"application/json")]


class HttpError(Exception):
    """The request is answered with an error: status, code, title, headers where it has any."""


def rejection_of(error: Exception, what: str) -> tuple[int, list[ErrorEntry], Headers]:
    """Status, errors and headers of the response to a request that failed by this exception.

    what : method and path of the request, for the log
    """
    if isinstance(error, HttpError):
        status, code, title, *more = error.args
        return status, [error_entry(code, title)], more[0] if more else []
    if isinstance(error, StorageError):
        logger.error("%s", error)
        error = error.rejection()
    elif isinstance(error, InterfaceError | OperationalError):
        logger.warning("The database did not answer: %s", error)
        error = StorageFull() if is_disk_full(error) else DatabaseUnavailable()
    elif isinstance(error, OSError) and is_disk_full(error):
        error = StorageFull()
    elif isinstance(error, ProgrammingError):
        # Raised by psycopg for a connection that ended during a command.
        logger.error("%s: the database did not answer", what, exc_info=error)
        error = DatabaseUnavailable()
    if isinstance(error, ServiceError):
        own = [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
        return error.status, error.entries(), own
    logger.error("%s failed", what, exc_info=error)
    title = "Something failed on our side: try again."
    return 500, [error_entry("internal-error", title)], []


async def refuse(
    send: Send, status: int, entries: list[ErrorEntry], headers: Iterable[tuple[bytes, bytes]]
) -> None:
    """Answer with the platform's body of errors."""
    # The rest of a refused body is not read: the connection cannot be used again.
    own = [*_JSON, (b"connection", b"close"), *headers]
    await answer(send, status, orjson.dumps({"errors": entries}), own)


async def answer(
    send: Send, status: int, body: bytes = b"", headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Answer all at once."""
    length = [] if status in (204, 304) else [(b"content-length", str(len(body)).encode())]
    await send(
        {"type": "http.response.start", "status": status, "headers": [*HEADERS, *headers, *length]}
    )
    await send({"type": "http.response.body", "body": body})


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call what may block."""
    return await asyncio.get_running_loop().run_in_executor(_threads, function, *arguments)

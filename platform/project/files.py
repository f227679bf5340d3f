"""`files.`: streamed uploads and downloads behind signed locations; no cookies, no sessions."""

import asyncio
import hashlib
import logging
import os
import re
import shutil
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import orjson
from django.conf import settings
from django.core.files.storage import default_storage
from django.db import InterfaceError, OperationalError, close_old_connections
from django.utils.module_loading import import_string

from core import blobs
from core.errors import ServiceError
from core.locations import (
    BadSignature,
    DownloadGrant,
    Expired,
    UploadGrant,
    read_download,
    read_upload,
)
from core.models import blob_name

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

logger = logging.getLogger(__name__)

IDLE = 10.0  # seconds without a byte
SLOWEST = 2_000  # bytes a second, once the first IDLE seconds are over
CHUNK = 256 * 1024
LEAST_FREE = 2 * 1024**3  # bytes that uploads leave for the database

# Writing, hashing and the one call into Django: never in the event loop.
_threads = ThreadPoolExecutor(max_workers=16, thread_name_prefix="files")

HEADERS = [
    (b"access-control-allow-origin", b"*"),  # a location is its own credential
    (b"access-control-expose-headers", b"etag, content-range, content-disposition"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; sandbox"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"cross-origin"),
]
PREFLIGHT = [
    (b"access-control-allow-methods", b"GET, HEAD, PUT"),
    (b"access-control-allow-headers", b"content-type, range, if-range, if-none-match"),
    (b"access-control-max-age", b"3600"),
]


class Refused(Exception):
    """The request is answered with an error: status, code, title, headers where it has any."""


async def files(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application of the `files.` host."""
    path = scope["path"]
    query = scope["query_string"].decode("latin1")
    headers = {name.lower(): value.decode("latin1") for name, value in scope["headers"]}
    asked = scope["method"]
    try:
        if asked == "OPTIONS" and b"access-control-request-method" in headers:
            await _answer(send, 204, b"", PREFLIGHT)
        elif path.startswith("/upload/") and asked == "PUT":
            grant = read_upload(path, query, headers.get(b"content-type", ""))
            await _upload(grant, headers, receive)
            await _answer(send, 204)
        elif path.startswith("/content/") and asked in ("GET", "HEAD"):
            await _download(read_download(path, query), headers, send, with_body=asked == "GET")
        elif path.startswith(("/upload/", "/content/")):
            raise Refused(405, "invalid-method", f"{asked} is not answered at this location.")
        else:
            raise Refused(404, "resource-not-found", "Nothing is at this path on this host.")
    except BadSignature as error:
        await _error(send, 403, "SignatureDoesNotMatch", str(error))
    except Expired:
        await _error(
            send, 403, "location-expired", "This location has expired: read the resource again."
        )
    except Refused as error:
        await _error(send, *error.args)
    except ServiceError as error:
        await _answer(send, error.status, orjson.dumps({"errors": error.entries()}), _JSON)
    except (InterfaceError, OperationalError) as error:
        logger.warning("The database did not answer: %s", error)
        title = "The database cannot be reached at the moment: try again in a few seconds."
        await _error(send, 503, "database-unavailable", title, [(b"retry-after", b"5")])
    except Exception:
        logger.exception("%s %s failed", asked, path)
        await _error(send, 500, "internal-error", "Something failed on our side: try again.")


# ---------------------------------------------------------------- uploads


async def _upload(grant: UploadGrant, headers: dict[bytes, str], receive: Receive) -> None:
    """Stream the body to disk while it is hashed; nothing stays of one that breaks off."""
    length = headers.get(b"content-length")
    if length is None and b"transfer-encoding" not in headers:
        raise Refused(411, "length-required", "Send the file with a Content-Length.")
    if length is not None and int(length) > grant.max_size:
        raise Refused(413, "payload-too-large", f"A file has at most {grant.max_size} bytes.")
    if shutil.disk_usage(blobs.incoming_folder()).free < LEAST_FREE + int(length or 0):
        raise Refused(507, "storage-full", "The server's disk is full: tell its operator.")

    with blobs.arriving() as (file, path):
        sha256, size = await _receive(receive, file, grant.max_size)
        if length is not None and size != int(length):
            raise Refused(400, "truncated", f"{size} of {length} bytes arrived: send it again.")
        await _in_thread(_write_out, file)
        await _in_thread(_store, grant, path, sha256, size)


def _write_out(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


async def _receive(receive: Receive, file: BinaryIO, most: int) -> tuple[str, int]:
    digest, size, begun = hashlib.sha256(), 0, time.monotonic()
    buffer = bytearray()

    def write(data: bytes) -> None:
        file.write(data)
        digest.update(data)

    while True:
        try:
            async with asyncio.timeout(IDLE):
                message = await receive()
        except TimeoutError:
            raise Refused(
                408, "request-timeout", "The upload stood still: send it again."
            ) from None
        if message["type"] == "http.disconnect":
            raise Refused(400, "truncated", "The upload broke off: send it again.")
        buffer += message.get("body", b"")
        size += len(message.get("body", b""))
        if size > most:
            raise Refused(413, "payload-too-large", f"A file has at most {most} bytes.")
        took = time.monotonic() - begun
        if took > IDLE and size < SLOWEST * (took - IDLE):
            raise Refused(408, "request-timeout", "The upload is too slow: send it again.")
        last = not message.get("more_body")
        if buffer and (last or len(buffer) >= CHUNK):
            await _in_thread(write, bytes(buffer))
            buffer.clear()
        if last:
            return digest.hexdigest(), size


def _store(grant: UploadGrant, path: Path, sha256: str, size: int) -> None:
    """`hand_over` in a thread of its own, which has a database connection of its own."""
    close_old_connections()
    try:
        hand_over(grant, path, sha256, size)
    finally:
        close_old_connections()


def hand_over(grant: UploadGrant, path: Path, sha256: str, size: int) -> None:
    """Offer a file that has arrived to the service that owns its resource, which has it placed."""
    take = import_string(settings.STORE_CONTENT[grant.kind])
    take(uuid=grant.uuid, sha256=sha256, size=size, place=partial(blobs.place, path, sha256))


# ---------------------------------------------------------------- downloads


async def _download(
    grant: DownloadGrant, headers: dict[bytes, str], send: Send, *, with_body: bool
) -> None:
    file, size = await _in_thread(_open, grant.sha256)
    try:
        etag = f'"{grant.sha256}"'
        own = [
            (b"etag", etag.encode()),
            (b"accept-ranges", b"bytes"),
            (b"cache-control", b"private, max-age=3600, immutable"),
            (b"content-type", grant.media_type.encode()),
            (b"content-disposition", _disposition(grant.filename)),
        ]
        if etag in headers.get(b"if-none-match", ""):
            return await _answer(send, 304, b"", own)
        ranges = headers.get(b"range", "") if headers.get(b"if-range", etag) == etag else ""
        start, end = _span(ranges, size)
        status = 200
        if ranges and (start, end) != (0, size):
            status = 206
            own.append((b"content-range", f"bytes {start}-{end - 1}/{size}".encode()))
        own.append((b"content-length", str(end - start).encode()))
        await send({"type": "http.response.start", "status": status, "headers": [*HEADERS, *own]})
        await _in_thread(file.seek, start)
        left = end - start if with_body else 0
        while left:
            data = await _in_thread(file.read, min(CHUNK, left))
            left -= len(data)
            await send({"type": "http.response.body", "body": data, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        file.close()


def _open(sha256: str) -> tuple[Any, int]:
    name = blob_name(sha256)
    try:
        file = default_storage.open(name)
    except FileNotFoundError:
        raise Refused(404, "resource-not-found", "This content is no longer stored.") from None
    return file, file.size


def _span(asked: str, size: int) -> tuple[int, int]:
    """The bytes [start, end) that a Range header asks for; the whole file for what we ignore."""
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", asked.strip())
    if not found or not (found[1] or found[2]):
        return 0, size
    if found[1]:
        start, last = _offset(found[1]), _offset(found[2]) if found[2] else size
        end = min(size, last + 1)
        if last < start:
            return 0, size
    else:
        start, end = max(0, size - _offset(found[2])), size
    if start >= size:
        headers = [(b"content-range", f"bytes */{size}".encode())]
        raise Refused(416, "range-not-satisfiable", f"The file has {size} bytes.", headers)
    return start, end


def _offset(digits: str) -> int:
    """An offset in a file; beyond any file where it has more digits than a file has bytes."""
    return int((digits.lstrip("0") or "0")[:19])


def _disposition(filename: str) -> bytes:
    plain = re.sub(r"[^A-Za-z0-9._ -]", "_", filename)[:150] or "download"
    encoded = quote(filename[:150], safe="")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}".encode()


# ---------------------------------------------------------------- answers

_JSON = [(b"content-type", b"application/json")]


async def _error(
    send: Send, status: int, code: str, title: str, headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    body = orjson.dumps({"errors": [{"code": code, "title": title}]})
    # The rest of a refused body is not read: the connection cannot be used again.
    await _answer(send, status, body, [*_JSON, (b"connection", b"close"), *headers])


async def _answer(
    send: Send, status: int, body: bytes = b"", headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    length = [] if status in (204, 304) else [(b"content-length", str(len(body)).encode())]
    await send(
        {"type": "http.response.start", "status": status, "headers": [*HEADERS, *headers, *length]}
    )
    await send({"type": "http.response.body", "body": body})


async def _in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    return await asyncio.get_running_loop().run_in_executor(_threads, function, *arguments)

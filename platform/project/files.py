"""`files.`: uploads and downloads behind signed locations; no cookies, no sessions."""

import logging
import re
from typing import Any
from urllib.parse import quote

from django.core.files.storage import default_storage
from django.db import InterfaceError, OperationalError

from core.errors import DatabaseUnavailable, ServiceError, entry
from core.locations import DownloadGrant, read_download, read_upload, upload_grant
from core.models import blob_name
from core.room import StorageFull, is_used_up
from project import tus, uploads
from project.answers import (
    HEADERS,
    PREFLIGHT,
    Headers,
    Receive,
    Refused,
    Scope,
    Send,
    answer,
    in_thread,
    refuse,
)

logger = logging.getLogger(__name__)

CHUNK = 256 * 1024


async def files(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application of the `files.` host."""
    path = scope["path"]
    query = scope["query_string"].decode("latin1")
    headers = {name.lower(): value.decode("latin1") for name, value in scope["headers"]}
    asked = scope["method"]
    common: Headers = []
    try:
        if asked == "OPTIONS" and b"access-control-request-method" in headers:
            await answer(send, 204, b"", PREFLIGHT)
        elif path.startswith("/upload/"):
            common = tus.RESUMABLE
            # tus: for clients whose network knows no PATCH and no DELETE.
            asked = (headers.get(b"x-http-method-override") or asked).upper()
            status, own = await _upload(asked, path, query, headers, receive)
            await answer(send, status, b"", [*common, *own])
        elif path.startswith("/content/") and asked in ("GET", "HEAD"):
            await _download(read_download(path, query), headers, send, with_body=asked == "GET")
        elif path.startswith("/content/"):
            raise _no_method(asked)
        else:
            raise Refused(404, "resource-not-found", "Nothing is at this path on this host.")
    except Refused as error:
        status, code, title, *more = error.args
        await refuse(send, status, [entry(code, title)], [*common, *(more[0] if more else [])])
    except ServiceError as error:
        await _refuse(send, error, common)
    except (InterfaceError, OperationalError, OSError) as error:
        if is_used_up(error):
            return await _refuse(send, StorageFull(), common)
        if isinstance(error, OSError):
            return await _failed(send, f"{asked} {path}", common)
        logger.warning("The database did not answer: %s", error)
        await _refuse(send, DatabaseUnavailable(), common)
    except Exception:
        await _failed(send, f"{asked} {path}", common)


async def _failed(send: Send, what: str, common: Headers) -> None:
    logger.exception("%s failed", what)
    title = "Something failed on our side: try again."
    await refuse(send, 500, [entry("internal-error", title)], common)


async def _refuse(send: Send, error: ServiceError, common: Headers) -> None:
    own = [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
    await refuse(send, error.status, error.entries(), [*common, *own])


async def _upload(
    method: str, path: str, query: str, headers: dict[bytes, str], receive: Receive
) -> tuple[int, Headers]:
    """What an upload location answers: status, and headers of its own."""
    content_type = headers.get(b"content-type", "")
    if method == "PUT":
        grant = read_upload(path, query, content_type)
        async with uploads.place(grant, headers):
            await uploads.put(grant, headers, receive)
        return 204, []
    if method == "POST":
        grant = read_upload(path, query, content_type, wanted=uploads.FORM)
        async with uploads.place(grant, headers):
            await uploads.post(grant, headers, receive)
        return (303, [(b"location", grant.then.encode())]) if grant.then else (204, [])
    if method not in ("OPTIONS", *tus.METHODS):
        raise _no_method(method)
    grant = upload_grant(path, query)
    if method == "OPTIONS":
        return 204, tus.abilities(grant)
    tus.require_version(headers)
    if method == "PATCH":
        async with uploads.place(grant, headers):
            return 204, await tus.patch(grant, headers, receive)
    if method == "HEAD":
        return 200, await tus.head(grant)
    await tus.delete(grant)
    return 204, []


def _no_method(method: str) -> Refused:
    return Refused(405, "invalid-method", f"{method} is not answered at this location.")


# ---------------------------------------------------------------- downloads


async def _download(
    grant: DownloadGrant, headers: dict[bytes, str], send: Send, *, with_body: bool
) -> None:
    file, size = await in_thread(_open, grant.sha256)
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
            return await answer(send, 304, b"", own)
        ranges = headers.get(b"range", "") if headers.get(b"if-range", etag) == etag else ""
        start, end = _span(ranges, size)
        status = 200
        if ranges and (start, end) != (0, size):
            status = 206
            own.append((b"content-range", f"bytes {start}-{end - 1}/{size}".encode()))
        own.append((b"content-length", str(end - start).encode()))
        await send({"type": "http.response.start", "status": status, "headers": [*HEADERS, *own]})
        await in_thread(file.seek, start)
        left = end - start if with_body else 0
        while left:
            data = await in_thread(file.read, min(CHUNK, left))
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

"""Downloads: ranges and conditional requests, streamed or redirected to a presigned URL."""

import asyncio
import re
import time
from collections.abc import Iterator

from django.conf import settings

from core.errors import RateLimited
from core.files import storage
from core.files.signed_urls import DownloadGrant
from core.files.storage import damage
from core.files.storage.base import StoredFile
from core.files.storage.errors import FileMissing, StorageError
from core.models import Blob
from core.text.file_names import content_disposition
from core.web.fair_semaphore import FairSemaphore, SemaphoreTimeout
from files_host.responses import HEADERS, Headers, HttpError, Receive, Send, answer, in_thread
from files_host.uploads import in_django

# Bytes from which on a download is led to the bucket: below, a second request costs more.
LARGE = 1024**2
LINKED = 300  # seconds that the bucket's URL is good for, at most
# Unfinished downloads: of all networks, of one; those that wait, and for how long, s.
IN_ALL, OF_NETWORK, WAITING, TIMEOUT = 1024, 256, 1000, 60.0
_places = FairSemaphore(IN_ALL, OF_NETWORK, WAITING)
PRIVATE = "private, max-age=3600, immutable"


class BrokenOff(Exception):
    """An answer that had begun cannot be ended: its connection is, so nobody takes it for whole."""


async def download(
    grant: DownloadGrant,
    headers: dict[bytes, str],
    receive: Receive,
    send: Send,
    *,
    neighbourhood: str,
    with_body: bool,
) -> None:
    """Answer a request for a stored file, or for a part of it.

    neighbourhood : the client's network, which has a share of the places
    """
    try:
        async with _places.one(neighbourhood, timeout=TIMEOUT):
            gone = asyncio.create_task(_disconnect(receive))
            try:
                await _download(grant, headers, gone, send, with_body=with_body)
            finally:
                gone.cancel()
    except SemaphoreTimeout:
        raise RateLimited(
            f"{OF_NETWORK} downloads from your network are unfinished: read them, and try again.",
            limit="downloads",
            most=OF_NETWORK,
            used=OF_NETWORK,
            wait=10,
        ) from None


async def _disconnect(receive: Receive) -> None:
    """Return once the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _download(
    grant: DownloadGrant,
    headers: dict[bytes, str],
    gone: asyncio.Task[None],
    send: Send,
    *,
    with_body: bool,
) -> None:
    etag = f'"{grant.sha256}"'
    disposition = content_disposition(grant.filename)
    own: Headers = [
        (b"etag", etag.encode()),
        (b"accept-ranges", b"bytes"),
        (b"cache-control", PRIVATE.encode()),
        (b"content-type", grant.media_type.encode()),
        (b"content-disposition", disposition.encode()),
    ]
    if etag in headers.get(b"if-none-match", ""):
        return await answer(send, 304, b"", own)
    stored = await in_django(_open, grant.sha256)
    try:
        if with_body and stored.size > LARGE and _may_be_led(headers):
            seconds = min(LINKED, int(grant.expires - time.time()))
            stated = {
                "content-type": grant.media_type,
                "content-disposition": disposition,
                "cache-control": PRIVATE,
            }
            if seconds > 0 and (url := await in_thread(_link, grant.sha256, seconds, stated)):
                # The URL is a secret for its time: neither stored nor passed on.
                led = [
                    (b"location", url.encode()),
                    (b"cache-control", b"no-store"),
                    (b"etag", etag.encode()),  # by which a client proves what it gets there
                ]
                return await answer(send, 307, b"", led)
        ranges = headers.get(b"range", "") if headers.get(b"if-range", etag) == etag else ""
        start, end = _span(ranges, stored.size)
        status = 200
        if ranges and (start, end) != (0, stored.size):
            status = 206
            own.append((b"content-range", f"bytes {start}-{end - 1}/{stored.size}".encode()))
        own.append((b"content-length", str(end - start).encode()))
        pieces = _noted(grant.sha256, stored.chunks(start, end)) if with_body else iter(())
        # The first piece before the status: what cannot be read is a 503 as long as it can be.
        data = await in_thread(next, pieces, b"")
        await send({"type": "http.response.start", "status": status, "headers": [*HEADERS, *own]})
        try:
            while data and not gone.done():
                await send({"type": "http.response.body", "body": data, "more_body": True})
                data = await in_thread(next, pieces, b"")
        except StorageError as fault:
            raise BrokenOff(fault.words) from fault
        await send({"type": "http.response.body", "body": b""})
    finally:
        stored.close()


def _may_be_led(headers: dict[bytes, str]) -> bool:
    """Whether the client can be sent elsewhere.

    A page's script could read the bucket's answer only where the bucket allows its origin, and who
    follows no redirects says so by RFC 7240: ours do.
    """
    return (
        settings.FILES_DIRECT
        and b"origin" not in headers
        and "return=representation" not in headers.get(b"prefer", "")
    )


def _link(sha256: str, seconds: int, headers: dict[str, str]) -> str:
    return storage.current().link(sha256, seconds=seconds, headers=headers)


def _open(sha256: str) -> StoredFile:
    gone = HttpError(404, "resource-not-found", "This content is no longer stored.")
    try:
        return storage.current().open(sha256)
    except FileNotFoundError:
        raise gone from None
    except FileMissing as fault:
        if not Blob.objects.filter(pk=sha256).exists():
            raise gone from None
        with damage.noted(sha256):
            raise fault


def _noted(sha256: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    with damage.noted(sha256):
        yield from pieces


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
        raise HttpError(416, "range-not-satisfiable", f"The file has {size} bytes.", headers)
    return start, end


def _offset(digits: str) -> int:
    """An offset in a file; beyond any file where it has more digits than a file has bytes."""
    return int((digits.lstrip("0") or "0")[:19])

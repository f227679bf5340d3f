"""Resumable uploads and streamed downloads."""

import os
import time
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from http.client import HTTPResponse
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urljoin

from manufacturing.errors import Refused, Unreachable
from manufacturing.transport import LOST, PIECE, TRIES, Transport

LocalFile = str | os.PathLike[str]
Progress = Callable[[int, int], None]  # bytes that are through, bytes in all
LARGE = 4 << 20  # bytes of a piece that is sent: all of it comes, or nothing
TIMEOUT = 600.0  # seconds for a piece on a slow line
TUS = {"Tus-Resumable": "1.0.0"}
ELSEWHERE = {"offset-mismatch", "upload-locked"}
LED_ON = (301, 302, 303, 307, 308)
HOPS = 3


def send(
    transport: Transport, path: LocalFile, location: str, progress: Progress | None = None
) -> None:
    """Upload a file to its signed location, from where an earlier try ended."""
    with Path(path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        offset = None
        while offset is None or offset < size:
            try:
                offset = _send_piece(transport, file, location, offset or 0, size)
            except Refused as refused:
                if not refused.codes & ELSEWHERE:
                    raise
                offset = _offset(transport, location)
            if progress:
                progress(offset, size)


def fetch(
    transport: Transport, url: str, path: LocalFile, progress: Progress | None = None
) -> None:
    """Download to a file, which is there only once it is whole and proven by its SHA-256.

    The URL is one of the installation, which may redirect to its storage elsewhere.
    """
    transport.require_own(url)
    part = Path(f"{os.fspath(path)}.part")
    part.unlink(missing_ok=True)
    failures = received = 0  # tries in a row that brought nothing, and bytes that are there
    while True:
        try:
            tag = _fetch_rest(transport, url, part, progress)
            break
        except LOST as error:
            size = part.stat().st_size if part.exists() else 0
            failures = 0 if size > received else failures + 1
            received = max(size, received)
            if failures == TRIES:
                raise Unreachable(f"GET {url}: {error!r}") from error
            time.sleep(2**failures / 10)
    if tag and hash_of(part) != tag:
        part.unlink()
        raise Unreachable(f"GET {url}: what was received is not the announced file.")
    part.replace(path)


def hash_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _send_piece(transport: Transport, file: BinaryIO, location: str, offset: int, size: int) -> int:
    file.seek(offset)
    piece = file.read(LARGE)
    headers = {
        **TUS,
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": str(offset),
        "Upload-Length": str(size),
        "Upload-Checksum": "sha256 " + b64encode(sha256(piece).digest()).decode(),
    }
    answer = transport.request("PATCH", location, piece, headers, deadline=TIMEOUT)
    return int(answer.headers["Upload-Offset"])


def _offset(transport: Transport, location: str) -> int:
    return int(transport.request("HEAD", location, headers=TUS).headers["Upload-Offset"])


def _fetch_rest(
    transport: Transport, url: str, part: Path, progress: Progress | None, hops: int = HOPS
) -> str:
    """Bring what is missing; the SHA-256 that the server tells of the whole.

    It may lead to where the file lies, whose own tag is another thing.
    """
    there = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={there}-"} if there else {}
    with transport.stream(url, headers) as response:
        tag: str = response.headers.get("ETag", "").strip('"')
        onward = response.headers.get("Location", "") if response.status in LED_ON else ""
        if not onward:
            goes_on = response.status == 206
            _write(response, part, there if goes_on else 0, progress)
            return tag
    if not hops:
        raise Unreachable(f"GET {url}: it leads on and on.")
    _fetch_rest(transport, urljoin(url, onward), part, progress, hops - 1)
    return tag


def _write(response: HTTPResponse, part: Path, there: int, progress: Progress | None) -> None:
    size = there + (response.length or 0)
    with part.open("ab" if there else "wb") as file:
        while piece := response.read1(PIECE):
            file.write(piece)
            there += len(piece)
            if progress:
                progress(there, size)
    if there < size:
        raise ConnectionError("the file broke off")

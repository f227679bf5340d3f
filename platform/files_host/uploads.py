"""Single-request uploads (PUT, multipart POST): streamed to disk and hashed."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from django.db import close_old_connections
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from core.errors import RateLimited
from core.files import blobs, pending_uploads
from core.files.disk_space import PreallocatedFile
from core.files.signed_urls import UploadGrant
from core.web.fair_semaphore import FairSemaphore, SemaphoreTimeout
from files_host.responses import HttpError, Receive, in_thread

T = TypeVar("T")

IDLE = 10.0  # seconds without a byte
SLOWEST = 2_000  # bytes a second, once the first IDLE seconds are over
CHUNK = 256 * 1024
# At a time: of all accounts, of one, and of one those that do not say how long they are.
IN_ALL, OF_ACCOUNT, OF_UNKNOWN_LENGTH = 512, 8, 2
WAITING, TIMEOUT = 1000, 60.0  # uploads of an account that wait for a place, and for how long, s
FORM = "multipart/form-data"
FRAME = 16 * 1024  # bytes that a form may have beside its file
MAX_FIELD = 1000  # characters of another field


_places = FairSemaphore(IN_ALL, OF_ACCOUNT, WAITING)
_unknown = FairSemaphore(IN_ALL, OF_UNKNOWN_LENGTH, WAITING)


@asynccontextmanager
async def place(holder: str, headers: dict[bytes, str]) -> AsyncIterator[None]:
    """One of an account's places for uploads; while it waits for one nothing is read.

    holder : pseudonym of the account
    """
    try:
        async with AsyncExitStack() as held:
            if b"content-length" not in headers:
                await held.enter_async_context(_unknown.one(holder, timeout=TIMEOUT))
            await held.enter_async_context(_places.one(holder, timeout=TIMEOUT))
            yield
    except SemaphoreTimeout:
        raise RateLimited(
            f"An account has at most {OF_ACCOUNT} uploads at a time, and {OF_UNKNOWN_LENGTH} "
            "without a Content-Length: wait until one of yours has ended.",
            limit="uploads",
            most=OF_ACCOUNT,
            used=OF_ACCOUNT,
            wait=10,
        ) from None


class HashingWriter:
    """A file that is being written, and the SHA-256 of what has been.

    announced : bytes that will come, None where nobody knows
    """

    def __init__(self, file: BinaryIO, most: int, announced: int | None):
        self.file, self.most = PreallocatedFile(file, announced), most
        self.size, self.digest = 0, hashlib.sha256()

    def write(self, data: bytes) -> None:
        self.size += len(data)
        if self.size > self.most:
            raise too_large(self.most)
        self.file.write(data)
        self.digest.update(data)


async def put(grant: UploadGrant, headers: dict[bytes, str], receive: Receive) -> None:
    """Take a body that is the file; nothing stays of one that breaks off."""
    length = announced_length(headers, grant.max_size)
    await in_django(pending_uploads.expected_size, grant.kind, grant.uuid)
    with blobs.incoming_file() as (file, path):
        written = await in_thread(HashingWriter, file, grant.max_size, length)
        await receive_body(receive, written.write, length)
        await _take(grant, written, path)


async def post(grant: UploadGrant, headers: dict[bytes, str], receive: Receive) -> None:
    """Take the one file of a form, as `put` takes its body."""
    length = announced_length(headers, grant.max_size + FRAME)
    await in_django(pending_uploads.expected_size, grant.kind, grant.uuid)
    with blobs.incoming_file() as (file, path):
        written = await in_thread(HashingWriter, file, grant.max_size, length)
        form = UploadForm(headers[b"content-type"], written)
        await receive_body(receive, form.write, length)
        await _take(grant, form.end(), path)


async def _take(grant: UploadGrant, written: HashingWriter, path: Path) -> None:
    await in_thread(written.file.end)
    await in_django(
        pending_uploads.complete_upload, grant, path, written.digest.hexdigest(), written.size
    )
    # A whole file replaces what came in pieces.
    await in_thread(pending_uploads.PartialUpload(grant.kind, grant.uuid).discard)


def announced_length(headers: dict[bytes, str], most: int) -> int | None:
    """The body's Content-Length; None where it comes in chunks."""
    length = headers.get(b"content-length")
    if length is None and b"transfer-encoding" not in headers:
        raise HttpError(411, "length-required", "Send the file with a Content-Length.")
    if length is not None and int(length) > most:
        raise too_large(most)
    return None if length is None else int(length)


class UploadForm:
    """Reads a form's body as it comes, and writes the bytes of its one file.

    names    : fields that the form may have beside the file; none: any other field is refused
    on_file  : called with the file's name before its bytes are written
    fields   : their values, of those that came; filename: of the file
    """

    def __init__(
        self,
        content_type: str,
        written: HashingWriter,
        *,
        names: Collection[str] = (),
        on_file: Callable[[str], None] | None = None,
    ):
        self._written = written
        self._on_file = on_file
        self._names = names
        self._field = ""  # that is being read; empty within the file
        self._found = False
        self.fields: dict[str, str] = {}
        self.filename = ""
        self._left = FRAME + written.most  # bytes that the whole form may still have
        boundary = parse_options_header(content_type)[1].get("boundary", "")
        try:
            self._parser = PushMultipartParser(boundary)
        except MultipartError as error:
            raise _unreadable(error) from None

    def write(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left < 0:
            raise too_large(self._written.most)
        try:
            for event in self._parser.parse(data):
                if isinstance(event, MultipartSegment):
                    self._begin(event)
                elif event is not None and self._field:
                    self._add(event)
                elif event is not None:
                    self._written.write(event)
        except MultipartError as error:
            raise _unreadable(error) from None

    def _begin(self, part: MultipartSegment) -> None:
        self._field = ""
        if part.filename is None and part.name in self._names:
            self._field = part.name
            self.fields[part.name] = ""
            return
        if part.filename is None:
            raise HttpError(
                400,
                "invalid-payload",
                f"The form has the field {part.name or ''!r}: send one file and nothing else.",
            )
        if self._found:
            raise HttpError(
                400, "invalid-payload", "The form has several files: a location takes one file."
            )
        if not part.filename:
            raise HttpError(400, "missing-parameter", "The form has no file: choose one first.")
        self._found = True
        self.filename = part.filename
        if self._on_file is not None:
            self._on_file(part.filename)

    def _add(self, data: bytes) -> None:
        self.fields[self._field] += data.decode(errors="replace")
        if len(self.fields[self._field]) > MAX_FIELD:
            title = f"The field {self._field} has at most {MAX_FIELD} characters."
            raise HttpError(400, "invalid-payload", title)

    def end(self) -> HashingWriter:
        """What was written, once the whole body has been read."""
        try:
            self._parser.close()
        except MultipartError as error:
            raise _unreadable(error) from None
        if not self._found:
            raise HttpError(400, "missing-parameter", "The form has no file: choose one first.")
        return self._written


def _unreadable(error: MultipartError) -> HttpError:
    return HttpError(400, "invalid-payload", f"The form cannot be read: {error}.")


# ---------------------------------------------------------------- shared with what comes in pieces


async def receive_body(
    receive: Receive, write: Callable[[bytes], None], announced: int | None
) -> None:
    """Have the body written as it comes; of one that breaks off, as much as has come.

    announced : its bytes, by Content-Length; None where it did not say
    """
    size, begun, buffer = 0, time.monotonic(), bytearray()

    async def flush() -> None:
        if buffer:
            await in_thread(write, bytes(buffer))
        buffer.clear()

    while True:
        try:
            async with asyncio.timeout(IDLE):
                message = await receive()
        except TimeoutError:
            await flush()
            raise HttpError(
                408, "request-timeout", "The upload stood still: send it again."
            ) from None
        if message["type"] == "http.disconnect":
            await flush()
            raise HttpError(400, "truncated", "The upload broke off: send it again.")
        buffer += message.get("body", b"")
        size += len(message.get("body", b""))
        last = not message.get("more_body")
        if last or len(buffer) >= CHUNK:
            await flush()
        if last:
            break
        took = time.monotonic() - begun
        if took > IDLE and size < SLOWEST * (took - IDLE):
            await flush()
            raise HttpError(408, "request-timeout", "The upload is too slow: send it again.")
    if announced not in (None, size):
        raise HttpError(400, "truncated", f"{size} of {announced} bytes arrived: send it again.")


def too_large(most: int) -> HttpError:
    return HttpError(413, "payload-too-large", f"A file has at most {most} bytes.")


async def in_django(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call what asks the database, in a thread of its own, which has a connection of its own."""
    return await in_thread(call_django, function, *arguments)


def call_django(function: Callable[..., T], *arguments: object) -> T:
    """Call what asks the database, in the thread of the caller."""
    close_old_connections()
    try:
        return function(*arguments)
    finally:
        close_old_connections()

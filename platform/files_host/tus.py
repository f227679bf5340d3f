"""Resumable uploads (tus 1.0)."""

import base64
import binascii
import hashlib
import hmac
from contextlib import ExitStack, suppress
from email.utils import formatdate
from pathlib import Path
from typing import BinaryIO

from core.errors import ServiceError
from core.files import blobs, pending_uploads
from core.files.disk_space import PreallocatedFile
from core.files.pending_uploads import PartialUpload
from core.files.signed_urls import UploadGrant
from files_host.responses import Headers, HttpError, Receive, in_thread
from files_host.uploads import in_django, receive_body, too_large

VERSION = "1.0.0"
METHODS = ("HEAD", "PATCH", "DELETE")
PIECE = "application/offset+octet-stream"
ALGORITHMS = ("sha1", "sha256")  # the first is the one that tus asks of every server
RESUMABLE = [(b"tus-resumable", VERSION.encode())]


def abilities(grant: UploadGrant) -> Headers:
    """What OPTIONS tells of this server."""
    return [
        (b"tus-version", VERSION.encode()),
        (b"tus-extension", b"checksum,expiration,termination"),
        (b"tus-checksum-algorithm", ",".join(ALGORITHMS).encode()),
        (b"tus-max-size", str(grant.max_size).encode()),
        (b"allow", b"OPTIONS, HEAD, PATCH, DELETE, PUT, POST"),
    ]


def require_version(headers: dict[bytes, str]) -> None:
    """Refuse a client that speaks another version."""
    if headers.get(b"tus-resumable") != VERSION:
        raise HttpError(
            412,
            "unsupported-version",
            f"Uploads in pieces are by tus {VERSION}: send the header Tus-Resumable: {VERSION}.",
            [(b"tus-version", VERSION.encode())],
        )


async def head(grant: UploadGrant) -> Headers:
    """How far the upload has come; what a crash kept from being handed over is, now."""
    stored = await in_django(pending_uploads.expected_size, grant.kind, grant.uuid)
    pieces = PartialUpload(grant.kind, grant.uuid)
    length: int | None
    if pieces.whole:
        with pieces.locked():
            offset = length = pieces.offset
            await in_django(_hand_over, grant, pieces)
    elif pieces.begun or stored is None:
        offset, length = pieces.offset, pieces.length
    else:
        offset = length = stored
    known = (b"upload-defer-length", b"1") if length is None else (b"upload-length", _text(length))
    return [*_progress(grant, offset), known, (b"cache-control", b"no-store")]


async def patch(grant: UploadGrant, headers: dict[bytes, str], receive: Receive) -> Headers:
    """Add a piece, or as much of it as comes; whole, the file is handed over as by PUT."""
    if headers.get(b"content-type", "").partition(";")[0].strip().lower() != PIECE:
        raise HttpError(415, "unsupported-media-type", f"Send a piece with Content-Type {PIECE}.")
    offset = _number(headers, b"upload-offset")
    if offset is None:
        raise HttpError(400, "missing-parameter", "Say in Upload-Offset where the piece begins.")
    checksum = _checksum(headers)
    await in_django(pending_uploads.expected_size, grant.kind, grant.uuid)
    pieces = PartialUpload(grant.kind, grant.uuid)
    with ExitStack() as stack:
        await in_thread(stack.enter_context, pieces.locked())
        announced = _number(headers, b"content-length")
        length = _number(headers, b"upload-length")
        most = await in_thread(_room, grant, pieces, offset, length, announced)
        await in_thread(pieces.admit, grant.holder)
        if checksum:
            await _add_checked(pieces, receive, announced, most, checksum)
        else:
            with pieces.path.open("ab") as file:
                piece = await in_thread(_Piece, file, most, announced)
                try:
                    await receive_body(receive, piece.write, announced)
                finally:
                    await in_thread(piece.file.end)
        offset = pieces.offset
        if pieces.whole:
            await in_django(_hand_over, grant, pieces)
    return _progress(grant, offset)


async def delete(grant: UploadGrant) -> None:
    """Forget the pieces that have come; the location stays good for another upload."""
    stored = await in_django(pending_uploads.expected_size, grant.kind, grant.uuid)
    pieces = PartialUpload(grant.kind, grant.uuid)
    with pieces.locked():
        if stored is not None and not pieces.begun:
            raise HttpError(
                409, "content-exists", "The file is whole and was taken: delete its resource."
            )
        await in_thread(pieces.discard)


class _Piece:
    """What is written of a piece, which may not go beyond the end of the whole."""

    def __init__(self, file: BinaryIO, most: int, announced: int | None):
        self.file, self.left = PreallocatedFile(file, announced), most

    def write(self, data: bytes) -> None:
        self.left -= len(data)
        if self.left < 0:
            raise _beyond()
        self.file.write(data)


async def _add_checked(
    pieces: PartialUpload,
    receive: Receive,
    announced: int | None,
    most: int,
    checksum: tuple[str, bytes],
) -> None:
    """Add a piece that is as its checksum says, or nothing of it: so it arrives beside first."""
    algorithm, expected = checksum
    with blobs.incoming_file() as (file, path):
        piece = await in_thread(_Piece, file, most, announced)
        await receive_body(receive, piece.write, announced)
        await in_thread(piece.file.end)
        if not hmac.compare_digest(await in_thread(_digest, path, algorithm), expected):
            raise HttpError(
                460, "checksum-mismatch", "The piece is not as its checksum says: send it again."
            )
        await in_thread(_append, path, pieces.path)


def _append(piece: Path, whole: Path) -> None:
    with piece.open("rb") as source, whole.open("ab") as target:
        added = PreallocatedFile(target, piece.stat().st_size)
        while data := source.read(blobs.CHUNK):
            added.write(data)
        added.end()


def _digest(path: Path, algorithm: str) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).digest()


def _hand_over(grant: UploadGrant, pieces: PartialUpload) -> None:
    """Offer what is whole, as PUT does. Stays for another try where the database is away."""
    try:
        sha256 = _digest(pieces.path, "sha256").hex()
        pending_uploads.complete_upload(grant, pieces.path, sha256, pieces.offset)
    except FileNotFoundError:
        raise HttpError(409, "offset-mismatch", "A whole file replaced these pieces.") from None
    except ServiceError:
        pieces.discard()
        raise
    pieces.discard()


def _room(
    grant: UploadGrant,
    pieces: PartialUpload,
    offset: int,
    length: int | None,
    announced: int | None,
) -> int:
    """How many bytes the piece may have; fixes the upload's length where the request brings it."""
    if offset != pieces.offset:
        raise HttpError(
            409,
            "offset-mismatch",
            f"{pieces.offset} bytes have arrived, and this piece begins at {offset}: ask by HEAD, "
            "and go on from there.",
            [(b"upload-offset", _text(pieces.offset))],
        )
    fixed = pieces.length
    if length is not None and fixed is not None and length != fixed:
        raise HttpError(
            400, "cannot-set-property", f"Upload-Length is {fixed}, and does not change any more."
        )
    whole = length if fixed is None else fixed
    if whole is not None and whole > grant.max_size:
        raise too_large(grant.max_size)
    if whole is not None and whole < offset:
        raise HttpError(
            400,
            "property-value-not-in-allowed-values",
            f"Upload-Length is {whole}, and {offset} bytes have arrived already.",
        )
    most = (grant.max_size if whole is None else whole) - offset
    if announced is not None and announced > most:
        raise too_large(grant.max_size) if whole is None else _beyond()
    if fixed is None and whole is not None:
        pieces.fix_length(whole)
    return most


def _beyond() -> HttpError:
    return HttpError(
        413, "payload-too-large", "The piece goes beyond the end of the file: see Upload-Length."
    )


def _number(headers: dict[bytes, str], name: bytes) -> int | None:
    """A header that counts bytes; None where it is not there."""
    text = headers.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise HttpError(
            400, "type-validation-error", f"{name.decode().title()} is a number of bytes, from 0."
        )
    return int(text)


def _checksum(headers: dict[bytes, str]) -> tuple[str, bytes] | None:
    """Upload-Checksum: the algorithm, and what it must come to."""
    text = headers.get(b"upload-checksum")
    if text is None:
        return None
    algorithm, _, encoded = text.partition(" ")
    if algorithm in ALGORITHMS:
        with suppress(binascii.Error, ValueError):
            return algorithm, base64.b64decode(encoded, validate=True)
    raise HttpError(
        400,
        "invalid-request",
        "Upload-Checksum is an algorithm, a blank, and the checksum in base64; the algorithms: "
        f"{', '.join(ALGORITHMS)}.",
    )


def _progress(grant: UploadGrant, offset: int) -> Headers:
    expires = formatdate(grant.expires, usegmt=True)
    return [(b"upload-offset", _text(offset)), (b"upload-expires", expires.encode())]


def _text(number: int) -> bytes:
    return str(number).encode()

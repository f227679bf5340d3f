"""Pending uploads: which resource expects a file, and the partial data of resumable uploads."""

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from core.errors import QuotaExceeded, ServiceError
from core.files import blobs
from core.files.signed_urls import UploadGrant

# What its folder is called in the incoming folder: this, the kind of resource, its key.
PIECES = "pieces-"
MAX_UNFINISHED = 20  # uploads in pieces of an account


class Locked(ServiceError):
    """Another request adds to the same upload, or ends it."""

    status = HTTPStatus.LOCKED
    code = "upload-locked"


def expected_size(kind: str, uuid: UUID) -> int | None:
    """Bytes of the file that the resource has, None while it waits for one.

    Raises what its service refuses an upload with, such as UrlExpired of a deleted resource.
    """
    expect = import_string(settings.EXPECT_CONTENT[kind])
    return expect(uuid=uuid)


def complete_upload(grant: UploadGrant, path: Path, sha256: str, size: int) -> None:
    """Offer a file that has arrived to the service that owns its resource, which has it placed."""
    take = import_string(settings.STORE_CONTENT[grant.kind])
    place = blobs.upload_blob(path, sha256, size)
    take(uuid=grant.uuid, sha256=sha256, size=size, place=place)


class PartialUpload:
    """The received part of a resource's file, in a folder that outlives the process.

    The file's size is the upload's offset; no row duplicates it. A process that changes anything
    holds the folder's lock, which the kernel releases at its end.
    """

    def __init__(self, kind: str, uuid: UUID):
        self.folder = blobs.incoming_folder() / f"{PIECES}{kind}-{uuid}"
        self.path = self.folder / "content"
        self._length = self.folder / "length"
        self._holder = self.folder / "holder"

    @property
    def offset(self) -> int:
        """How many bytes have arrived."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    @property
    def length(self) -> int | None:
        """Return the bytes of the whole file; None until the client has declared them."""
        try:
            return int(self._length.read_text())
        except FileNotFoundError:
            return None

    def fix_length(self, length: int) -> None:
        """Remember how long the whole is to be."""
        beside = self._length.with_suffix(".new")
        beside.write_text(str(length))
        beside.replace(self._length)

    def admit(self, holder: str) -> None:
        """Record whose upload begins; raises QuotaExceeded where too many of theirs are unfinished.

        holder : pseudonym of the account, of the upload's grant
        """
        if self.begun:
            return
        others = blobs.incoming_folder().glob(f"{PIECES}*/holder")
        used = sum(path.parent != self.folder and _text_of(path) == holder for path in others)
        if used >= MAX_UNFINISHED:
            raise QuotaExceeded(
                f"You have {used} unfinished uploads in pieces: complete or delete one, or upload "
                "the file whole.",
                limit="unfinished-uploads",
                most=MAX_UNFINISHED,
                used=used,
                free_by="completing or deleting unfinished uploads",
            )
        self._holder.write_text(holder)

    @property
    def begun(self) -> bool:
        """Return whether a resumable upload exists."""
        return self.path.exists() or self._length.exists()

    @property
    def whole(self) -> bool:
        """Whether all of it has arrived, but was not handed over yet."""
        return self.begun and self.offset == self.length

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the upload for this caller; raises Locked where another holds it."""
        handle = self._lock()
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                if not self.begun:
                    self._holder.unlink(missing_ok=True)
                self.folder.rmdir()  # where nothing was begun, nothing stays
            os.close(handle)

    def _lock(self) -> int:
        while True:
            self.folder.mkdir(exist_ok=True)
            try:
                handle = os.open(self.folder, os.O_RDONLY)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    # It may have been removed in between, and be another one's by now.
                    if os.fstat(handle).st_ino == self.folder.stat().st_ino:
                        return handle
                except BaseException:
                    os.close(handle)
                    raise
                os.close(handle)
            except FileNotFoundError:
                pass
            except BlockingIOError:
                raise Locked(
                    "Another request is adding to this upload: try again in a few seconds.",
                    headers={"Retry-After": "5"},
                ) from None

    def discard(self) -> None:
        """Delete the received bytes, also during an upload."""
        shutil.rmtree(self.folder, ignore_errors=True)


def remove_abandoned() -> None:
    """Remove the pieces that no location can complete any more.

    That is so where the resource takes no file, and where nothing has come for as long as a
    location lasts: the one that brought the last piece has expired then.
    """
    oldest = time.time() - settings.UPLOAD_EXPIRY.total_seconds()
    for folder in blobs.incoming_folder().glob(f"{PIECES}*"):
        kind, _, key = folder.name.removeprefix(PIECES).partition("-")
        pieces = PartialUpload(kind, UUID(key))
        with contextlib.suppress(Locked), pieces.locked():
            if _last_change(folder) < oldest or not _awaited(kind, UUID(key)):
                pieces.discard()


def _text_of(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:  # completed meanwhile
        return ""


def _awaited(kind: str, uuid: UUID) -> bool:
    try:
        expected_size(kind, uuid)
    except ServiceError:
        return False
    return True


def _last_change(folder: Path) -> float:
    return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))

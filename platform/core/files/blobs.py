"""Content-addressed files: stored once per SHA-256; incoming, scratch and job directories."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from django.core.files.storage import default_storage
from django.db import connection

from core.files import storage
from core.files.storage import damage, garbage_collection
from core.models import Blob, blob_name

CHUNK = 1 << 20
# What lies in the incoming folder: files that are received, folders of jobs.
PART, JOB = ".part-", "job-"


def incoming_folder() -> Path:
    """Return the folder of incoming files, on the file system of the stored ones for renames."""
    return _passing("incoming")


def _passing(name: str) -> Path:
    folder = Path(default_storage.path(name))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def upload_blob(path: Path, sha256: str, size: int) -> Callable[[], None]:
    """Upload a complete local file, outside of a transaction unless it is small."""
    store = storage.current()
    if not store.remote:
        return partial(place, path, sha256, size)
    _bring(
        store,
        path,
        sha256,
        size,
        garbage_collection.hold if connection.in_atomic_block else garbage_collection.touch,
    )
    return _nothing


def _nothing() -> None:
    pass


def place(path: Path, sha256: str, size: int) -> None:
    """Move a complete local file into storage; one that exists already is kept.

    The file is stored before its row is made: a file without a row is garbage that is collected, a
    row without a file would be a loss.
    """
    storage.current().put(path, sha256, size)


def create_row(sha256: str, size: int, *, place: Callable[[], None] | None = None) -> str:
    """Create the row of a stored file in the caller's transaction, and return its hash.

    place : puts the file into storage, from `offer`; None where it was stored before

    Until the end of the transaction the row is locked against removal. A file that was stored
    before may just have been removed: then FileNotFoundError, and it must be made again.
    """
    store = storage.current()
    with connection.cursor() as cursor:
        while True:
            if not store.remote:
                # An insertion waits for a removal of the same row, but does not see one that
                # begins.
                Blob.objects.bulk_create([Blob(sha256=sha256, size=size)], ignore_conflicts=True)
            cursor.execute("SELECT 1 FROM core_blob WHERE sha256 = %s FOR KEY SHARE", (sha256,))
            if cursor.fetchone():
                break
            if store.remote:  # it was touched, and that is more than a day ago
                raise FileNotFoundError(blob_name(sha256))
    if place is not None:
        place()
    elif not store.remote and store.size(sha256) is None:
        raise FileNotFoundError(blob_name(sha256))
    return sha256


def store_file(path: Path) -> tuple[str, int]:
    """Hash a finished local file and move it into storage: (sha256, bytes)."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        os.fsync(file.fileno())
    size = path.stat().st_size
    store = storage.current()
    if store.remote:
        _bring(store, path, sha256, size)
    else:
        store.put(path, sha256, size)
    return sha256, size


def _bring(
    store: storage.StorageBackend,
    path: Path,
    sha256: str,
    size: int,
    spare: Callable[[str, int], bool] = garbage_collection.touch,
) -> None:
    """Upload a file to a remote storage; `spare` protects it from removal meanwhile."""
    damaged = spare(sha256, size)
    store.put(path, sha256, size, anew=damaged)
    if damaged:
        damage.forget(sha256)


@contextlib.contextmanager
def local_copy(sha256: str) -> Iterator[Path]:
    """A local file with the stored content, to be read only; copied where storage is remote."""
    with contextlib.ExitStack() as held:
        with damage.noted(sha256):
            path = held.enter_context(storage.current().local(sha256))
        yield path


def read(sha256: str, start: int = 0, size: int | None = None) -> bytes:
    """Bytes of a stored file from `start` on: all, or at most `size` of them."""
    with damage.noted(sha256):
        stored = storage.current().open(sha256)
        with contextlib.closing(stored):
            end = stored.size if size is None else min(stored.size, start + size)
            return b"".join(stored.chunks(start, max(start, end)))


@contextlib.contextmanager
def incoming_file() -> Iterator[tuple[BinaryIO, Path]]:
    """Yield a new file, open for writing, on the storage's disk; deleted unless placed."""
    folder = incoming_folder()
    with _locked(folder, fcntl.LOCK_SH):
        handle, name = tempfile.mkstemp(prefix=PART, dir=folder)
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file, Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def scratch_dir() -> contextlib.AbstractContextManager[Path]:
    """Yield a folder for the files of one job, on the storage's disk; deleted when it ends."""
    return _temporary(incoming_folder())


def staging_dir() -> contextlib.AbstractContextManager[Path]:
    """A folder like that of `scratch`, for a child that lives on from job to job."""
    return _temporary(_passing("cells"))


@contextlib.contextmanager
def _temporary(parent: Path) -> Iterator[Path]:
    with contextlib.ExitStack() as stack:
        with _locked(parent, fcntl.LOCK_SH):
            name = stack.enter_context(tempfile.TemporaryDirectory(prefix=JOB, dir=parent))
            stack.enter_context(_locked(Path(name), fcntl.LOCK_EX))
        yield Path(name)


def remove_stale() -> None:
    """Remove temporary files and folders of processes that were killed.

    A process that fills a file or folder holds a lock on it, which the kernel releases at its end.
    While the parent folder is locked, none is being created.
    """
    for folder in (incoming_folder(), _passing("cells")):
        with _locked(folder, fcntl.LOCK_EX):
            for path in folder.iterdir():
                if not path.name.startswith((PART, JOB)):
                    continue
                try:
                    with _locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB):
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
                except (BlockingIOError, FileNotFoundError):
                    pass  # somebody is at work with it, or has just ended


@contextlib.contextmanager
def _locked(path: Path, mode: int) -> Iterator[None]:
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, mode)
        yield
    finally:
        os.close(handle)

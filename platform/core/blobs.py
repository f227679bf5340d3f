"""Stored files: kept once under their SHA-256, in Django's default storage."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import CASCADE, Exists, ForeignObjectRel, OuterRef, ProtectedError, QuerySet

from core.models import Blob, blob_name

CHUNK = 1 << 20
# What lies in the incoming folder: files that are received, folders of jobs.
PART, JOB = ".part-", "job-"


def incoming_folder() -> Path:
    """Where files lie while they arrive: beside the stored ones, so that a rename moves them."""
    return _passing("incoming")


def _passing(name: str) -> Path:
    folder = _path(name) or Path(tempfile.gettempdir()) / f"manufacturing-platform-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def place(path: Path, sha256: str) -> None:
    """Move a complete local file into storage; one that is there already is kept.

    The file comes first and the row after: a file without a row is litter, a row without a file
    is a lie.
    """
    name = blob_name(sha256)
    target = _path(name)
    if target is None:
        if not default_storage.exists(name):
            with path.open("rb") as file:
                default_storage.save(name, File(file))
        path.unlink()
        return
    made = not target.parent.exists()
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(path, target)
    for folder in [target.parent, *([target.parent.parent] if made else [])]:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def record(sha256: str, size: int, *, place: Callable[[], None] | None = None) -> str:
    """Make the row of a stored file, in the caller's transaction; its hash, for a foreign key.

    place : puts the file into storage; None where it was placed before

    From here to the end of the transaction the row is locked against `remove_unused`. A file that
    was placed before may just have been removed: FileNotFoundError, and it must be made anew.
    """
    with connection.cursor() as cursor:
        while True:
            # An insertion waits for a removal of the same row, but does not see one that begins.
            Blob.objects.bulk_create([Blob(sha256=sha256, size=size)], ignore_conflicts=True)
            cursor.execute("SELECT 1 FROM core_blob WHERE sha256 = %s FOR KEY SHARE", (sha256,))
            if cursor.fetchone():
                break
    if place is not None:
        place()
    elif not default_storage.exists(blob_name(sha256)):
        raise FileNotFoundError(blob_name(sha256))
    return sha256


def keep(path: Path) -> tuple[str, int]:
    """Hash a finished local file and move it into storage: (sha256, bytes)."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        os.fsync(file.fileno())
    size = path.stat().st_size
    place(path, sha256)
    return sha256, size


@contextlib.contextmanager
def local(sha256: str) -> Iterator[Path]:
    """A local file with the stored content, to be read only; copied where storage is remote."""
    name = blob_name(sha256)
    path = _path(name)
    if path is not None:
        yield path
        return
    with tempfile.NamedTemporaryFile() as copy:
        with default_storage.open(name) as stored:
            shutil.copyfileobj(stored, copy, CHUNK)
        copy.flush()
        yield Path(copy.name)


@contextlib.contextmanager
def arriving() -> Iterator[tuple[BinaryIO, Path]]:
    """A new file, open for writing, on the storage's own disk; gone at the end unless placed."""
    folder = incoming_folder()
    with _locked(folder, fcntl.LOCK_SH):
        handle, name = tempfile.mkstemp(prefix=PART, dir=folder)
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file, Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def scratch() -> contextlib.AbstractContextManager[Path]:
    """A folder for the files of one job, gone when it ends; on the storage's own disk."""
    return _temporary(incoming_folder())


def cell() -> contextlib.AbstractContextManager[Path]:
    """A folder like that of `scratch`, for a child that lives on from job to job."""
    return _temporary(_passing("cells"))


@contextlib.contextmanager
def _temporary(parent: Path) -> Iterator[Path]:
    with contextlib.ExitStack() as stack:
        with _locked(parent, fcntl.LOCK_SH):
            name = stack.enter_context(tempfile.TemporaryDirectory(prefix=JOB, dir=parent))
            stack.enter_context(_locked(Path(name), fcntl.LOCK_EX))
        yield Path(name)


def sweep() -> None:
    """Remove what processes that were killed left in the folders of what passes.

    Whoever fills a file or folder there holds a lock on it, which the kernel lets go when the
    process ends, however it ends. While the folder itself is locked, none is being made.
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


def remove_unused(most: int = 10_000) -> int:
    """Remove stored files that no row of any app refers to; how many.

    Under the row's lock no transaction can begin to refer to it: one that wants to waits, and
    `record` then makes the row anew. What refers to it with CASCADE goes with it.
    """
    removed = 0
    for sha256 in list(_unused().values_list("pk", flat=True)[:most]):
        with transaction.atomic():
            blob = Blob.objects.select_for_update(skip_locked=True).filter(pk=sha256).first()
            try:
                if blob is None or not blob.delete():
                    continue
            except ProtectedError:
                continue  # it was referred to a moment ago: the collector looked under the lock
            # Before the commit: later it could be the file of a new row. A row that the loss of
            # power brings back without its file is referred to by nothing.
            default_storage.delete(blob_name(sha256))
        removed += 1
    return removed


def _unused() -> QuerySet[Blob]:
    """The rows that nothing refers to, but for what would go with them."""
    unused = Blob.objects.all()
    for relation in Blob._meta.get_fields(include_hidden=True):
        if not isinstance(relation, ForeignObjectRel) or relation.on_delete is CASCADE:
            continue
        column = relation.field.name
        rows = relation.related_model._base_manager.filter(**{column: OuterRef("pk")})
        unused = unused.filter(~Exists(rows))
    return unused


@contextlib.contextmanager
def _locked(path: Path, mode: int) -> Iterator[None]:
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, mode)
        yield
    finally:
        os.close(handle)


def _path(name: str) -> Path | None:
    """Where storage keeps `name` on this machine; None where it keeps it elsewhere."""
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        return None

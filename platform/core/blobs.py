"""Stored files: kept once under their SHA-256, in Django's default storage."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.files import File
from django.core.files.storage import default_storage

from core.models import Blob, blob_name

CHUNK = 1 << 20


def incoming_folder() -> Path:
    """Where files lie while they arrive: beside the stored ones, so that a rename moves them."""
    folder = _path("incoming") or Path(tempfile.gettempdir()) / "manufacturing-platform-incoming"
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
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(path, target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def record(sha256: str, size: int) -> str:
    """Make the row of a placed file, in the caller's transaction; its hash, for a foreign key."""
    Blob.objects.bulk_create([Blob(sha256=sha256, size=size)], ignore_conflicts=True)
    return sha256


def keep(path: Path) -> tuple[str, int]:
    """Hash a finished local file and move it into storage: (sha256, bytes)."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        os.fsync(file.fileno())
    size = path.stat().st_size
    place(path, sha256)
    return sha256, size


@contextmanager
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


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for the files of one job, gone when it ends; on the storage's own disk."""
    with tempfile.TemporaryDirectory(dir=incoming_folder(), prefix="job-") as folder:
        yield Path(folder)


def _path(name: str) -> Path | None:
    """Where storage keeps `name` on this machine; None where it keeps it elsewhere."""
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        return None

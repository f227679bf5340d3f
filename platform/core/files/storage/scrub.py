"""Scrub: compares blob rows with stored files (existence, size; deep: SHA-256)."""

import contextlib
import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.files.storage import damage
from core.files.storage.base import StorageBackend
from core.files.storage.errors import FileCorrupt, FileMissing
from core.models import Blob, DamagedFile

BEGINNINGS = [f"{number:02x}" for number in range(256)]


@dataclass
class Found:
    """Result of an audit.

    damaged : hash -> fault
    unknown : number of files without a row, left by killed processes; none of them is removed
    """

    rows: int = 0
    size: int = 0
    hashed: int = 0
    unknown: int = 0
    damaged: dict[str, str] = field(default_factory=dict)


def scrub(store: StorageBackend, *, share: float = 0.0, most: int | None = None) -> Found:
    """Compare all rows with all files; read the content of a `share` of them, 0..1.

    most : maximum number of files whose content is read

    Records the damaged files, and removes records of files that are intact now.
    """
    found = Found()
    for beginning in BEGINNINGS:
        # Rows first: what is stored meanwhile has a file without a row, and no row without file.
        rows = dict(Blob.objects.filter(pk__startswith=beginning).values_list("pk", "size"))
        sizes = store.sizes(beginning)
        for sha256, size in rows.items():
            found.rows += 1
            found.size += size
            read = random.random() < share and (most is None or found.hashed < most)  # noqa: S311
            if what := _fault(store, sha256, size, sizes.get(sha256), read=read):
                _note(found, sha256, what)
            found.hashed += read
        found.unknown += len(sizes.keys() - rows.keys())
        _forget(beginning, found, everything=share >= 1)
    return found


def audit_list(store: StorageBackend, listed: Iterator[tuple[str, int]], *, deep: bool) -> Found:
    """As `audit`, of files that a list names, such as that of a backup."""
    found = Found()
    for sha256, size in listed:
        found.rows += 1
        found.size += size
        found.hashed += deep
        if what := _fault(store, sha256, size, store.size(sha256), read=deep):
            found.damaged[sha256] = what
    return found


def _fault(store: StorageBackend, sha256: str, size: int, there: int | None, *, read: bool) -> str:
    if there is None and (there := store.size(sha256)) is None:
        return DamagedFile.What.LOST
    if there != size or (read and not _is_whole(store, sha256)):
        return DamagedFile.What.CORRUPT
    return ""


def _is_whole(store: StorageBackend, sha256: str) -> bool:
    digest = hashlib.sha256()
    try:
        with contextlib.closing(store.open(sha256)) as stored:
            for chunk in stored.chunks(0, stored.size):
                digest.update(chunk)
    except (FileCorrupt, FileMissing, FileNotFoundError):
        return False
    return digest.hexdigest() == sha256


def _note(found: Found, sha256: str, what: str) -> None:
    if Blob.objects.filter(pk=sha256).exists():  # it may have been removed meanwhile
        found.damaged[sha256] = what
        damage.note(sha256, what)


def _forget(beginning: str, found: Found, *, everything: bool) -> None:
    """What was noted and is not so: a lost file is back, or all bytes were read and are right."""
    noted = DamagedFile.objects.filter(pk__startswith=beginning).exclude(pk__in=found.damaged)
    (noted if everything else noted.filter(what=DamagedFile.What.LOST)).delete()

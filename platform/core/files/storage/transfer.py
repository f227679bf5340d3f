"""Copies all stored files between two backends while the platform runs.

There is no record of progress: files that exist with the right size are skipped. So it may be
killed at any time, restarted, and run several times at once.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from django.utils import timezone

from core.files.storage.base import StorageBackend
from core.files.storage.errors import FileCorrupt, FileMissing
from core.files.storage.scrub import BEGINNINGS
from core.models import Blob

Scratch = Callable[[], contextlib.AbstractContextManager[Path]]

AT_ONCE = 8
PAGE = 200  # files that are touched together


@dataclass
class Copied:
    """Progress of a copy, in files; `failed`: hash -> reason."""

    there: int = 0
    copied: int = 0
    size: int = 0
    failed: dict[str, str] = field(default_factory=dict)


class Transfer:
    """One run from `old` to `new`.

    scratch : makes a folder for a file on its way, on the disk of this machine's files
    rate    : bytes a second at most; 0 for any
    """

    def __init__(
        self, old: StorageBackend, new: StorageBackend, *, scratch: Scratch, rate: float = 0.0
    ):
        self.old, self.new, self._scratch = old, new, scratch
        self.done = Copied()
        self._lock, self._rate, self._free = Lock(), rate, time.monotonic()

    def run(self) -> Iterator[Copied]:
        """Copy all that has a row and is not there yet; how far it has come, now and then.

        Raises StorageError where one of the two does not serve: begin again when it does.
        """
        with ThreadPoolExecutor(AT_ONCE) as threads:
            for beginning in BEGINNINGS:
                there = self.new.sizes(beginning)
                rows = Blob.objects.filter(pk__startswith=beginning).order_by("pk")
                missing = []
                for sha256, size in rows.values_list("pk", "size"):
                    if there.get(sha256) == size:
                        self.done.there += 1
                    else:
                        missing.append((sha256, size))
                for start in range(0, len(missing), PAGE):
                    page = self._spared(missing[start : start + PAGE])
                    list(threads.map(self._copy, page))
                    yield self.done

    def _spared(self, page: list[tuple[str, int]]) -> list[tuple[str, int]]:
        """Return those files that still have a row, now protected from removal for a day."""
        rows = Blob.objects.filter(pk__in=[sha256 for sha256, _ in page])
        rows.update(touched=timezone.now())
        kept = set(rows.values_list("pk", flat=True))
        return [(sha256, size) for sha256, size in page if sha256 in kept]

    def _copy(self, item: tuple[str, int]) -> None:
        sha256, size = item
        self._wait(size)
        try:
            with self._read(sha256) as path:
                self.new.put(path, sha256, size)
        except (FileCorrupt, FileMissing, FileNotFoundError) as error:
            with self._lock:
                self.done.failed[sha256] = str(error)
            return
        with self._lock:
            self.done.copied += 1
            self.done.size += size

    def _wait(self, size: int) -> None:
        if self._rate:
            with self._lock:
                begin = max(self._free, time.monotonic())
                self._free = begin + size / self._rate
            time.sleep(max(0.0, begin - time.monotonic()))

    @contextlib.contextmanager
    def _read(self, sha256: str) -> Iterator[Path]:
        """Yield a file of the old storage with a verified hash."""
        with self._scratch() as folder:
            path, digest = folder / sha256, hashlib.sha256()
            with contextlib.closing(self.old.open(sha256)) as stored, path.open("wb") as file:
                for chunk in stored.chunks(0, stored.size):
                    digest.update(chunk)
                    file.write(chunk)
                file.flush()
                if not self.new.remote:
                    os.fsync(file.fileno())
            if digest.hexdigest() != sha256:
                raise FileCorrupt(f"{self.old} has other bytes than those of {sha256}.")
            yield path

"""Two-tier backend for migrations: writes to the new storage, reads fall back to the old one."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from core.files.storage.base import StorageBackend, StoredFile
from core.files.storage.errors import FileMissing


class MigratingBackend:
    """Two places of files of which each has its share."""

    def __init__(self, new: StorageBackend, old: StorageBackend):
        self.new, self.old = new, old
        self.remote = new.remote or old.remote

    def __str__(self) -> str:
        return f"{self.new} (and {self.old}, from where files move)"

    def put(self, path: Path, sha256: str, size: int, *, anew: bool = False) -> None:
        self.new.put(path, sha256, size, anew=anew)

    def open(self, sha256: str) -> StoredFile:
        try:
            return self.new.open(sha256)
        except (FileMissing, FileNotFoundError):
            return self.old.open(sha256)

    @contextlib.contextmanager
    def local(self, sha256: str) -> Iterator[Path]:
        holder = self.new if self.new.size(sha256) is not None else self.old
        with holder.local(sha256) as path:
            yield path

    def size(self, sha256: str) -> int | None:
        size = self.new.size(sha256)
        return self.old.size(sha256) if size is None else size

    def delete(self, sha256: str) -> None:
        self.old.delete(sha256)
        self.new.delete(sha256)

    def sizes(self, beginning: str) -> dict[str, int]:
        return self.old.sizes(beginning) | self.new.sizes(beginning)

    def link(self, sha256: str, *, seconds: int, headers: dict[str, str]) -> str:
        holder = self.new if self.new.size(sha256) is not None else self.old
        return holder.link(sha256, seconds=seconds, headers=headers)

    def check(self) -> str:
        return self.new.check() or self.old.check()

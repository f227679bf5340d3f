"""Local directory backend."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


class LocalBackend:
    """Files below `root`, which other machines may share."""

    remote = False

    def __init__(self, root: Path):
        self._root = root

    def __str__(self) -> str:
        return str(self._root)

    def path(self, sha256: str) -> Path:
        """Return the path of a file, whether or not it exists."""
        return self._root / "blobs" / sha256[:2] / sha256

    def put(self, path: Path, sha256: str, size: int, *, anew: bool = False) -> None:
        """Move a file to its place; also over an equal one, which costs nothing."""
        target = self.path(sha256)
        made = not target.parent.exists()
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)
        for folder in [target.parent, *([target.parent.parent] if made else [])]:
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def open(self, sha256: str) -> "OpenFile":
        return OpenFile(self.path(sha256))

    def local(self, sha256: str) -> contextlib.AbstractContextManager[Path]:
        return contextlib.nullcontext(self.path(sha256))

    def size(self, sha256: str) -> int | None:
        try:
            return self.path(sha256).stat().st_size
        except FileNotFoundError:
            return None

    def delete(self, sha256: str) -> None:
        self.path(sha256).unlink(missing_ok=True)

    def sizes(self, beginning: str) -> dict[str, int]:
        try:
            with os.scandir(self._root / "blobs" / beginning) as entries:
                return {entry.name: entry.stat().st_size for entry in entries}
        except FileNotFoundError:
            return {}

    def link(self, sha256: str, *, seconds: int, headers: dict[str, str]) -> str:
        return ""

    def check(self) -> str:
        return ""


PIECE = 32 * 1024  # bytes that are read at a time: many files are read slowly at once


class OpenFile:
    """A local file that is being read."""

    def __init__(self, path: Path):
        self._file = path.open("rb")
        self.size = os.fstat(self._file.fileno()).st_size

    def chunks(self, start: int, end: int) -> Iterator[bytes]:
        self._file.seek(start)
        while start < end and (data := self._file.read(min(PIECE, end - start))):
            start += len(data)
            yield data

    def close(self) -> None:
        self._file.close()

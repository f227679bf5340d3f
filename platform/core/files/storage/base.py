"""Storage protocol: immutable files by SHA-256."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

CHUNK = 1 << 20


class StoredFile(Protocol):
    """A stored file that is being read."""

    size: int

    def chunks(self, start: int, end: int) -> Iterator[bytes]:
        """Its bytes from `start` up to, but not including, `end`."""

    def close(self) -> None:
        """Let it go."""


class StorageBackend(Protocol):
    """A storage of files. Its methods may raise the errors of `faults`.

    remote : whether methods make network requests, which are not allowed in a transaction
    """

    remote: bool

    def __str__(self) -> str:
        """Return a description without secrets."""

    def put(self, path: Path, sha256: str, size: int, *, anew: bool = False) -> None:
        """Store a complete local file under its hash; the local file may be moved away.

        One that exists already is kept, unless its size differs.

        anew : overwrite in any case, since the stored file is known to be damaged
        """

    def open(self, sha256: str) -> StoredFile:
        """A file, to be read. Raises FileNotFoundError, or Lost, where it is not there."""

    def local(self, sha256: str) -> contextlib.AbstractContextManager[Path]:
        """A file of this machine with the content, which stays for as long as it is held."""

    def size(self, sha256: str) -> int | None:
        """Bytes of a stored file; None where it is not there."""

    def delete(self, sha256: str) -> None:
        """Delete a file; idempotent."""

    def sizes(self, beginning: str) -> dict[str, int]:
        """Return hash -> bytes of all files whose hash begins with these two letters."""

    def link(self, sha256: str, *, seconds: int, headers: dict[str, str]) -> str:
        """Return a URL that gives read access for a time; empty where the storage has none.

        headers : of the response, by name
        """

    def check(self) -> str:
        """Return why the storage is unusable now, for operators; empty where it works."""

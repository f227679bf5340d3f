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
    """A place of files. Whatever asks it may raise what `faults` names.

    remote : whether asking it is a call over a network, never to be made in a transaction
    """

    remote: bool

    def __str__(self) -> str:
        """What it is called in words, without secrets."""

    def put(self, path: Path, sha256: str, size: int, *, anew: bool = False) -> None:
        """Keep a complete local file under its hash, which may be moved away for it.

        One that is there already is kept, unless it has another size.

        anew : write it in any case, since what lies there is known to be damaged
        """

    def open(self, sha256: str) -> StoredFile:
        """A file, to be read. Raises FileNotFoundError, or Lost, where it is not there."""

    def local(self, sha256: str) -> contextlib.AbstractContextManager[Path]:
        """A file of this machine with the content, which stays for as long as it is held."""

    def size(self, sha256: str) -> int | None:
        """Bytes of a stored file; None where it is not there."""

    def delete(self, sha256: str) -> None:
        """Remove a file, which may be gone already."""

    def sizes(self, beginning: str) -> dict[str, int]:
        """Of all files whose hash begins with these two letters, the bytes."""

    def link(self, sha256: str, *, seconds: int, headers: dict[str, str]) -> str:
        """A URL at which whoever has it may read the file for so long; empty where there is none.

        headers : of the answer, by name
        """

    def check(self) -> str:
        """Why it cannot be used at this moment, in words for operators; empty where it can."""

"""Facts of an engine's program, cached by the program's SHA-256.

A file of the cache is named after the hash and the fact, so that a program that is replaced has
facts of its own, and one that comes back finds its old ones.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path
from typing import Any

JSON = Any  # what a JSON file holds

_in_memory: dict[tuple[str, str], JSON] = {}  # where there is no folder


def cached(binary: Path, name: str, make: Callable[[], JSON], folder: Path | None = None) -> JSON:
    """Return a fact of a program; `make` is called where the cache does not have it.

    folder : of the cache, or None for one that lasts as long as this process
    """
    value = look_up(binary, name, folder)
    if value is None:
        value = make()
        store(binary, name, value, folder)
    return value


def look_up(binary: Path, name: str, folder: Path | None = None) -> JSON:
    """Return a fact that the cache has, or None."""
    if folder is None:
        return _in_memory.get((_digest_of(binary), name))
    try:
        return json.loads(_file(binary, name, folder).read_bytes())
    except (OSError, ValueError):  # it is not there, or damaged
        return None


def store(binary: Path, name: str, value: JSON, folder: Path | None = None) -> None:
    """Put a fact into the cache; where its folder cannot be written to, nowhere."""
    if folder is None:
        _in_memory[_digest_of(binary), name] = value
        return
    path = _file(binary, name, folder)
    partial = path.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial.write_text(json.dumps(value), encoding="utf-8")
        partial.replace(path)


def _file(binary: Path, name: str, folder: Path) -> Path:
    return folder / f"{_digest_of(binary)}-{name}.json"


def _digest_of(binary: Path) -> str:
    status = binary.stat()
    return _digest(binary, status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(maxsize=16)
def _digest(binary: Path, _size: int, _changed: int, _inode: int) -> str:
    with binary.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()

"""Local LRU cache of bucket files, bounded in bytes, keyed by SHA-256.

Content by hash is never stale. A file that is being read is locked and not evicted.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf import settings

PART = ".part-"
DEAD = 3600  # seconds after which nobody writes to a part any more that is not locked
OLDEST = 7 * 86_400  # seconds after which what nobody read goes: its resource may be deleted


def folder() -> Path:
    """Return the cache's folder."""
    place: Path = settings.DATA_DIR / "cache"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


@contextlib.contextmanager
def held(sha256: str, bring: Callable[[str, Path], None]) -> Iterator[Path]:
    """The cached file with this hash, brought by `bring` where it is not there; it stays meanwhile.

    bring : (sha256, path) writes the file, and raises where that is not what was stored
    """
    path = folder() / sha256
    while (handle := _lock(path)) is None:
        _fill(path, sha256, bring)
    try:
        os.utime(path)
        yield path
    finally:
        os.close(handle)


def _lock(path: Path) -> int | None:
    """Return a lock that protects the file from removal; None where it does not exist."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    fcntl.flock(handle, fcntl.LOCK_SH)
    try:
        # It may have been removed in between, and be another one's by now.
        if os.fstat(handle).st_ino == path.stat().st_ino:
            return handle
    except FileNotFoundError:
        pass
    os.close(handle)
    return None


def _fill(path: Path, sha256: str, bring: Callable[[str, Path], None]) -> None:
    # The lock of a part is its process': what a killed one left is swept by whoever comes next.
    handle, name = tempfile.mkstemp(prefix=PART, dir=path.parent)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        bring(sha256, Path(name))
        os.replace(name, path)
    finally:
        os.close(handle)
        Path(name).unlink(missing_ok=True)
    trim(keeping=path)


def trim(*, keeping: Path | None = None) -> None:
    """Evict the least recently used files until cache size and free disk are within the limits."""
    found = []
    with os.scandir(folder()) as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):
                status = entry.stat()
                found.append((status.st_mtime, status.st_size, Path(entry.path)))
    total, now = sum(size for _, size, _ in found), time.time()
    for read, size, path in sorted(found):
        has_space = shutil.disk_usage(path.parent).free >= settings.DISK_RESERVE
        fits = total <= settings.FILES_CACHE and has_space and now - read < OLDEST
        if now - read < DEAD if path.name.startswith(PART) else fits:
            continue
        if path != keeping and _remove(path):
            total -= size


def _remove(path: Path) -> bool:
    """Remove a file that is not locked; return whether it is gone."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(handle)

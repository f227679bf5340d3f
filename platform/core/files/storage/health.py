"""Cached health check of the storage backend."""

import threading
import time

from core.files import storage
from core.files.storage.errors import StorageOutage

FRESH = 1.0  # seconds for which an answer holds

_lock = threading.Lock()
_last: tuple[str, float, str] = ("", 0.0, "")  # of which storage, when, what it said


def storage_error() -> str:
    """Return why storage is unusable; empty where it works. Costs nothing for a local folder."""
    global _last
    store = storage.current()
    if not store.remote:
        return ""
    name = str(store)
    known, asked, words = _last
    if known == name and time.monotonic() - asked < FRESH:
        return words
    # While one asks, the others go by what is known.
    if not _lock.acquire(blocking=known != name):
        return words
    try:
        words = store.check()
        _last = name, time.monotonic(), words
        return words
    finally:
        _lock.release()


def require() -> None:
    """Raise StorageOutage where storage cannot be used at this moment."""
    if words := storage_error():
        raise StorageOutage(words)

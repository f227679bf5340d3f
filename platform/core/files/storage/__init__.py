"""File storage backends: local directory or S3-compatible bucket.

Both have one interface (`base.Store`), by hash alone; `core.files.blobs` uses it.
"""

from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage

from core.files.storage.base import StorageBackend
from core.files.storage.local import LocalBackend
from core.files.storage.migrating import MigratingBackend
from core.files.storage_url import Address

__all__ = ["Address", "StorageBackend", "current", "opened"]


def current() -> StorageBackend:
    """Where files are written, and read first; while they move, with where they lay before."""
    here = Path(default_storage.path(""))
    return _opened(settings.FILES_AT, settings.FILES_FALLBACK_AT, here)


def opened(address: Address) -> StorageBackend:
    """The storage at an address."""
    return _one(address, Path(default_storage.path("")))


@lru_cache(maxsize=4)
def _opened(address: Address, also: Address | None, here: Path) -> StorageBackend:
    store = _one(address, here)
    return store if also is None or also == address else MigratingBackend(store, _one(also, here))


def _one(address: Address, here: Path) -> StorageBackend:
    if not address.bucket:
        return LocalBackend(here)
    from core.files.storage.s3 import S3Backend  # not above: most installations have none

    return S3Backend.at(address)

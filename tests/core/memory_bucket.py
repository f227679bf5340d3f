"""A bucket in memory, as obstore has it, and files that are kept in it."""

from pathlib import Path

import obstore
from obstore.store import MemoryStore

from core.files import blobs
from core.files.storage.s3 import S3Backend, key
from core.files.storage_url import Address

ADDRESS = Address(bucket="files", prefix="p", endpoint="http://s3.example", key="id", secret="s")


def in_memory() -> S3Backend:
    """A server that does all it should."""
    return S3Backend(MemoryStore(), ADDRESS)


def written(data: bytes) -> Path:
    """A local file with this content."""
    path = blobs.incoming_folder() / "file"
    path.write_bytes(data)
    return path


def kept(data: bytes) -> str:
    """The hash of a file that is stored, to which nothing refers yet."""
    return blobs.create_row(*blobs.store_file(written(data)))


def overwrite(bucket: S3Backend, sha256: str, data: bytes) -> None:
    """Have other bytes under a hash."""
    obstore.put(bucket._objects, key(sha256), data)

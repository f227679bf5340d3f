"""S3 backend."""

import contextlib
import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from core.files.storage import cache
from core.files.storage.base import CHUNK
from core.files.storage.errors import FileCorrupt, FileMissing, StorageError, StorageOutage
from core.files.storage.presigned_urls import presigned
from core.files.storage_url import Address

WHOLE = 8 * 1024**2  # bytes up to which a file goes in one request, and of each part above
PARTS = 4  # at once: these and no more are in memory
CONNECT, READ_TIMEOUT, REQUEST, ASKING = 3, 20, 300, 5  # seconds
TRIES = 3


class S3Backend:
    """Objects `<prefix>/blobs/ab/abcd...` of a bucket; read files are cached.

    objects : obstore's client of the address
    asked   : the same with a short timeout, for health checks
    """

    remote = True

    def __init__(self, objects: Any, address: Address, asked: Any = None):
        self._objects, self._address, self._asked = objects, address, asked or objects

    @classmethod
    def at(cls, address: Address) -> "S3Backend":
        """The bucket at an address."""
        asked = _objects(address, tries=1, timeout=ASKING)
        return cls(_objects(address, tries=TRIES, timeout=REQUEST), address, asked)

    def __str__(self) -> str:
        return str(self._address)

    def put(self, path: Path, sha256: str, size: int, *, anew: bool = False) -> None:
        """Keep a file under its hash; the local one stays.

        If-None-Match is of one request: what goes in parts is looked for before. Should two bring
        the same at once, both bring the same bytes.
        """
        name = key(sha256)
        with self._outages():
            if not anew and self._head(sha256) == size:
                return
            if size > WHOLE:
                self._put(name, path, "overwrite")
                return
            try:
                self._put(name, path, "overwrite" if anew else "create")
            except AlreadyExistsError:
                if self._head(sha256) != size:  # a name proves no bytes
                    self._put(name, path, "overwrite")

    def _put(self, name: str, path: Path, mode: Any) -> None:
        obstore.put(self._objects, name, path, mode=mode, chunk_size=WHOLE, max_concurrency=PARTS)

    def open(self, sha256: str) -> "_Object":
        size = self.size(sha256)
        if size is None:
            raise FileMissing(f"{self} has no {sha256}.")
        return _Object(self, sha256, size)

    @contextlib.contextmanager
    def local(self, sha256: str) -> Iterator[Path]:
        with cache.held(sha256, self._bring) as path:
            yield path

    def _bring(self, sha256: str, path: Path) -> None:
        """Write an object to a local file. Raises Corrupt where it is not what was stored."""
        for last in (False, True):
            try:
                stored = self.open(sha256)
                with path.open("wb") as file:
                    for chunk in stored.chunks(0, stored.size):
                        file.write(chunk)
                return
            except FileCorrupt:  # perhaps on its way only
                if last:
                    raise

    def size(self, sha256: str) -> int | None:
        with self._outages():
            size = self._head(sha256)
            if size is None:
                _list_nothing(self._objects)  # a missing bucket, or a proxy's page, is 404 as well
        return size

    def _head(self, sha256: str) -> int | None:
        try:
            return obstore.head(self._objects, key(sha256))["size"]
        except FileNotFoundError:
            return None

    def delete(self, sha256: str) -> None:
        with self._outages(), contextlib.suppress(FileNotFoundError):
            obstore.delete(self._objects, key(sha256))

    def sizes(self, beginning: str) -> dict[str, int]:
        with self._outages():
            entries = obstore.list(self._objects, f"blobs/{beginning}").collect()
        return {entry["path"].rpartition("/")[2]: entry["size"] for entry in entries}

    def link(self, sha256: str, *, seconds: int, headers: dict[str, str]) -> str:
        if not self._address.key:  # the machine's own credentials are obstore's alone
            return ""
        prefix = f"{self._address.prefix}/" if self._address.prefix else ""
        query = {f"response-{name}": value for name, value in headers.items()}
        return presigned(self._address, prefix + key(sha256), seconds=seconds, query=query)

    def check(self) -> str:
        try:
            with self._outages():
                _list_nothing(self._asked)
        except StorageError as fault:
            return fault.words
        return ""

    @contextlib.contextmanager
    def _outages(self) -> Iterator[None]:
        """Whatever obstore raises is that storage cannot be used."""
        try:
            yield
        except AlreadyExistsError:
            raise
        except (BaseError, OSError, ValueError) as error:
            words = str(error).partition("\n\n")[0].strip()
            raise StorageOutage(f"{self} does not serve: {words[:500]}") from error


class _Object:
    """An object that is being read. One that is read as a whole must be what was stored."""

    def __init__(self, bucket: S3Backend, sha256: str, size: int):
        self._bucket, self._sha256, self.size = bucket, sha256, size

    def chunks(self, start: int, end: int) -> Iterator[bytes]:
        """Of a whole file the last bytes come only where the hash is right."""
        if start == end == 0:
            return
        digest, left, held = hashlib.sha256(), end - start, b""
        with self._bucket._outages():
            options: Any = {"range": (start, end)}
            got = obstore.get(self._bucket._objects, key(self._sha256), options=options)
            for data in got.stream(min_chunk_size=CHUNK):
                if held:
                    yield held
                held = bytes(data)
                left -= len(held)
                digest.update(held)
        if left:
            raise StorageOutage(f"{self._bucket} broke off within {self._sha256}.")
        if (start, end) == (0, self.size) and digest.hexdigest() != self._sha256:
            raise FileCorrupt(f"{self._bucket} gave other bytes than those of {self._sha256}.")
        yield held

    def close(self) -> None:
        """Nothing is held between two reads."""


def key(sha256: str) -> str:
    """The name of an object, below the prefix."""
    return f"blobs/{sha256[:2]}/{sha256}"


def _list_nothing(objects: Any) -> None:
    """List an empty prefix: fails where the bucket is missing or access is denied."""
    next(iter(obstore.list(objects, "nothing")), None)


def _objects(address: Address, *, tries: int, timeout: float) -> S3Store:
    # What is not said here, obstore takes from the environment and the machine.
    said = {
        "endpoint": address.endpoint,
        "access_key_id": address.key,
        "secret_access_key": address.secret,
        "session_token": address.session,
    }
    return S3Store(
        address.bucket,
        prefix=address.prefix or None,
        region=address.region,
        virtual_hosted_style_request=not address.path_style,
        # The server compares what comes with this, where it can.
        checksum_algorithm="SHA256",
        client_options={
            "allow_http": address.endpoint.startswith("http://"),
            "connect_timeout": timedelta(seconds=CONNECT),
            "read_timeout": timedelta(seconds=READ_TIMEOUT),
            "timeout": timedelta(seconds=timeout),
        },
        retry_config={
            "max_retries": tries - 1,
            "retry_timeout": timedelta(seconds=60),
            "backoff": {
                "init_backoff": timedelta(seconds=0.1),
                "max_backoff": timedelta(seconds=2),
                "base": 2,
            },
        },
        **{name: value for name, value in said.items() if value},  # type: ignore[arg-type]
    )

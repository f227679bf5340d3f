"""Conformance test for S3-compatible servers; leaves nothing behind."""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import obstore
import requests
from obstore.exceptions import AlreadyExistsError

from core.files.storage.base import CHUNK
from core.files.storage.errors import FileMissing, StorageError
from core.files.storage.presigned_urls import presigned
from core.files.storage.s3 import S3Backend, key
from core.files.storage_url import Address

SMALL, LARGE = 20_000, 40 * CHUNK  # bytes: in one request, and in parts
RACERS = 16
TIMEOUT = (5, 60)  # seconds


class Failed(Exception):
    """The server does not behave as required; the text describes what it did."""


@dataclass(frozen=True)
class Finding:
    """Result of one probe.

    needed : whether the server is unusable where it fails
    """

    name: str
    needed: bool
    works: bool
    words: str


class Probe:
    """One server, tried out with files of its own below the prefix."""

    def __init__(self, address: Address):
        self.address = address
        self.bucket = S3Backend.at(address)
        self.objects = self.bucket._objects
        self._made: list[str] = []

    def findings(self) -> Iterator[Finding]:
        """Each probe, as soon as it is done; what they stored is removed at the end."""
        probes: list[tuple[Callable[[], str], bool]] = [
            (self.answers, True),
            (self.round_trip, True),
            (self.removed_is_missing, True),
            (self.parts, True),
            (self.listed, True),
            (self.put_if_absent, False),
            (self.one_winner, False),
            (self.wrong_hash_refused, False),
        ]
        if self.address.key:
            probes += [(self.link, True), (self.link_elsewhere, True)]
        try:
            for probe, needed in probes:
                name = probe.__name__.replace("_", "-")
                try:
                    yield Finding(name, needed, True, probe())  # noqa: FBT003
                except (Failed, StorageError, requests.RequestException, OSError) as error:
                    yield Finding(name, needed, False, str(error))  # noqa: FBT003
        finally:
            for sha256 in self._made:
                with contextlib.suppress(StorageError):
                    self.bucket.delete(sha256)

    # ------------------------------------------------------------ one by one

    def answers(self) -> str:
        """The bucket is there, and takes our key."""
        if words := self.bucket.check():
            raise Failed(words)
        return f"{self.address}"

    def round_trip(self) -> str:
        """A stored object can be read, whole and in part."""
        sha256 = self._put(os.urandom(SMALL))
        stored = self.bucket.open(sha256)
        whole = b"".join(stored.chunks(0, stored.size))
        part = b"".join(stored.chunks(100, 200))
        if stored.size != SMALL or hashlib.sha256(whole).hexdigest() != sha256:
            raise Failed("other bytes came back than were put")
        if part != whole[100:200]:
            raise Failed("a range of bytes is another one than was asked for")
        return f"{SMALL} bytes come back, and a range of them"

    def removed_is_missing(self) -> str:
        """A deleted object is missing at once, and may be deleted again."""
        sha256 = self._put(os.urandom(SMALL))
        self.bucket.delete(sha256)
        if self.bucket.size(sha256) is not None:
            raise Failed("what was removed is still there")
        with contextlib.suppress(FileMissing):
            self.bucket.open(sha256)
            raise Failed("what was removed can be read")
        self.bucket.delete(sha256)
        return "what is removed is missing at once"

    def parts(self) -> str:
        """A file in parts comes back equal."""
        sha256 = self._put(os.urandom(LARGE))
        stored = self.bucket.open(sha256)
        read = sum(len(chunk) for chunk in stored.chunks(0, stored.size))
        if read != LARGE:
            raise Failed(f"{read} of {LARGE} bytes came back")
        return f"{LARGE} bytes in parts come back"

    def listed(self) -> str:
        """Stored objects are listed with their sizes."""
        sha256 = self._put(os.urandom(SMALL))
        if self.bucket.sizes(sha256[:2]).get(sha256) != SMALL:
            raise Failed("what was stored is not in the list, or with another size")
        return "lists have sizes"

    def put_if_absent(self) -> str:
        """A conditional write does not overwrite an object."""
        sha256 = self._put(os.urandom(SMALL))
        try:
            obstore.put(self.objects, key(sha256), b"other bytes", mode="create")
        except AlreadyExistsError:
            return "what is there is kept"
        raise Failed("If-None-Match is ignored: files are asked for before each upload instead")

    def one_winner(self) -> str:
        """Of many that put the same at once, one does."""
        sha256 = hashlib.sha256(os.urandom(32)).hexdigest()
        self._made.append(sha256)

        def put(number: int) -> bool:
            try:
                obstore.put(self.objects, key(sha256), bytes([number]) * SMALL, mode="create")
            except AlreadyExistsError:
                return False
            return True

        with ThreadPoolExecutor(RACERS) as threads:
            won = sum(threads.map(put, range(RACERS)))
        if won != 1:
            raise Failed(f"{won} of {RACERS} had the answer that they had written")
        return f"one of {RACERS} at once"

    def wrong_hash_refused(self) -> str:
        """An upload with a wrong checksum is rejected and not stored."""
        if not self.address.key:
            raise Failed("not tried: the key is the machine's own")
        sha256 = hashlib.sha256(os.urandom(32)).hexdigest()
        self._made.append(sha256)
        headers = {"x-amz-checksum-sha256": "A" * 43 + "="}
        url = self._url(sha256, method="PUT", headers=headers)
        answer = requests.put(url, data=b"other bytes", headers=headers, timeout=TIMEOUT)
        if answer.ok or self.bucket.size(sha256) is not None:
            raise Failed("checksums are ignored: what breaks on its way is found when it is read")
        return f"answered {answer.status_code}, and not stored"

    def link(self) -> str:
        """A signed URL serves a range, with the name and type that it specifies."""
        sha256 = self._put(os.urandom(SMALL))
        headers = {"content-type": "model/stl", "content-disposition": 'attachment; filename="a b"'}
        url = self.bucket.link(sha256, seconds=60, headers=headers)
        answer = requests.get(url, headers={"Range": "bytes=10-19"}, timeout=TIMEOUT)
        if (answer.status_code, len(answer.content)) != (206, 10):
            raise Failed(f"a range is answered with {answer.status_code}")
        wrong = [name for name, value in headers.items() if answer.headers.get(name) != value]
        if wrong:
            raise Failed(f"the answer has not the {' and '.join(wrong)} that the URL asks for")
        return "a signed URL serves ranges, under the name that it says"

    def link_elsewhere(self) -> str:
        """A signed URL opens nothing but its own file."""
        one, other = self._put(os.urandom(SMALL)), self._put(os.urandom(SMALL))
        url = self.bucket.link(one, seconds=60, headers={}).replace(key(one), key(other))
        status = requests.get(url, timeout=TIMEOUT).status_code
        if status != 403:
            raise Failed(f"a signed URL with another name is answered with {status}, not 403")
        return "a signed URL opens nothing else"

    # ------------------------------------------------------------ with what

    def _url(self, sha256: str, **options: Any) -> str:
        prefix = f"{self.address.prefix}/" if self.address.prefix else ""
        return presigned(self.address, prefix + key(sha256), seconds=60, **options)

    def _put(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        self._made.append(sha256)
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            self.bucket.put(Path(file.name), sha256, len(data))
        return sha256

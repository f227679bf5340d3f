"""Computes and stores descriptors; admission limits."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from apps.search.domain import model_sources, sandbox_pool
from apps.search.domain.model_sources import Source
from apps.search.models import Descriptor
from core.errors import RateLimited
from core.files import blobs
from geometry.similarity import DESCRIPTOR_VERSION, Description

# Each holds a thread of the web process, which has sixteen for everybody.
AT_ONCE = 4
_places = threading.BoundedSemaphore(AT_ONCE)
# Other servers' models, which come as slowly as those like: in all, and of one account.
FROM_OTHERS, OF_ACCOUNT = 6, 3
_from_others = threading.BoundedSemaphore(FROM_OTHERS)
_fetching: Counter[str] = Counter()
_lock = threading.Lock()


@dataclass(frozen=True)
class Subject:
    """A model's canonical STL and its descriptor.

    kept : whether the file is in storage, so that later jobs can use it
    """

    sha256: str
    description: Description
    path: Path
    kept: bool


@contextmanager
def described(source: Source, *, field: str) -> Iterator[Subject]:
    """Yield a model's canonical STL and descriptor, computed where it is not stored.

    Nothing is saved. Raises TooMany, JobInputError where the file has no descriptor, and the errors
    of `model_sources`.
    """
    known = find(source.sha256) if source.sha256 else None
    if source.sha256:
        with model_sources.stored(source.sha256, field=field) as path:
            description = known.description if known else _describe(path)
            yield Subject(source.sha256, description, path, kept=True)
        return
    with blobs.scratch_dir() as folder:
        canonical = folder / "canonical.stl"
        with ExitStack() as stack:
            if source.content_sha256 is None:
                stack.enter_context(_place_from_others(source.holder))
            path = stack.enter_context(model_sources.uploaded(source, field=field))
            with _place():
                made = sandbox_pool.run(
                    "describe_upload", path=path, canonical=canonical, folder=folder
                )
        description = Description(**made["description"])
        yield Subject(made["sha256"], description, canonical, kept=False)


def find(sha256: str) -> Descriptor | None:
    """The stored descriptor of a canonical STL, of today's version."""
    return Descriptor.objects.filter(content_hash=sha256, version=DESCRIPTOR_VERSION).first()


def store(sha256: str, description: Description) -> None:
    """Keep a description; again is fine."""
    major, middle, minor = description.radii
    row = Descriptor(
        content_hash=sha256,
        version=DESCRIPTOR_VERSION,
        vector=description.vector,
        radius_major=major,
        radius_middle=middle,
        radius_minor=minor,
        area_ratio=description.area_ratio,
        volume_ratio=description.volume_ratio,
        rms=description.rms,
        diagonal=description.diagonal,
        triangles=description.triangles,
    )
    Descriptor.objects.bulk_create([row], ignore_conflicts=True)


def describe_stored(sha256: str) -> None:
    """Describe a canonical STL that is in storage, unless it is described already.

    For workers: takes no place from requests. Raises JobInputError.
    """
    if Descriptor.objects.filter(content_hash=sha256, version=DESCRIPTOR_VERSION).exists():
        return
    with blobs.local_copy(sha256) as path:
        store(sha256, Description(**sandbox_pool.run("describe_file", path=path)))


def _describe(path: Path) -> Description:
    with _place():
        return Description(**sandbox_pool.run("describe_file", path=path))


@contextmanager
def _place() -> Iterator[None]:
    if not _places.acquire(blocking=False):
        raise RateLimited(
            f"{AT_ONCE} models are being described at this moment: try again in a few seconds.",
            limit="indexing",
            most=AT_ONCE,
            used=AT_ONCE,
            wait=5,
        )
    try:
        yield
    finally:
        _places.release()


@contextmanager
def _place_from_others(holder: str) -> Iterator[None]:
    """One of the places for models of other servers, of which the account has its share."""
    with _mine(holder):
        if not _from_others.acquire(blocking=False):
            raise RateLimited(
                f"{FROM_OTHERS} models of other servers are being fetched: try again in a minute.",
                limit="indexing",
                most=FROM_OTHERS,
                used=FROM_OTHERS,
                wait=60,
            )
        try:
            yield
        finally:
            _from_others.release()


@contextmanager
def _mine(holder: str) -> Iterator[None]:
    with _lock:
        if _fetching[holder] >= OF_ACCOUNT:
            raise RateLimited(
                f"{OF_ACCOUNT} models of other servers are being fetched for you: wait for one.",
                limit="indexing",
                most=OF_ACCOUNT,
                used=OF_ACCOUNT,
                wait=10,
            )
        _fetching[holder] += 1
    try:
        yield
    finally:
        with _lock:
            _fetching.subtract([holder])

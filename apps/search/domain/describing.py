"""Makes and keeps descriptors; how many requests may wait for one at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from apps.search.domain import pool, sources
from apps.search.domain.sources import Source
from apps.search.models import Descriptor
from core import blobs
from core.errors import TooMany
from geometry.similarity import DESCRIPTOR_VERSION, Description

# Each holds a thread of the web process, which has sixteen for everybody.
AT_ONCE = 4
_places = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True)
class Subject:
    """A model's canonical STL and what describes it.

    kept : whether the file is in storage, and so can be worked on later
    """

    sha256: str
    description: Description
    path: Path
    kept: bool


@contextmanager
def described(source: Source, *, field: str) -> Iterator[Subject]:
    """The description of a model, made now where it is not stored; nothing is kept of it.

    Raises TooMany, JobError where the file cannot be described, and what `sources` refuses.
    """
    known = find(source.sha256) if source.sha256 else None
    if source.sha256:
        with sources.stored(source.sha256, field=field) as path:
            description = known.description if known else _describe(path)
            yield Subject(source.sha256, description, path, kept=True)
        return
    with blobs.scratch() as folder:
        canonical = folder / "canonical.stl"
        with _place(), sources.uploaded(source, field=field) as path:
            made = pool.run("describe_upload", path=path, canonical=canonical, folder=folder)
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

    For workers: takes no place from requests. Raises JobError.
    """
    if Descriptor.objects.filter(content_hash=sha256, version=DESCRIPTOR_VERSION).exists():
        return
    with blobs.local(sha256) as path:
        store(sha256, Description(**pool.run("describe_file", path=path)))


def _describe(path: Path) -> Description:
    with _place():
        return Description(**pool.run("describe_file", path=path))


@contextmanager
def _place() -> Iterator[None]:
    if not _places.acquire(blocking=False):
        raise TooMany(
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

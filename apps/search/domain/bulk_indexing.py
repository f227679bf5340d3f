"""Bulk descriptor computation in a process pool."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any, NamedTuple

from django.db import connection

from apps.search.domain import descriptors, model_sources, sandbox_pool
from apps.search.models import Descriptor, PairCheck
from core.errors import ServiceError
from core.files.storage.errors import StorageError
from core.sandbox.sandbox import JobInputError, JobInternalError
from geometry.similarity import COMPARISON_VERSION, DESCRIPTOR_VERSION, Description

PAGE = 1000  # hashes that are read at a time
WAITING = 64  # files that are begun and not yet stored

_NOT_DESCRIBED = (
    "NOT EXISTS (SELECT 1 FROM search_descriptor d"
    " WHERE d.content_hash = found.sha256 AND d.version = %s)"
)
# The contents of a SELECT that are not described in today's version.
_MISSING = f"SELECT DISTINCT found.sha256 FROM ({{found}}) found WHERE {_NOT_DESCRIBED}"  # noqa: S608
_PAGE = f"{_MISSING} AND found.sha256 > %s ORDER BY 1 LIMIT %s"
_COUNT = f"SELECT count(*) FROM ({_MISSING}) m"  # noqa: S608

STORED = "SELECT sha256, key FROM warehouse_kept() WHERE sha256 IS NOT NULL"
CHOSEN = f"{STORED} AND key = ANY(%s)"
OLDER = "SELECT content_hash AS sha256 FROM search_descriptor WHERE version < %s"


class Done(NamedTuple):
    """A processed file; `error` is empty where it has a descriptor."""

    sha256: str
    error: str


def count_missing(found: str, given: tuple[Any, ...]) -> int:
    """How many contents of a SELECT are not described."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT.format(found=found), (*given, DESCRIPTOR_VERSION))
        return cursor.fetchone()[0]


def missing(found: str, given: tuple[Any, ...]) -> Iterator[str]:
    """Yield the hashes of files without a descriptor, a page at a time."""
    last = ""
    while True:
        with connection.cursor() as cursor:
            values = (*given, DESCRIPTOR_VERSION, last, PAGE)
            cursor.execute(_PAGE.format(found=found), values)
            page = [row[0] for row in cursor.fetchall()]
        yield from page
        if len(page) < PAGE:
            return
        last = page[-1]


def describe_all(hashes: Iterable[str]) -> Iterator[Done]:
    """Compute descriptors of stored files, and yield each file's result.

    Each descriptor is saved at once, so a restart repeats nothing.
    """
    waiting: deque[tuple[str, Future, ExitStack]] = deque()
    try:
        for sha256 in hashes:
            files = ExitStack()
            try:
                path = files.enter_context(model_sources.stored(sha256, field=""))
            except (ServiceError, StorageError) as error:
                yield Done(sha256, str(error))
                continue
            waiting.append((sha256, sandbox_pool.begin("describe_file", path=path), files))
            if len(waiting) >= WAITING:
                yield _end(*waiting.popleft())
        while waiting:
            yield _end(*waiting.popleft())
    finally:
        for _, future, files in waiting:
            future.cancel()
            files.close()


def forget_older() -> int:
    """Delete descriptors and comparisons of former versions; how many descriptors there were."""
    PairCheck.objects.filter(version__lt=COMPARISON_VERSION).delete()
    return Descriptor.objects.filter(version__lt=DESCRIPTOR_VERSION).delete()[0]


def _end(sha256: str, future: Future, files: ExitStack) -> Done:
    with files:
        try:
            descriptors.store(sha256, Description(**future.result()))
        except JobInputError as error:
            return Done(sha256, error.title)
        except JobInternalError as error:
            return Done(sha256, str(error).strip().splitlines()[-1])
    return Done(sha256, "")

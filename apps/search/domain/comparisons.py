"""Pairwise comparison with a symmetric cache."""

import logging
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from django.db.models import Q

from apps.search.domain import model_sources, sandbox_pool
from apps.search.domain.descriptors import Subject
from apps.search.models import PairCheck
from core.errors import ServiceError
from core.files.storage.errors import FileCorrupt, FileMissing
from core.sandbox.sandbox import JobInputError, JobInternalError
from geometry.similarity import COMPARISON_VERSION, Comparison
from geometry.similarity.classification import judge, percentage_of

logger = logging.getLogger(__name__)

# Requests that may compare at a time: each holds a thread of the web process while it waits.
AT_ONCE = 4
_places = threading.BoundedSemaphore(AT_ONCE)

IDENTITY = np.eye(4).tolist()
# A file beside itself needs no measuring; whether it is symmetric is not known then.
SAME_FILE = Comparison(
    verdict="identical",
    verified=True,
    percentage=100.0,
    scale_factor=1.0,
    transform=IDENTITY,
    mirrored=False,
    symmetric=None,  # type: ignore[arg-type]
    largest=0.0,
    mean=0.0,
    largest_share=0.0,
    mean_share=0.0,
    distance=0.0,
)

# By the hash of the other file: how the first lies on it; None where the comparison failed.
Known = dict[str, Comparison | None]


def recall(one: str, others: Mapping[str, float]) -> Known:
    """Return the stored comparisons of the file `one` with these others.

    others : hash -> diagonal of its bounding box, mm
    """
    hashes = list(others)
    rows = PairCheck.objects.filter(
        Q(first_hash=one, second_hash__in=hashes) | Q(second_hash=one, first_hash__in=hashes),
        version=COMPARISON_VERSION,
    )
    known: Known = {one: SAME_FILE} if one in others else {}
    for row in rows:
        found = Comparison(**row.comparison) if row.comparison else None
        if row.first_hash == one:
            known[row.second_hash] = found
        else:
            known[row.first_hash] = found and inverse(found, others[row.first_hash])
    return known


def inverse(found: Comparison, diagonal: float) -> Comparison:
    """Return the comparison in the other direction.

    diagonal : of the bounding box of the former query model, which is now the match, mm

    `identical` holds in both directions; lesser verdicts are derived again from the share.
    """
    scale = 1 / found.scale_factor
    largest_share, mean_share = found.largest * scale / diagonal, found.mean * scale / diagonal
    identical = found.verdict == "identical"
    lesser = judge(largest_share=largest_share, mean_share=mean_share, same_invariants=False)
    return found._replace(
        verdict="identical" if identical else lesser,
        percentage=found.percentage if identical else percentage_of(100 * mean_share),
        scale_factor=scale,
        transform=np.linalg.inv(found.transform).tolist(),
        largest=found.largest * scale,
        mean=found.mean * scale,
        largest_share=largest_share,
        mean_share=mean_share,
        distance=100 * mean_share,
        resolution=found.resolution * scale,
    )


def compare_now(subject: Subject, others: Mapping[str, float], *, seconds: float) -> Known:
    """Compare with these stored files, as many as there is time for; none where all places are
    taken.

    others : hash -> diagonal of its box, mm; the first of them first
    """
    if not others or not _places.acquire(blocking=False):
        return {}
    try:
        with ExitStack() as files:
            return _compare(subject, others, time.monotonic() + seconds, files)
    finally:
        _places.release()


def compare_stored(one: str, other: str) -> None:
    """Compare two stored files and remember it; for workers.

    Raises sources.ContentNotAvailable where one of them is not stored.
    """
    first, second = sorted((one, other))
    with (
        model_sources.stored(first, field="") as first_path,
        model_sources.stored(second, field="") as second_path,
    ):
        _remember(first, second, _begin(first_path, second_path), None)


def _compare(
    subject: Subject, others: Mapping[str, float], deadline: float, files: ExitStack
) -> Known:
    begun: dict[str, tuple[str, str, Future]] = {}
    for sha256 in others:
        try:
            path = files.enter_context(model_sources.stored(sha256, field=""))
        except (ServiceError, FileCorrupt, FileMissing):
            logger.error("The file %s of a descriptor is missing from storage.", sha256)
            continue
        (first, first_path), (second, second_path) = sorted(
            [(subject.sha256, subject.path), (sha256, path)]
        )
        begun[sha256] = (first, second, _begin(first_path, second_path))
    for sha256, (first, second, future) in begun.items():
        try:
            _remember(first, second, future, max(0, deadline - time.monotonic()))
        except NotYet:
            future.cancel()
        except JobInternalError as error:
            logger.error("A comparison with %s broke: %s", sha256, error)
    return recall(subject.sha256, {sha256: others[sha256] for sha256 in begun})


def _begin(first: Path, second: Path) -> Future:
    return sandbox_pool.begin("compare_files", first=first, second=second)


def _remember(first: str, second: str, future: Future, seconds: float | None) -> None:
    """Wait for a comparison and keep it; one that failed on the files is not tried again."""
    row = PairCheck(first_hash=first, second_hash=second, version=COMPARISON_VERSION)
    try:
        row.comparison = future.result(seconds)
    except JobInputError as error:
        row.error = error.title[:1000]
    PairCheck.objects.bulk_create([row], ignore_conflicts=True)

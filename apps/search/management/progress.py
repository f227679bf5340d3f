"""Progress output of the indexing commands."""

import time
from collections.abc import Callable
from typing import Any

from apps.search.domain import bulk_indexing

PAUSE = 1.0  # s between two lines


def describe(found: str, given: tuple[Any, ...], say: Callable[[str], Any]) -> int:
    """Compute the missing descriptors of a SELECT, print progress, and return how many failed."""
    total, failed, said = bulk_indexing.count_missing(found, given), 0, 0.0
    number = 0
    for number, done in enumerate(
        bulk_indexing.describe_all(bulk_indexing.missing(found, given)), start=1
    ):
        if done.error:
            failed += 1
            say(f"{done.sha256}: {done.error}")
        if time.monotonic() - said > PAUSE:
            said = time.monotonic()
            say(f"{number} of {total}")
    say(f"{number - failed} described, {failed} not.")
    return failed

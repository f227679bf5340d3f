"""Progress output of the indexing commands."""

import time
from collections.abc import Callable
from typing import Any

from apps.search.domain import bulk_indexing

PAUSE = 1.0  # s between two lines


def describe(found: str, given: tuple[Any, ...], say: Callable[[str], Any]) -> int:
    """Describe what is missing of a SELECT and tell how it goes; how many could not be."""
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

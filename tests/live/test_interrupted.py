"""Ctrl-C ends everything while it starts; -s says how quickly."""

import time
from collections.abc import Iterator

import psutil
import pytest

from tests.live.running import START, Platform, alive, line
from tests.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.slow]

# What it says as it starts, and what it does then.
MOMENTS = {
    "Starting the database below": "the database starts",
    "Bringing its tables up to date": "tables are made",
    "Ctrl-C ends everything": "the processes are begun",
}


@pytest.fixture
def fresh() -> Iterator[Platform]:
    """A platform that has not been started."""
    platform = Platform()
    try:
        yield platform
    finally:
        platform.stop()


def end(platform: Platform, doing: str) -> None:
    """Ctrl-C, and what there was before it is there no more."""
    before = platform.processes()
    begun = time.monotonic()
    platform.interrupt()
    wait_for(lambda: platform.first.poll() is not None)
    wait_for(lambda: not any(alive(process) for process in before))
    print(f"Ctrl-C while {doing}: all {len(before)} ended after {time.monotonic() - begun:.1f} s")
    left = [p for p in psutil.process_iter() if str(platform.folder) in " ".join(line(p))]
    assert left == []


@pytest.mark.parametrize("said", MOMENTS)
def test_while_it_starts(fresh: Platform, said: str):
    fresh.begin()
    wait_for(lambda: said in fresh.said(), START)

    end(fresh, MOMENTS[said])

"""Ctrl-C ends everything while it starts; -s says how quickly."""

import time
from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest

from tests.attacks.resource_attacks import Greedy
from tests.live.client import Client
from tests.live.processes import START, Platform, alive, children, line
from tests.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.long, pytest.mark.slow]

BOUND = 2 * 45.0  # seconds: what is promised, on a machine that is busy with other things
AT_WORK = "SELECT DISTINCT message->>'actor_name' FROM dramatiq.queue WHERE state = 'consumed'"
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
    # Also what began meanwhile: the kernel ends it with its parent.
    wait_for(
        lambda: not any(str(platform.folder) in " ".join(line(p)) for p in psutil.process_iter())
    )
    assert time.monotonic() - begun < BOUND
    print(f"Ctrl-C while {doing}: all {len(before)} ended after {time.monotonic() - begun:.1f} s")


@pytest.mark.parametrize("said", MOMENTS)
def test_interrupt_during_startup_ends_all_processes(fresh: Platform, said: str):
    fresh.begin()
    wait_for(lambda: said in fresh.said(), START)

    end(fresh, MOMENTS[said])


def test_interrupt_during_running_jobs_ends_all_processes(fresh: Platform):
    fresh.start()
    greedy = Greedy(Client(fresh))
    greedy.client.settled(greedy.part)
    greedy.transform(2)
    greedy.slice(6)
    greedy.draw(6)
    greedy.client.pack(90)
    wait_for(
        lambda: {"transform_model", "slice_model", "render_snapshot", "pack_run"} <= at_work(fresh)
    )

    end(fresh, "it works, and compiles its first packing")


def at_work(platform: Platform) -> set[str]:
    """The actors that are at it."""
    return {actor for (actor,) in platform.ask(AT_WORK)}


def test_interrupt_with_stopped_database_ends_all_processes(fresh: Platform):
    fresh.start()
    postmaster = fresh.postmaster()
    postmaster.suspend()  # which starts no others
    for process in children(postmaster):
        with suppress(psutil.NoSuchProcess):
            process.suspend()

    end(fresh, "the database is stopped")

"""What lives and does not serve is killed and comes back: each program stopped, and the database.

SIGSTOP is the plainest way to live and not serve; a database whose own children are killed in a
burst may end in another.
"""

import random
import signal
import time

import psutil
import pytest

from tests.live.client import Client, ball
from tests.live.processes import Platform, alive, name_of, wait_for

pytestmark = [pytest.mark.live, pytest.mark.single("it looks at the programs of its machine")]

BACK = 300.0  # seconds: half a dozen Python processes start at once


def programs(platform: Platform) -> dict[str, psutil.Process]:
    """The programs that run, by name."""
    return {name_of(process): process for process in platform._supervisor.children()}


def test_stopped_programs_are_replaced_by_the_watchdog(platform: Platform, client: Client):
    wait_for(lambda: len(platform.ask("SELECT FROM core_canary WHERE ended IS NOT NULL")) >= 8)
    others = (None, "announce", "watchdog", "database")  # announce ends when it has said all
    stopped = {name: p for name, p in programs(platform).items() if name not in others}
    assert {"web", "sender", "providers", "meshes-1", "housekeeping-1"} <= set(stopped)
    for process in stopped.values():
        for one in [process, *process.children(recursive=True)]:
            one.suspend()

    def replaced() -> bool:
        now = programs(platform)
        return all(n in now and now[n].pid != p.pid for n, p in stopped.items())

    wait_for(replaced, BACK)
    wait_for(platform.answers, BACK)
    assert not any(alive(process) for process in stopped.values())
    part = client.model(ball(11))
    assert client.settled(part)["status"] == "processed"


def test_stopped_database_is_replaced_by_the_watchdog(platform: Platform, client: Client):
    part = client.model(ball(12))
    postmaster = platform.postmaster()

    postmaster.suspend()

    wait_for(lambda: not alive(postmaster), BACK)
    wait_for(lambda: client.can_read(part), BACK)
    assert client.settled(part)["status"] == "processed"


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_database_child_processes_lose_nothing(platform, client, seed):
    chance = random.Random(seed)
    part = client.model(ball(12 + seed))

    for _ in range(4):
        postmaster = platform.postmaster()
        own = [p for p in postmaster.children() if "client" not in p.name()] if postmaster else []
        for child in chance.sample(own, min(3, len(own))):
            try:
                child.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                pass
        time.sleep(chance.random())

    wait_for(lambda: client.can_read(part), BACK)
    assert client.settled(part)["status"] == "processed"
    assert "meshes-1" in programs(platform)

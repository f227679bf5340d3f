"""Plates printed on real host programs while agent, host, platform and line are killed.

`HOST_PLATES` says how many on each; OctoPrint has tests of its own (`test_machines.py`).
"""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from tests.live.client import Client
from tests.live.klipper_machine import KlipperMachine
from tests.live.machine_shop import Host, Shop, shop_of
from tests.live.processes import ROOT, alive, kill
from tests.live.prusa_machine import PrusaMachine
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.single("it kills all programs of its machine"),
]

PLATES = int(os.environ.get("HOST_PLATES", "4"))


def moonraker(folder) -> KlipperMachine:
    subprocess.run([ROOT / "bin" / "install-moonraker"], check=True)
    (folder / "klipper").mkdir()
    return KlipperMachine(folder / "klipper")


def prusalink(_folder) -> PrusaMachine:
    subprocess.run([ROOT / "bin" / "install-prusalink"], check=True)
    return PrusaMachine()


@pytest.fixture(scope="module", params=[moonraker, prusalink])
def shop(request, client: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    folder = tmp_path_factory.mktemp("shop")
    host: Host = request.param(folder)
    with shop_of(client, folder, host) as made:
        yield made


def kill_agent(shop: Shop) -> None:
    shop.agent.kill()
    shop.agent.start()


def kill_host(shop: Shop) -> None:
    shop.host.kill()
    wait_for(lambda: shop.look(shop.printer)["machine"]["state"] == "offline")
    shop.host.start()


def kill_platform(shop: Shop) -> None:
    platform = shop.client.platform
    processes = platform.processes()
    kill(processes[0])
    wait_for(lambda: not any(alive(process) for process in processes))
    platform.start()


def cut_line(shop: Shop) -> None:
    shop.line.cut()
    time.sleep(5 * random.random())
    shop.line.mend()


FAULTS: list[Callable[[Shop], None]] = [kill_agent, kill_host, kill_platform, cut_line]


def test_no_plate_is_printed_twice_lost_or_completed_wrongly(shop: Shop):
    ends: Counter[str] = Counter()
    for number in range(PLATES):
        fault = FAULTS[number % len(FAULTS)]
        with shop.disturbed() as attempt:
            fault(shop)
        ended = shop.settled(attempt)
        assert ended in ("done", "unclear", "never"), shop.look(attempt)["evidence"]
        ends[f"{fault.__name__}: {ended}"] += 1
    sys.stdout.write(f"{shop.host.kind}: {dict(ends)}\n")

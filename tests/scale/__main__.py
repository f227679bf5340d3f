"""A fleet on this machine: two web behind nginx, four of workers, PgBouncer, a database, S3.

    python -m tests.scale [--seconds 20] [--write] [--tests]

Separate data folders stand for machines, and ports that can be held for the lines between them. It
walks an order through, measures, pulls a machine out, and prints a table; with --write into
docs/scale.md. With --tests the live tests run against such a fleet, but for those of one machine.
Every process that it starts has ended when it ends.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from tests.live import full_cluster
from tests.live.client import Client, ball
from tests.live.processes import ROOT, browser, children
from tests.scale.table import Figures
from tests.tables import put
from tests.waiting import wait_for

AT_WORK = "SELECT message_id FROM dramatiq.queue WHERE worker_id = ANY(%s::uuid[])"
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
ASKING = 8  # clients at once, of each web process
PARTS = 8  # models of a measurement of real jobs
RINGS = 110  # about 48,000 triangles each


@dataclass
class Fleet(full_cluster.Fleet):
    """And a client of each web process, with the same account."""

    clients: list[Client]


@contextmanager
def fleet() -> Iterator[Fleet]:
    """A fleet that runs."""
    with (
        TemporaryDirectory(prefix="scale-") as folder,
        full_cluster.whole_fleet(Path(folder), durable=True) as running,
    ):
        client = Client(running.web[0])
        clients = []
        for machine in running.web:
            one = copy(client)
            one.session = browser(machine.listens)
            one.session.auth = client.session.auth
            clients.append(one)
        yield Fleet(**vars(running), clients=clients)


def walk(fleet: Fleet) -> float:
    """An order through all of it: what one web process takes, the other tells; its seconds."""
    here, there = fleet.clients
    begun = time.monotonic()
    part = here.model(ball(20, bumps=5))
    assert there.settled(part)["status"] == "processed"
    sliced = there.slice(part, here.config(), "http://127.0.0.1:8999/")
    assert here.settled(sliced)["status"] == "processed"
    bureau = here.ask("POST", "erp/bureau/", 201, json={"name": "Shop"}).headers["Location"]
    order = {"bureau": bureau, "name": "Part", "quantity": 3, "model": part}
    item = there.ask("POST", "erp/line-item/", 201, json=order).headers["Location"]
    wait_for(lambda: here.read(item)["status"] == "pending")
    here.ask("PUT", item, 204, json={"status": "confirmed"})
    pieces = there.ask("GET", "erp/piece/", 200, params={"filter[line_item]": item}).json()
    assert pieces["meta"]["count"] == 3
    return time.monotonic() - begun


def requests(fleet: Fleet, clients: list[Client], seconds: float) -> dict[str, float]:
    """Lists of models, asked for by so many at once."""
    ports = [machine.listens for machine in fleet.web][: len(clients)]
    took: list[float] = []
    end = time.monotonic() + seconds

    def ask(port: int) -> None:
        session = browser(port)
        session.auth = clients[0].session.auth
        while (begun := time.monotonic()) < end:
            answer = session.get(fleet.web[0].url("models/model/"), timeout=60)
            assert answer.status_code == 200, answer.text
            took.append(time.monotonic() - begun)

    with ThreadPoolExecutor(ASKING * len(ports)) as threads:
        list(threads.map(ask, ports * ASKING))
    cuts = quantiles([1000 * one for one in took], n=100)
    return {"a second": round(len(took) / seconds), "p50": cuts[49], "p95": cuts[94]}


def real_jobs(fleet: Fleet, bumps: int) -> float:
    """Models judged in an hour, by however many workers there are."""
    client = fleet.clients[0]
    made = [client.create_model() for _ in range(PARTS)]
    files = [ball(RINGS, bumps=bumps + number) for number in range(PARTS)]
    begun = time.monotonic()
    for (_, location), data in zip(made, files, strict=True):
        client.upload(location, data)
    for uri, _ in made:
        assert client.settled(uri)["status"] == "processed"
    return 3600 * PARTS / (time.monotonic() - begun)


def judged(fleet: Fleet, bumps: int) -> dict[str, Any]:
    """As `real_jobs`, with what was used up first."""
    found, first, connections = busy(fleet, lambda: {"an hour": real_jobs(fleet, bumps)})
    return {**found, "first": first, "connections": connections}


def pull_out(fleet: Fleet) -> float:
    """Of a machine whose worker is at a job: seconds until the job is somebody else's."""
    machine = fleet.workers[1]
    worker = machine.worker_of("meshes-1")
    for process in machine.slot("meshes-1")[1]:
        process.suspend()
    models = []

    def at_work() -> list[tuple]:
        models.append(fleet.clients[0].model(ball(20, bumps=30 + len(models))))
        return fleet.database.ask(AT_WORK, [worker])

    wait_for(at_work)
    gone = time.monotonic()
    machine.unplug()
    wait_for(lambda: not fleet.database.ask(AT_WORK, [worker]))
    passed = time.monotonic() - gone
    for model in models:
        assert fleet.clients[0].settled(model)["status"] == "processed"
    return passed


def empty_jobs(fleet: Fleet, count: int, seconds: float) -> dict[str, float]:
    """Claims and ends of jobs with nothing in them, while nobody else works."""
    environment = {
        **fleet.workers[0].environment,
        "DATABASE_URL": fleet.database.url(),
        "DATABASE_DIRECT_URL": fleet.database.url(),
        "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
    }
    words = [sys.executable, "-m", "tests.scale.null_workers", str(count), str(seconds)]
    ran = subprocess.run(
        words, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(ran.stdout.splitlines()[-1])


def processor(fleet: Fleet) -> dict[str, float]:
    """Seconds that each part has used the processor for."""
    parts = {
        "database": [fleet.database.process],
        "pooler": [fleet.pooler.process],
        "nginx": [fleet.balancer.process],
        "S3": [fleet.storage.process],
    }
    for name, machines in (("web", fleet.web), ("workers", fleet.workers)):
        parts[name] = [machine._supervisor for machine in machines]
    own = [getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)]
    used = {"clients": sum(each.ru_utime + each.ru_stime for each in own)}
    for name, roots in parts.items():
        used[name] = 0.0
        for process in [each for root in roots for each in (root, *children(root))]:
            try:
                times = process.cpu_times()
                used[name] += times.user + times.system
            except psutil.Error:
                pass
    return used


def busy(fleet: Fleet, run: Callable[[], dict[str, float]]) -> tuple[dict[str, float], str, int]:
    """What `run` gives, what was used up first meanwhile, and the server's connections.

    It is the part that used most of the processor: where all cores are shared, that ends first, and
    how much of it was used tells whether it did.
    """
    before, begun = processor(fleet), time.monotonic()
    most = Most(fleet)
    with most:
        found = run()
    used = {name: after - before[name] for name, after in processor(fleet).items()}
    share = sum(used.values()) / (time.monotonic() - begun) / (os.cpu_count() or 1)
    part = max(used, key=lambda name: used[name])
    words = f"{part}: {100 * used[part] / (sum(used.values()) or 1.0):.0f} % of"
    return found, f"{words} {100 * share:.0f} % of the processor", most.connections


class Most(threading.Thread):
    """Looks each second how many connections the server has: `connections` is the most."""

    def __init__(self, fleet: Fleet):
        super().__init__(daemon=True)
        self._fleet, self._over, self.connections = fleet, threading.Event(), 0

    def __enter__(self) -> None:
        self.start()

    def run(self) -> None:
        while not self._over.is_set():
            ((count,),) = self._fleet.database.ask(CONNECTIONS)
            self.connections = max(self.connections, count)
            self._over.wait(1)

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self.join()


def live_tests() -> None:
    """Those that any platform must pass, against a fleet; what is left out is listed with why."""
    words = [sys.executable, "-m", "pytest", "tests/live", "-m", "live", "-rs"]
    subprocess.run(words, env={**os.environ, "PLATFORM": "fleet"}, cwd=ROOT, check=True)


def say(words: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {words}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each measurement")
    parser.add_argument("--write", action="store_true", help="into docs/scale.md")
    parser.add_argument("--tests", action="store_true", help="run the live tests on a fleet, too")
    asked = parser.parse_args()
    begun = time.monotonic()
    figures = Figures(cores=os.cpu_count() or 1, seconds=asked.seconds)
    say("Starting two machines of web, four of workers, nginx, PgBouncer, a database and S3.")
    with fleet() as running:
        say(f"They run, after {time.monotonic() - begun:.0f} s.")
        figures.order = walk(running)
        say(f"An order went through in {figures.order:.1f} s.")
        figures.connections = running.database.ask(CONNECTIONS)[0][0]
        for count in (1, 2):
            own, first, connections = busy(
                running,
                lambda count=count: requests(running, running.clients[:count], asked.seconds),
            )
            figures.requests[count] = {**own, "first": first, "connections": connections}
            say(f"Requests of {count} web: {figures.requests[count]}")
        figures.real[2] = judged(running, 3)
        say(f"Models judged by two workers: {figures.real[2]}")
        figures.given_back = pull_out(running)
        say(f"A machine was pulled out: its job was another's after {figures.given_back:.1f} s.")
        figures.real[1] = judged(running, 50)
        say(f"Models judged by one worker: {figures.real[1]}")
        for machine in running.workers:
            machine.unplug()  # so that nobody else claims, and nothing takes the processor
        for count in (1, 4, 16):
            own, first, connections = busy(
                running, lambda count=count: empty_jobs(running, count, asked.seconds)
            )
            figures.empty[count] = {**own, "first": first, "connections": connections}
            say(f"Empty jobs: {figures.empty[count]}")
        figures.load = os.getloadavg()[0]
    figures.took = time.monotonic() - begun
    text = figures.table()
    print(text)
    if asked.write:
        put(ROOT / "docs" / "scale.md", "make scale", text)
    left = [
        t.name for t in threading.enumerate() if not t.daemon and t is not threading.main_thread()
    ]
    assert left == [], left
    if asked.tests:
        live_tests()
    say(f"Every process has ended, after {time.monotonic() - begun:.0f} s in all.")


if __name__ == "__main__":
    main()

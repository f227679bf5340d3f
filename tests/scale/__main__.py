"""A fleet on this machine: two web, four of workers, PgBouncer, one database that is elsewhere.

    python -m tests.scale [--seconds 20] [--write]

Separate data folders stand for machines, and ports that can be held for the lines between them. It
walks an order through, measures, pulls a machine out, and prints a table; with --write into
docs/scale.md. Every process that it starts has ended when it ends.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import psutil

from tests.live.client import Client, ball
from tests.live.fleet import Database, Machine, Pooler, shared_folder
from tests.live.running import ROOT, browser, children
from tests.scale.table import Figures, write
from tests.waiting import wait_for

AT_WORK = "SELECT message_id FROM dramatiq.queue WHERE worker_id = ANY(%s::uuid[])"
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
ASKING = 8  # clients at once, of each web process
PARTS = 8  # models of a measurement of real jobs
RINGS = 110  # about 48,000 triangles each
WORKERS = (
    "meshes=1,renders=1,default=1",
    "meshes=1,renders=1",
    "slices=1,slices_slow=1,extras=1",
    "slices=1,slices_slow=1,packing=1,providers=1",
)


@dataclass
class Fleet:
    """The machines, and a client of each web process with the same account."""

    database: Database
    web: list[Machine]
    workers: list[Machine]
    clients: list[Client]

    @property
    def machines(self) -> list[Machine]:
        return [*self.web, *self.workers]


@contextmanager
def fleet() -> Iterator[Fleet]:
    """A fleet that runs; what is left of it at the end is an error."""
    with ExitStack() as stack:
        database = Database(connections=200, durable=True)
        stack.callback(database.stop)
        pooler = Pooler(database, connections=10)
        stack.callback(pooler.stop)
        home = shared_folder()
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        first = Machine(home, database, "web,sender", pooler)
        own = {"HOST_PORT": str(first.port)}
        second = Machine(home, database, "web,sender", pooler, **own)
        workers = [Machine(home, database, "workers", SLOTS=slots, **own) for slots in WORKERS]
        left: list[str] = []
        for machine in (first, second, *workers):
            machine.begin()
            stack.callback(lambda machine=machine: left.extend(machine.stop()))
        for machine in (first, second, *workers):
            machine.wait_until_ready()
        client = Client(first)
        other = Client(first)
        other.session = browser(second.port)
        other.session.auth = client.session.auth
        yield Fleet(database, [first, second], workers, [client, other])
    assert left == [], left


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
    ports = [machine.port for machine in fleet.web][: len(clients)]
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
    words = [sys.executable, "-m", "tests.scale.hands", str(count), str(seconds)]
    ran = subprocess.run(
        words, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(ran.stdout.splitlines()[-1])


def processor(fleet: Fleet) -> dict[str, float]:
    """Seconds that each part has used the processor for."""
    parts = {"database": [fleet.database.process], "web": [], "workers": []}
    for name, machines in (("web", fleet.web), ("workers", fleet.workers)):
        parts[name] = [machine._supervisor for machine in machines]
    used = {}
    for name, roots in parts.items():
        used[name] = 0.0
        for process in [each for root in roots for each in (root, *children(root))]:
            try:
                times = process.cpu_times()
                used[name] += times.user + times.system
            except psutil.Error:
                pass
    return used


def busy(fleet: Fleet, run: Callable[[], dict[str, float]]) -> tuple[dict[str, float], str]:
    """What `run` gives, and which part used most of the processor meanwhile."""
    before = processor(fleet)
    found = run()
    used = {name: after - before[name] for name, after in processor(fleet).items()}
    whole = sum(used.values()) or 1.0
    part = max(used, key=lambda name: used[name])
    return found, f"{part} ({100 * used[part] / whole:.0f} %)"


def say(words: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {words}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each measurement")
    parser.add_argument("--write", action="store_true", help="into docs/scale.md")
    asked = parser.parse_args()
    begun = time.monotonic()
    figures = Figures(cores=os.cpu_count() or 1, seconds=asked.seconds)
    say("Starting two machines of web and sender, four of workers, PgBouncer and a database.")
    with fleet() as running:
        say(f"They run, after {time.monotonic() - begun:.0f} s.")
        figures.order = walk(running)
        say(f"An order went through in {figures.order:.1f} s.")
        figures.connections = running.database.ask(CONNECTIONS)[0][0]
        for count in (1, 2):
            own, first = busy(
                running,
                lambda count=count: requests(running, running.clients[:count], asked.seconds),
            )
            figures.requests[count] = {**own, "first": first}
            say(f"Requests of {count} web: {figures.requests[count]}")
        figures.real[2] = real_jobs(running, 3)
        say(f"Models judged by two workers: {figures.real[2]:.0f} an hour.")
        figures.given_back = pull_out(running)
        say(f"A machine was pulled out: its job was another's after {figures.given_back:.1f} s.")
        figures.real[1] = real_jobs(running, 50)
        say(f"Models judged by one worker: {figures.real[1]:.0f} an hour.")
        for machine in running.workers:
            machine.unplug()  # so that nobody else claims, and nothing takes the processor
        for count in (1, 4, 16):
            figures.empty[count] = empty_jobs(running, count, asked.seconds)
            say(f"Empty jobs: {figures.empty[count]}")
        figures.load = os.getloadavg()[0]
    figures.took = time.monotonic() - begun
    text = figures.table()
    print(text)
    if asked.write:
        write(Path(ROOT / "docs" / "scale.md"), text)
    left = [
        t.name for t in threading.enumerate() if not t.daemon and t is not threading.main_thread()
    ]
    assert left == [], left
    say(f"Every process has ended, after {figures.took:.0f} s in all.")


if __name__ == "__main__":
    main()

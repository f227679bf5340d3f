"""A fleet whose every line can be cut, and trials: one kind of fault again and again.

Meanwhile customers work and a receiver listens; then history, receiver and ledger must agree.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.callbacks.conftest import Heard
from tests.live import s3
from tests.live.client import Client, ball
from tests.live.fleet import Database, Machine, Pooler, shared_folder
from tests.live.history import Customer, History, faults
from tests.live.network_links import Line
from tests.live.processes import ROOT
from tests.waiting import wait_for

ROUNDS = int(os.environ.get("NEMESIS_ROUNDS", "2"))
CUSTOMERS = 2
LUMP = ball(8, bumps=5)
# Seconds after which a fleet on a machine that works at other things is whole again. What is aimed
# at on a quiet one stands in docs/scale.md, with what was seen.
WHOLE = 60.0
LEFT = """
    SELECT message_id::text, state::text FROM dramatiq.queue
    WHERE queue_name IN ('meshes', 'meshes.DQ') AND state IN ('queued', 'consumed', 'rejected')
"""
PENDING = """
    SELECT d.uuid::text, d.last_error FROM callbacks_delivery d
    JOIN callbacks_event e ON e.uuid = d.event_id WHERE d.state = 'pending' AND e.uri = ANY(%s)
"""


@dataclass
class Fleet:
    """`one` serves requests; both have a worker of meshes and a sender; each line can be cut."""

    one: Machine
    two: Machine
    database: Database
    to_pooler: Line
    to_files: Line  # of the second machine
    storage: s3.Line  # of everybody
    owner: Client
    stranger: Client

    def manage(self, *words: str) -> str:
        """What a command says, which must succeed."""
        ran = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *words],
            env={**self.one.environment, "DATABASE_DIRECT_URL": self.database.url()},
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout


@contextmanager
def broken_fleet(folder: Path) -> Iterator[Fleet]:
    """A fleet that runs; `folder` is for its S3 server. What is left of it is an error."""
    left: list[str] = []
    with ExitStack() as stack:
        server = s3.Server(folder)
        stack.callback(server.kill)
        server.start()
        storage = s3.Line(server.port)
        stack.callback(storage.close)
        to_files = Line(storage.port)
        stack.callback(to_files.close)
        database = Database()
        stack.callback(database.stop)
        pooler = Pooler(database)
        stack.callback(pooler.stop)
        to_pooler = Line(pooler.port)
        stack.callback(to_pooler.close)
        home = shared_folder()
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        own = {"CALLBACK_INTERVAL": "1", "SEARCH_DESCRIBE_UPLOADS": "off", **s3.KEYS}
        slots = "meshes=1,default=1"
        here, there = s3.url(storage.port), s3.url(to_files.port)
        one = Machine(
            home, database, "web,workers,sender", to_pooler, SLOTS=slots, FILES_URL=here, **own
        )
        own["HOST_PORT"] = str(one.port)
        two = Machine(home, database, "workers,sender", SLOTS="meshes=1", FILES_URL=there, **own)
        for machine in (one, two):
            machine.begin()
            stack.callback(lambda machine=machine: left.extend(machine.stop()))
        for machine in (one, two):
            machine.wait_until_ready()
        owner, stranger = Client(one), Client(one)
        yield Fleet(one, two, database, to_pooler, to_files, storage, owner, stranger)
    assert left == []


class Trial:
    """One kind of fault, again and again, while customers work and a receiver listens."""

    def __init__(self, fleet: Fleet, history: History, heard: Heard, label: str):
        self.fleet, self.history, self.heard, self.label = fleet, history, heard, label

    def customer(self) -> Customer:
        return Customer(self.history, self.fleet.owner, self.heard.url, lump, self.label)

    def order(self) -> str:
        """A new model with its file."""
        return self.customer().order()

    def run(self, fault: Callable[[int], AbstractContextManager[None]]) -> None:
        """All rounds, and then whether everything is as the clients were told."""
        over, took = threading.Event(), []
        stranger = self.fleet.stranger.session
        with ThreadPoolExecutor(CUSTOMERS) as threads:
            work = [
                threads.submit(self.customer().press_on, over, stranger) for _ in range(CUSTOMERS)
            ]
            try:
                for number in range(ROUNDS):
                    with fault(number):
                        pass
                    took.append(self.until_whole())
            finally:
                over.set()
        for one in work:
            one.result()
        self.settle()
        calls = self.history.calls()
        print(
            f"{self.label}: whole again after {' '.join(f'{one:.1f}' for one in took)} s, "
            f"at load {os.getloadavg()[0]:.0f}; {len(calls)} calls, "
            f"{sum(not call.status for call in calls)} cut off, "
            f"{sum(call.status == 503 for call in calls)} refused; "
            f"{len(self.heard.requests)} callbacks, {self.repeated()} of them again"
        )
        assert max(took) < WHOLE

    def until_whole(self) -> float:
        """Seconds until a new model is taken, judged and told."""
        begun = time.monotonic()
        uri = self.order()
        wait_for(lambda: uri in told(self.heard))
        return time.monotonic() - begun

    def settle(self) -> None:
        """Nothing is stuck, and history, receiver, ledger and files agree."""
        ask = self.fleet.database.ask
        wait_for(lambda: ask(LEFT) == [])
        calls = self.history.calls()
        gone = {call.url for call in calls if call.verb == "DELETE"}
        made = {c.location for c in calls if c.verb == "POST" and c.is_done}
        wait_for(lambda: ask(PENDING, [*made]) == [])
        assert list(faults(self.history, self.fleet.owner, self.label)) == []
        changes = told(self.heard)
        assert made - gone <= changes.keys() <= made
        for uri, events in changes.items():
            assert len(events) == 1, f"{uri} was told {events}"
        self.fleet.manage("check_consistency")

    def repeated(self) -> int:
        """Requests that told something a second time, with the same webhook-id."""
        return len(self.heard.requests) - len(set(self.heard.column("webhook-id")))


def lump() -> bytes:
    """A file that nobody has: by its first 80 bytes, which say nothing of its shape."""
    return os.urandom(20).hex().ljust(80).encode() + LUMP[80:]


def told(heard: Heard) -> dict[str, set[tuple[str, str, bytes]]]:
    """By resource, the different things that the receiver was told: state, id and body."""
    found = defaultdict(set)
    for request in list(heard.requests):
        body = json.loads(request.body)
        found[body["uri"]].add((body["status"], request.headers["webhook-id"], request.body))
    return found

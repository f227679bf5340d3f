"""The platform that is attacked, and an ordinary user beside: what they wait for."""

import socket
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import psutil
import requests

from tests.live.client import Client, ball
from tests.live.processes import LocalHosts
from tests.waiting import wait_for

STRANGER = "127.0.1.2"  # where attacks come from: this machine, but another network


class FromElsewhere(LocalHosts):
    """Connects from an address of strangers."""

    def __init__(self, address: str):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *words, **options):
        super().init_poolmanager(*words, **options, source_address=(self.address, 0))


@dataclass(frozen=True)
class Target:
    """The platform that runs: on this machine, over http; attacks come from `stranger`."""

    domain: str
    port: int
    stranger: str = STRANGER

    def url(self, path: str) -> str:
        host, _, rest = path.partition("/")
        return f"http://{f'{host}.' if host else ''}{self.domain}:{self.port}/{rest}"

    def session(self, adapter: LocalHosts | None = None) -> requests.Session:
        session = requests.Session()
        session.trust_env = False
        session.mount("http://", adapter or FromElsewhere(self.stranger))
        return session

    def client(self) -> Client:
        return Client(self, self.session())

    def connect(self) -> socket.socket:
        return socket.create_connection(
            ("127.0.0.1", self.port), timeout=5, source_address=(self.stranger, 0)
        )


@dataclass
class Felt:
    """What an ordinary user waited for, in seconds, and what went wrong."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    faults: list[str] = field(default_factory=list)
    memory: float = 0.0  # MB of the web processes, at the highest

    def p50(self, what: str) -> float:
        return statistics.median(self.times[what])

    def p95(self, what: str) -> float:
        times = sorted(self.times[what])
        return times[min(len(times) - 1, int(0.95 * len(times)))] if times else float("nan")

    def __str__(self) -> str:
        told = [
            f"{what} p50 {self.p50(what):.2f} p95 {self.p95(what):.2f}"
            for what in sorted(self.times)
        ]
        faults = f"{len(self.faults)} faults {sorted(set(self.faults))[:3]}"
        return f"{', '.join(told)} s; web {self.memory:.0f} MB; {faults}"


def until(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds are over."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def web_memory(port: int) -> float:
    """Return the MB of memory of the processes that listen at a port, shared pages counted once."""
    listening = psutil.net_connections("tcp")
    pids = {
        one.pid
        for one in listening
        if one.pid and one.laddr.port == port and one.status == psutil.CONN_LISTEN
    }
    total = 0
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            total += psutil.Process(pid).memory_full_info().pss
    return total / 1e6


def operation(client: Client, type: str, model: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The order of an operation of the built-in service of this type."""
    listed = client.ask("GET", f"integrations/service/?filter[type]={type}", 200).json()
    service = listed["resources"][0]["uri"]
    return {"service": service, "inputs": {"model": model}, "parameters": parameters}


class Ordinary:
    """Somebody who reads, signs in, and now and then sends a small part and has it worked on."""

    def __init__(self, target: Target):
        self.target = target
        self.clients = [Client(target, target.session(LocalHosts())) for _ in range(4)]
        self.part = self.clients[0].model(ball(3))
        self.config = self.clients[0].config()
        bureau, printer = self.clients[3].shop()
        brick = self.clients[3].settled(self.clients[3].model(ball(6)))["uri"]
        pieces = self.clients[3].pieces(bureau, brick, 4)
        self.build = {"printer": printer, "run_name": "Plate", "budget": "quick", "pieces": pieces}

    def live(self, until: Callable[[], bool], *, has_jobs: bool = True) -> Felt:
        """What they wait for meanwhile; without `has_jobs` they read, sign in and send parts."""
        felt = Felt()
        jobs = (self._draw, self._slice, self._heal, self._pack) if has_jobs else ()
        works = (self._read, self._sign_in, self._upload, *jobs)
        with ThreadPoolExecutor(len(works)) as pool:
            lives = [pool.submit(self._again, felt, work, until) for work in works]
            while not all(one.done() for one in lives):
                felt.memory = max(felt.memory, web_memory(self.target.port))
                time.sleep(2.0)
            for one in lives:
                one.result()
        return felt

    def _again(self, felt: Felt, work: Callable[[int], str], until: Callable[[], bool]) -> None:
        turn = 0
        while not until():
            begun = time.monotonic()
            try:
                what = work(turn)
                felt.times[what].append(time.monotonic() - begun)
            except (AssertionError, requests.RequestException) as error:
                felt.faults.append(f"{work.__name__}: {str(error)[:80]}")
            turn += 1
            time.sleep(0.2 if work == self._read else 1.6)

    def _read(self, turn: int) -> str:
        if turn % 2:
            assert self.clients[0].session.get(self.target.url("/health/"), timeout=10).ok
            return "health"
        self.clients[0].read(self.part)
        return "read"

    def _sign_in(self, turn: int) -> str:
        person = self.clients[turn % len(self.clients)].person
        with self.target.session(LocalHosts()) as session:
            answer = session.post(self.target.url("users/sessions/"), json=person, timeout=20)
        assert answer.status_code == 201, answer.text
        return "login"

    def _upload(self, turn: int) -> str:
        settled = self.clients[1].settled(self.clients[1].model(ball(3, bumps=turn)))
        assert settled["status"] == "processed", settled
        return "verdict"

    def _draw(self, turn: int) -> str:
        order = {"samples": 4 + turn % 9}
        self._done(f"{self.part}snapshot/", order)
        return "picture"

    def _slice(self, turn: int) -> str:
        self._done("slicing/slice/", {"model": self.part, "config": self.config})
        return "slice"

    def _heal(self, turn: int) -> str:
        order = operation(self.clients[2], "model-healing", self.part, {})
        made = self.clients[0].ask("POST", "integrations/operation/", 204, json=order)
        over = ("complete", "error")
        wait_for(lambda: self.clients[0].read(made.headers["Location"])["status"] in over)
        return "healing"

    def _pack(self, turn: int) -> str:
        """Four small pieces on a plate, which are free again after it."""
        shop = self.clients[3]
        run = shop.ask("POST", "erp/create-runs/", 201, json=self.build).headers["Location"]
        wait_for(lambda: shop.read(run)["status"] in ("calculated", "error"))
        shop.ask("DELETE", run, 204)
        return "build"

    def _done(self, url: str, order: dict[str, Any]) -> None:
        made = self.clients[0].ask("POST", url, 201, json=order)
        settled = self.clients[0].settled(made.headers["Location"])
        assert settled["status"] == "processed", settled

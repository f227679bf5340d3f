"""Attacks on a running platform, and what an ordinary user feels beside each: one line an attack.

    python -m tests.attacks [--seconds 20] [NAME ...]

It makes accounts and small models on the platform that runs from this folder, and leaves them.
"""

import argparse
import os
import socket
import statistics
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

from core.descriptors import raise_open_files
from project.running import join_running
from tests.live.client import Client, ball
from tests.live.running import LocalHosts
from tests.waiting import wait_for

STRANGER = "127.0.0.2"  # where attacks come from: another address of this machine


class FromElsewhere(LocalHosts):
    """Connects from the strangers' address."""

    def init_poolmanager(self, *words, **options):
        super().init_poolmanager(*words, **options, source_address=(STRANGER, 0))


@dataclass(frozen=True)
class Target:
    """The platform that runs: on this machine, over http."""

    domain: str
    port: int

    def url(self, path: str) -> str:
        host, _, rest = path.partition("/")
        return f"http://{f'{host}.' if host else ''}{self.domain}:{self.port}/{rest}"

    def session(self, adapter: type[LocalHosts] = FromElsewhere) -> requests.Session:
        session = requests.Session()
        session.trust_env = False
        session.mount("http://", adapter())
        return session

    def client(self) -> Client:
        return Client(self, self.session())

    def connect(self) -> socket.socket:
        return socket.create_connection(
            ("127.0.0.1", self.port), timeout=5, source_address=(STRANGER, 0)
        )


@dataclass
class Felt:
    """What an ordinary user waited for, in seconds, and what went wrong."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    faults: list[str] = field(default_factory=list)

    def p95(self, what: str) -> float:
        times = sorted(self.times[what])
        return times[min(len(times) - 1, int(0.95 * len(times)))] if times else float("nan")

    def __str__(self) -> str:
        told = [
            f"{what} p50 {statistics.median(times):.2f} p95 {self.p95(what):.2f}"
            for what, times in sorted(self.times.items())
        ]
        return f"{', '.join(told)} s; {len(self.faults)} faults {sorted(set(self.faults))[:3]}"


class Ordinary:
    """Somebody who reads, signs in, and sends a small part now and then."""

    def __init__(self, target: Target):
        self.target = target
        self.clients = [Client(target, target.session(LocalHosts)) for _ in range(4)]
        self.part = self.clients[0].model(ball(3))

    def live(self, until: Callable[[], bool]) -> Felt:
        felt = Felt()
        works = (self._read, self._sign_in, self._upload)
        with ThreadPoolExecutor(len(works)) as pool:
            for done in [pool.submit(self._again, felt, work, until) for work in works]:
                done.result()
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
        with self.target.session(LocalHosts) as session:
            answer = session.post(self.target.url("users/sessions/"), json=person, timeout=20)
        assert answer.status_code == 201, answer.text
        return "login"

    def _upload(self, turn: int) -> str:
        settled = self.clients[1].settled(self.clients[1].model(ball(3, bumps=turn)))
        assert settled["status"] == "processed", settled
        return "verdict"


# ---------------------------------------------------------------- the attacks


@contextmanager
def half_open(target: Target) -> Iterator[None]:
    """1,100 connections that never end their headers, made anew as they are closed."""
    head = f"GET /model/ HTTP/1.1\r\nHost: models.{target.domain}\r\nX-".encode()
    with _kept_open(target, 1_100, head):
        yield


@contextmanager
def bodies(target: Target) -> Iterator[None]:
    """250 bodies of 4 MB of which half comes."""
    head = (
        f"POST /model/ HTTP/1.1\r\nHost: models.{target.domain}:{target.port}\r\n"
        "Authorization: Basic eDp5\r\nContent-Type: application/json\r\n"
        "Content-Length: 4000000\r\n\r\n"
    )
    with _kept_open(target, 250, head.encode() + bytes(2_000_000)):
        yield


@contextmanager
def logins(target: Target) -> Iterator[None]:
    """12 threads that sign in to three accounts with the right passwords."""
    accounts = [target.client().person for _ in range(3)]

    def sign_in(number: int) -> None:
        with target.session() as session, suppress(requests.RequestException):
            session.post(target.url("users/sessions/"), json=accounts[number % 3], timeout=30)

    with _again([lambda number=number: sign_in(number) for number in range(12)]):
        yield


@contextmanager
def disk(target: Target) -> Iterator[None]:
    """Three files of 900 MB without a length, which break off at the end; and three with one."""
    clients = [target.client() for _ in range(3)]

    def upload(client: Client, length: int | None) -> None:
        _, location = client.create_model()
        path = location.split("/", 3)[3]
        said = f"Content-Length: {length}" if length else "Transfer-Encoding: chunked"
        head = (
            f"PUT /{path} HTTP/1.1\r\nHost: files.{target.domain}:{target.port}\r\n"
            f"Content-Type: application/octet-stream\r\n{said}\r\n\r\n"
        )
        piece = bytes(1 << 20)
        data = piece if length else b"%x\r\n%s\r\n" % (len(piece), piece)
        with suppress(OSError), target.connect() as connection:
            connection.sendall(head.encode())
            for _ in range(850):
                connection.sendall(data)

    works = [
        lambda client=client, length=length: upload(client, length)
        for client in clients
        for length in (None, 900 << 20)
    ]
    with _again(works):
        yield


@contextmanager
def drips(target: Target) -> Iterator[None]:
    """32 models of another server that come byte by byte, for eight accounts."""

    class Dripping(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            if self.path.endswith("content"):
                with suppress(OSError):
                    for _ in range(600):
                        self.wfile.write(b"x")
                        time.sleep(0.2)
                return
            url = f"http://127.0.0.1:{server.server_port}/content"
            self.wfile.write(f'{{"content": "{url}"}}'.encode())

        def log_message(self, *words) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Dripping)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    clients = [target.client() for _ in range(8)]

    def index(number: int) -> None:
        order = {"name": "a", "description": "b"}
        order["model_uri"] = f"http://127.0.0.1:{server.server_port}/{number}/{time.time()}"
        with suppress(requests.RequestException):
            clients[number % 8].session.post(
                target.url("search/indexed-model/"), json=order, timeout=150
            )

    with _again([lambda number=number: index(number) for number in range(32)]):
        yield
    server.shutdown()


@contextmanager
def _kept_open(target: Target, count: int, begin: bytes) -> Iterator[None]:
    enough = threading.Event()

    def hold(share: int) -> None:
        with ExitStack() as held:
            connections: list[socket.socket] = []
            while not enough.is_set():
                for connection in list(connections):
                    with suppress(OSError):
                        connection.settimeout(0)
                        connection.send(b"x")
                        continue
                    connections.remove(connection)
                    connection.close()
                while len(connections) < share and not enough.is_set():
                    try:
                        connection = held.enter_context(target.connect())
                        connection.sendall(begin)
                    except OSError:
                        break
                    connections.append(connection)
                enough.wait(1.0)

    with ThreadPoolExecutor(10) as pool:
        for _ in range(10):
            pool.submit(hold, count // 10)
        time.sleep(1.0)
        try:
            yield
        finally:
            enough.set()


@contextmanager
def _again(works: list[Callable[[], None]]) -> Iterator[None]:
    """All of them at once, each again and again."""
    enough = threading.Event()

    def go_on(work: Callable[[], None]) -> None:
        while not enough.wait(0.01):
            work()

    threads = [threading.Thread(target=go_on, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    time.sleep(1.0)
    try:
        yield
    finally:
        enough.set()


ATTACKS = {attack.__name__: attack for attack in (half_open, bodies, logins, disk, drips)}


def suffer(target: Target, name: str, ordinary: Ordinary, seconds: float) -> Felt:
    """What the ordinary user feels for so long under an attack; `alone` is none."""
    with ATTACKS[name](target) if name != "alone" else ExitStack():
        end = time.monotonic() + seconds
        return ordinary.live(lambda: time.monotonic() > end)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("names", nargs="*", default=[*ATTACKS], metavar="NAME", help=str(ATTACKS))
    asked = parser.parse_args()
    raise_open_files()
    join_running(os.environ)
    target = Target(
        os.environ.get("PARENT_HOST", "platform.localhost"), int(os.environ.get("PORT", "8000"))
    )
    ordinary = Ordinary(target)
    wait_for(lambda: ordinary.clients[0].can_read(ordinary.part))
    for name in ("alone", *asked.names):
        sys.stdout.write(f"{name:10} {suffer(target, name, ordinary, asked.seconds)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

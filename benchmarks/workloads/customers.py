"""The customers of a shop, for the benchmark of a whole day: what they do, and what they note."""

import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from benchmarks.kit import torus
from geometry.formats.stl.writer import write_binary
from geometry.sample_part import bracket
from tests.live.client import Client
from tests.live.processes import Platform
from tests.waiting import wait_for

PAGES = 0.5  # seconds from one page that is opened to the next
POLL = 0.25
TIMEOUT = 300.0
PACKED = 4  # every so-manieth visit ends in an order, of so many pieces
SIZES = 5_000, 12_000, 30_000, 84_000  # triangles, beside the sample's 5,800

wait = partial(wait_for, seconds=TIMEOUT, pause=POLL)


@dataclass
class Day:
    """What happened within the time that counts."""

    done: Counter[str] = field(default_factory=Counter)
    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # seconds
    counts: bool = False
    over: bool = False

    @contextmanager
    def timed(self, kind: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        if self.counts:
            self.took[kind].append(time.perf_counter() - begun)

    def note(self, kind: str) -> None:
        if self.counts:
            self.done[kind] += 1


def rest(day: Day, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not day.over:
        time.sleep(0.2)


@contextmanager
def receiver() -> Iterator[str]:
    """Where callbacks are taken without a look at them."""

    class Taking(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Taking) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


class Customer:
    """Somebody whose parts are new each time."""

    def __init__(self, platform: Platform, day: Day, url: str, number: int):
        self.client, self.day, self.url, self.number = Client(platform), day, url, number
        self.config = self.client.config()
        self.models: list[str] = []
        self.bureau, self.printer = self.client.shop()

    def visits(self) -> None:
        random = np.random.default_rng(self.number)
        shapes = [bracket(), *map(torus, SIZES)]
        with tempfile.TemporaryDirectory() as folder:
            visit = self.number  # so that not all order at the same time
            while not self.day.over:
                part = shapes[visit % len(shapes)] * random.uniform(0.4, 1.0, 3).astype(np.float32)
                self.visit(self.file_of(part, Path(folder)), packs=visit % PACKED == 0)
                visit += 1

    def file_of(self, part: NDArray[np.float32], folder: Path) -> bytes:
        path = folder / "part.stl"
        write_binary(part, path)
        return path.read_bytes()

    def visit(self, data: bytes, *, packs: bool) -> None:
        day, client = self.day, self.client
        with day.timed("upload until the verdict is there"):
            with day.timed("POST of a model"):
                model, location = client.create_model(self.url)
            with day.timed("PUT of its file"):
                client.upload(location, data)
            self.settled(model)
        day.note("uploads")
        self.models.append(model)
        with day.timed("slice until its gcode is there"):
            with day.timed("POST of a slice"):
                sliced = client.slice(model, self.config, self.url)
            self.looks(model)
            gcode = self.settled(sliced)["content"]
        day.note("slices")
        client.ask("GET", gcode, 200)
        if packs:
            self.order(model)
            day.note("packings")
        day.note("visits")

    def looks(self, model: str) -> None:
        """At the part from two sides, and at what has its shape."""
        view = {"u": -1, "v": float(np.random.default_rng().uniform(0.2, 1)), "w": -0.5}
        with self.day.timed("POST of a snapshot"):
            answer = self.client.ask("POST", f"{model}snapshot/", 201, json=view)
        wait(lambda: self.client.read(model)["snapshot"])
        self.settled(answer.headers["Location"])
        self.day.note("pictures")
        self.day.note("pictures")
        with self.day.timed("search by shape"):
            query = {"filter[model]": model, "filter[scope]": "readable"}
            self.client.ask("GET", "search/similar-models/", 200, params=query)
        self.day.note("searches")

    def order(self, model: str) -> None:
        """Four pieces, packed onto a plate."""
        pieces = self.client.pieces(self.bureau, model, PACKED)
        about = {"printer": self.printer, "run_name": f"Plate {uuid4()}"}
        with self.day.timed("packing until the run is there"):
            run = self.client.make("create-runs", pieces=pieces, **about)
            self.settled(run, "calculated")

    def settled(self, uri: str, final: str = "processed") -> dict[str, Any]:
        row = wait(lambda: (row := self.client.read(uri))["status"] in (final, "error") and row)
        if row["status"] == "error":
            raise SystemExit(f"{uri}: {row['errors']}")
        return row


def open_pages(stranger: Client, customers: list[Customer], day: Day) -> None:
    """Lists and models, and now and then a sign-in, whatever else is under way."""
    number = 0
    while not day.over:
        client = customers[number % len(customers)].client
        with day.timed("GET of a list of models"):
            client.ask("GET", "models/model/", 200)
        if models := customers[number % len(customers)].models:
            with day.timed("GET of a model"):
                client.read(models[-1])
        if number % 10 == 0:
            with day.timed("sign-in"):
                stranger.ask("POST", "users/sessions/", 201, json=stranger.person)
        number += 1
        rest(day, PAGES)

"""A bureau with one printer behind a real host program, and the runs that are printed on it."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tests.conftest import CORNERS, SIDES, binary_stl
from tests.live.client import Client
from tests.live.machines import Agent, Line, OctoPrint
from tests.live.processes import DOMAIN, ROOT
from tests.waiting import wait_for

HEAD = b"G28\nM118 begun\nG1 Z0.2 F6000\n"
MOVES = [b"G1 X%d Y%d E%d F6000\nG4 P200\n" % (10 + n % 50, 10 + n % 40, n) for n in range(600)]
# Printed in about five seconds, and in two minutes.
TINY, LONG = HEAD + b"".join(MOVES[:24]), HEAD + b"".join(MOVES)
BRIEF = 8.0  # s, in which an attempt comes to its end or nearly
CUBE = binary_stl(CORNERS[SIDES] * 6)  # 6 mm
MACHINE, QUALITY = "Original Prusa i3 MK3S & MK3S+", "0.30mm DRAFT @MK3"
AnyShop = TypeVar("AnyShop", bound="Shop")
OVER = ("never", "unclear", "done", "stopped", "failed")


class Host(Protocol):
    """A host program with its printer, as processes.

    kind  : of its driver
    key   : as the agent has it
    files : names of what could be printed
    """

    kind: str
    url: str
    key: str

    @property
    def files(self) -> list[str]: ...

    def start(self) -> None:
        """Return once it can take a print."""

    def kill(self) -> None:
        """Kill the program, and its printer where that would die with it."""

    def begun(self) -> int:
        """How many prints were ever begun."""

    def is_free(self) -> bool:
        """Whether it could begin one."""


class Shop:
    """A bureau whose one printer stands behind a host program, and its runs."""

    def __init__(self, client: Client, folder: Path, host: Host):
        self.client, self.host = client, host
        self.bureau = self.make("bureau", name="Shop")
        location = self.make("location", bureau=self.bureau, name="Hall 1")
        kind = self.make("printer-type", bureau=self.bureau, name="Virtual", **self._presets())
        self.printer = self.make("printer", location=location, printer_type=kind, name="Number 5")
        self.agent_uri = self.make("agent", location=location, name="Hall 1")
        self.line = Line(client.platform.port)
        self.agent = Agent(folder / "agent")
        self.pair()
        self.agent.start()
        client.ask("PUT", self.printer, 204, json={"driver": host.kind, "agent": self.agent_uri})
        wait_for(lambda: self.look(self.printer)["status"] == "idle")
        self.tiny, self.long = self._upload(TINY), self._upload(LONG)
        self.runs: list[str] = []

    def pair(self) -> None:
        """Set the agent up, on a computer that knows nothing of it."""
        code = self.client.ask("POST", f"{self.agent_uri}code/", 201).json()["code"]
        self.agent.ask("pair", f"http://erp.{DOMAIN}:{self.line.port}", code)
        # This computer stands in for the shop's network.
        self.agent.change("{", '{"networks": ["127.0.0.0/8"],')
        command = ("add", self.printer, self.host.url, "--driver", self.host.kind)
        self.agent.ask(*command, key=self.host.key)

    def make(self, kind: str, **fields: Any) -> str:
        return self.client.ask("POST", f"erp/{kind}/", 201, json=fields).headers["Location"]

    def look(self, uri: str) -> dict[str, Any]:
        return self.client.read(uri)

    def plan(self, gcode: str = "") -> str:
        """A new attempt of a new run, on an empty plate."""
        if self.look(self.printer)["plate"] != "clear":
            self.clear()
        self.runs = self.runs or self.pack(10)
        wait_for(self.host.is_free)
        wait_for(lambda: self.look(self.printer)["machine"]["state"] != "offline")
        run = self.runs.pop()
        self.client.ask("PUT", run, 204, json={"gcode": gcode or self.tiny})
        return self.make("attempt", run=run, printer=self.printer)

    def clear(self, **body: Any) -> None:
        self.client.ask("POST", f"{self.printer}clear/", 200, json=body)

    def status(self, attempt: str) -> str:
        return self.look(attempt)["status"]

    @contextmanager
    def disturbed(self) -> Iterator[str]:
        """An attempt that something befalls at any moment, until it is over."""
        before = self.host.begun()
        attempt = self.plan()
        time.sleep(BRIEF * random.random())  # noqa: S311  anywhere
        yield attempt
        ended = self.end(attempt)["status"]
        begun = self.host.begun() - before
        # Whoever is killed with its log unwritten has begun what nobody knows of: unclear.
        wanted = {"done": (1,), "never": (0,)}.get(ended, (0, 1))
        assert begun in wanted, (ended, begun, self.look(attempt)["evidence"])
        sys.stdout.write(f"{ended}, begun {begun}\n")
        if ended == "unclear":
            sys.stdout.write(f"{self.look(attempt)['evidence']}\n")

    def settled(self, attempt: str) -> str:
        """How it ended; a person says so where that is unclear, and the plate is free again."""
        ended = self.status(attempt)
        if ended == "unclear":
            wait_for(self.host.is_free)
            self.client.ask("PUT", attempt, 204, json={"status": "done"})
        wait_for(lambda: self.host.files == [])
        return ended

    def end(self, attempt: str) -> dict[str, Any]:
        """The attempt, once nothing more becomes of it by itself."""
        return wait_for(lambda: (row := self.look(attempt))["status"] in OVER and row)

    def _upload(self, gcode: bytes) -> str:
        made = self.client.ask("POST", "slicing/gcode/", 201, json={"name": "a.gcode"})
        self.client.upload(made.headers["X-Upload-Location"], gcode)
        return self.client.settled(made.headers["Location"])["uri"]

    def pack(self, count: int) -> list[str]:
        """Packed runs of a piece each."""
        runs = [self._run([piece]) for piece in self.pieces(self.item(CUBE, count))]
        for run in runs:
            wait_for(lambda run=run: self.look(run)["status"] in ("calculated", "error"))
            assert self.look(run)["status"] == "calculated", self.look(run)["errors"]
        return runs

    def item(self, stl: bytes, count: int, **more: Any) -> str:
        """A confirmed line item."""
        model = self.client.settled(self.client.model(stl))["uri"]
        wanted = {"bureau": self.bureau, "name": "Part", "quantity": count, "model": model}
        item = self.make("line-item", **wanted, **more)
        wait_for(lambda: self.look(item)["status"] == "pending")
        self.client.ask("PUT", item, 204, json={"status": "confirmed"})
        return item

    def pieces(self, item: str) -> list[str]:
        """All of a line item."""
        query = f"erp/piece/?filter[line_item]={item}&page[limit]=100"
        return [row["uri"] for row in self.client.ask("GET", query, 200).json()["resources"]]

    def print(self, pieces: list[str]) -> tuple[str, str]:
        """Pack them, slice the plate, print it to its end; the run and its attempt."""
        run = self._run(pieces)
        wait_for(lambda: self.look(run)["status"] == "calculated")
        self.client.ask("PUT", run, 204, json={"slicing": "queued"})
        wait_for(lambda: self.look(run)["slicing"] == "processed")
        before = self.host.begun()
        if self.look(self.printer)["plate"] != "clear":
            self.clear()
        attempt = self.make("attempt", run=run, printer=self.printer)
        wait_for(lambda: self.status(attempt) == "printing")
        assert self.look(run)["status"] == "in-progress"
        assert self.end(attempt)["status"] == "done"
        assert self.host.begun() == before + 1
        return run, attempt

    def _presets(self) -> dict[str, Any]:
        """A machine of the catalogue, whose plates are sliced on demand."""

        def preset(name: str, **query: str) -> str:
            asked = {"search[name]": name, "page[limit]": 100, **query}
            rows = self.client.ask("GET", "slicing/preset/", 200, params=asked).json()
            return next(row["uri"] for row in rows["resources"] if row["name"] == name)

        machine = preset(MACHINE, **{"filter[kind]": "printer"})
        way = preset(QUALITY, **{"filter[kind]": "print", "filter[printer]": machine})
        return {"preset": machine, "print_preset": way, "packing_mode": "plate"}

    def _run(self, pieces: list[str]) -> str:
        body = {"printer": self.printer, "pieces": pieces, "run_name": "Tiny", "budget": "quick"}
        return self.client.ask("POST", "erp/create-runs/", 201, json=body).headers["Location"]


class OctoPrintShop(Shop):
    """A shop whose host is an OctoPrint."""

    host: OctoPrint

    @property
    def octoprint(self) -> OctoPrint:
        return self.host


@contextmanager
def shop_of(
    client: Client, folder: Path, host: Host, kind: type[AnyShop] = Shop
) -> Iterator[AnyShop]:
    """A shop whose programs run, until they are killed; `host` runs."""
    shop = kind(client, folder, host)
    yield shop
    shop.agent.kill()
    host.kill()
    shop.line.close()


@contextmanager
def octoprint_shop(client: Client, folder: Path) -> Iterator[OctoPrintShop]:
    """A shop with an OctoPrint."""
    subprocess.run([ROOT / "bin" / "install-octoprint"], check=True)
    (folder / "octoprint").mkdir()
    octoprint = OctoPrint(folder / "octoprint")
    octoprint.start()
    with shop_of(client, folder, octoprint, OctoPrintShop) as shop:
        yield shop

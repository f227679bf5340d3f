"""Runs printed on a real OctoPrint by a real agent over HTTP, with everything killed in between.

`MACHINE_KILLS` says how often the agent is killed; everything else a fifth of that.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.octoprint import OctoPrint as OctoPrintDriver
from machines.drivers import ExclusionResult, ObjectLabel
from tests.conftest import CORNERS, SIDES, binary_stl
from tests.live.client import Client
from tests.live.machines import KEY, Agent, Line, OctoPrint
from tests.live.processes import DOMAIN, ROOT, alive, kill
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.slow,
    pytest.mark.single("it kills all programs of its machine"),
]

HEAD = b"G28\nG1 Z0.2 F6000\n"
MOVES = [b"G1 X%d Y%d E%d F6000\nG4 P200\n" % (10 + n % 50, 10 + n % 40, n) for n in range(600)]
# Printed in about five seconds, and in two minutes.
TINY, LONG = HEAD + b"".join(MOVES[:24]), HEAD + b"".join(MOVES)
KILLS = int(os.environ.get("MACHINE_KILLS", "3"))  # of the agent
FEWER_KILLS = max(KILLS // 5, 2)  # of the host, of the platform, of the line
BRIEF = 8.0  # s, in which an attempt comes to its end or nearly
CUBE = binary_stl(CORNERS[SIDES] * 6)  # 6 mm
MACHINE, QUALITY = "Original Prusa i3 MK3S & MK3S+", "0.30mm DRAFT @MK3"
OVER = ("never", "unclear", "done", "stopped", "failed")


class Shop:
    """A bureau whose one printer stands behind an OctoPrint, and its runs."""

    def __init__(self, client: Client, folder: Path):
        self.client = client
        self.bureau = self.make("bureau", name="Shop")
        location = self.make("location", bureau=self.bureau, name="Hall 1")
        kind = self.make("printer-type", bureau=self.bureau, name="Virtual", **self._presets())
        self.printer = self.make("printer", location=location, printer_type=kind, name="Number 5")
        self.agent_uri = self.make("agent", location=location, name="Hall 1")
        self.octoprint = OctoPrint(_made(folder / "octoprint"))
        self.octoprint.start()
        self.line = Line(client.platform.port)
        self.agent = Agent(folder / "agent")
        self.pair()
        self.agent.start()
        client.ask("PUT", self.printer, 204, json={"driver": "octoprint", "agent": self.agent_uri})
        wait_for(lambda: self.look(self.printer)["status"] == "idle")
        self.tiny, self.long = self._upload(TINY), self._upload(LONG)
        self.runs: list[str] = []

    def pair(self) -> None:
        """Set the agent up, on a computer that knows nothing of it."""
        code = self.client.ask("POST", f"{self.agent_uri}code/", 201).json()["code"]
        self.agent.ask("pair", f"http://erp.{DOMAIN}:{self.line.port}", code)
        # This computer stands in for the shop's network.
        self.agent.change("{", '{"networks": ["127.0.0.0/8"],')
        self.agent.ask("add", self.printer, self.octoprint.url)

    def make(self, kind: str, **fields: Any) -> str:
        return self.client.ask("POST", f"erp/{kind}/", 201, json=fields).headers["Location"]

    def look(self, uri: str) -> dict[str, Any]:
        return self.client.read(uri)

    def plan(self, gcode: str = "") -> str:
        """A new attempt of a new run, on an empty plate."""
        if self.look(self.printer)["plate"] != "clear":
            self.clear()
        self.runs = self.runs or self._pack(10)
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
        before = self.octoprint.begun()
        attempt = self.plan()
        time.sleep(BRIEF * random.random())  # noqa: S311  anywhere
        yield attempt
        ended = self.end(attempt)["status"]
        begun = self.octoprint.begun() - before
        # Whoever is killed with its log unwritten has begun what nobody knows of: unclear.
        wanted = {"done": (1,), "never": (0,)}.get(ended, (0, 1))
        assert begun in wanted, (ended, begun, self.look(attempt)["evidence"])
        sys.stdout.write(f"{ended}, begun {begun}\n")

    def settled(self, attempt: str) -> str:
        """How it ended; a person says so where that is unclear, and the plate is free again."""
        ended = self.status(attempt)
        if ended == "unclear":
            wait_for(lambda: self.octoprint.state() == "Operational")
            self.client.ask("PUT", attempt, 204, json={"status": "done"})
        wait_for(lambda: self.octoprint.files == [])
        return ended

    def end(self, attempt: str) -> dict[str, Any]:
        """The attempt, once nothing more becomes of it by itself."""
        return wait_for(lambda: (row := self.look(attempt))["status"] in OVER and row)

    def _upload(self, gcode: bytes) -> str:
        made = self.client.ask("POST", "slicing/gcode/", 201, json={"name": "a.gcode"})
        self.client.upload(made.headers["X-Upload-Location"], gcode)
        return self.client.settled(made.headers["Location"])["uri"]

    def _pack(self, count: int) -> list[str]:
        """Runs of a piece each."""
        runs = [self._run([piece]) for piece in self.pieces(self.item(CUBE, count))]
        for run in runs:
            wait_for(lambda run=run: self.look(run)["status"] == "calculated")
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
        before = self.octoprint.begun()
        if self.look(self.printer)["plate"] != "clear":
            self.clear()
        attempt = self.make("attempt", run=run, printer=self.printer)
        wait_for(lambda: self.status(attempt) == "printing")
        assert self.look(run)["status"] == "in-progress"
        assert self.end(attempt)["status"] == "done"
        assert self.octoprint.begun() == before + 1
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


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def shop(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    subprocess.run([ROOT / "bin" / "install-octoprint"], check=True)
    made = Shop(client, tmp_path_factory.mktemp("shop"))
    yield made
    made.agent.kill()
    made.octoprint.kill()
    made.line.close()


def test_order_completes_after_printing_with_one_rejected_piece(shop: Shop):
    order = shop.make("order", bureau=shop.bureau, name="Two cubes")
    item = shop.item(CUBE, 2, order=order)

    run, attempt = shop.print(shop.pieces(item))

    assert [said["what"].partition(":")[0] for said in shop.look(attempt)["evidence"]] == [
        "sent",
        "armed",
        "printing",
        "done",
    ]
    wait_for(lambda: shop.octoprint.files == [])
    good, bad = shop.look(run)["pieces"]
    shop.clear(rejected=[{"piece": bad, "notes": "Warped."}])
    assert (shop.look(good)["status"], shop.look(bad)["status"]) == ("complete", "error")
    assert shop.look(run)["status"] == "complete"
    assert shop.look(order)["status"] != "complete"

    again = [uri for uri in shop.pieces(item) if uri not in (good, bad)]
    assert [shop.look(uri)["replica_of"] for uri in again] == [bad]
    shop.print(again)
    shop.clear()
    assert (shop.look(item)["status"], shop.look(order)["status"]) == ("complete", "complete")


def test_print_is_paused_resumed_stopped_and_excludes_an_object(shop: Shop):
    attempt = shop.plan(shop.long)
    wait_for(lambda: shop.status(attempt) == "printing")

    driver = OctoPrintDriver(shop.octoprint.door)
    assert driver.skip(ObjectLabel("p_1_0123abcd", 4, "marlin")) is ExclusionResult.ASKED
    wait_for(lambda: re.search(r"Send: (N\d+ )?M486 P4\b", shop.octoprint.heard()))

    for word in ("paused", "printing", "stopped"):
        shop.client.ask("PUT", attempt, 204, json={"status": word})
        wait_for(lambda word=word: shop.status(attempt) == word)

    wait_for(lambda: shop.octoprint.state() == "Operational")


def test_print_stopped_at_the_machine_is_not_restarted(shop: Shop):
    before = shop.octoprint.begun()
    attempt = shop.plan(shop.long)
    wait_for(lambda: shop.status(attempt) == "printing")

    shop.octoprint.ask("/api/job", json={"command": "cancel"})

    assert shop.end(attempt)["status"] == "stopped"
    wait_for(lambda: shop.octoprint.files == [])
    assert shop.octoprint.begun() == before + 1


def test_print_started_by_hand_goes_first_and_must_be_cleared(shop: Shop):
    before = shop.octoprint.begun()
    shop.line.cut()
    attempt = shop.plan()
    shop.octoprint.ask(
        "/api/files/local", files={"file": ("theirs.gcode", TINY)}, data={"print": "true"}
    )
    shop.line.mend()

    wait_for(lambda: shop.look(shop.printer)["plate"] == "occupied")
    wait_for(lambda: shop.status(attempt) == "sent")
    assert shop.octoprint.begun() == before + 1

    (shop.octoprint.folder / "uploads" / "theirs.gcode").unlink()
    shop.clear()
    assert shop.end(attempt)["status"] == "done"
    assert shop.octoprint.begun() == before + 2


def test_agent_with_wrong_key_reports_it_and_starts_nothing(shop: Shop):
    before = shop.octoprint.begun()
    shop.agent.kill()
    shop.agent.change(KEY, "0" * len(KEY))
    shop.agent.start()

    wait_for(lambda: "is the key right?" in str(shop.look(shop.printer)["machine"]))
    assert shop.look(shop.printer)["status"] == "offline"

    shop.agent.kill()
    shop.agent.change("0" * len(KEY), KEY)
    shop.agent.start()
    wait_for(lambda: shop.look(shop.printer)["status"] == "idle")
    assert shop.octoprint.begun() == before


def test_agent_with_lost_disk_resumes_from_the_platform_state(shop: Shop):
    before = shop.octoprint.begun()
    attempt = shop.plan()
    wait_for(lambda: shop.status(attempt) == "printing")

    shop.agent.kill()
    shutil.rmtree(shop.agent.folder)
    shop.pair()
    shop.agent.start()

    assert shop.end(attempt)["status"] == "done"
    assert shop.octoprint.begun() == before + 1


def test_killed_agent_neither_loses_nor_repeats_a_print(shop: Shop):
    for _ in range(KILLS):
        with shop.disturbed() as attempt:
            shop.agent.kill()
            shop.agent.start()
        assert shop.settled(attempt) in ("done", "unclear", "never")


def test_killed_octoprint_does_not_repeat_a_print(shop: Shop):
    for _ in range(FEWER_KILLS):
        with shop.disturbed() as attempt:
            shop.octoprint.kill()
            wait_for(lambda: shop.look(shop.printer)["status"] == "offline")
            shop.octoprint.start()
        assert shop.settled(attempt) in ("done", "unclear", "never")


def test_killed_platform_does_not_repeat_a_print(shop: Shop):
    platform = shop.client.platform
    for _ in range(FEWER_KILLS):
        with shop.disturbed() as attempt:
            processes = platform.processes()
            kill(processes[0])
            wait_for(lambda all=processes: not any(alive(process) for process in all))
            platform.start()
        assert shop.settled(attempt) in ("done", "unclear", "never")


def test_broken_connection_neither_loses_nor_repeats_a_print(shop: Shop):
    for _ in range(FEWER_KILLS):
        with shop.disturbed() as attempt:
            shop.line.cut()
            time.sleep(5 * random.random())  # noqa: S311
            shop.line.mend()
        assert shop.settled(attempt) in ("done", "never")


def test_octoprint_killed_during_a_print_leaves_the_attempt_unclear(shop: Shop):
    before = shop.octoprint.begun()
    attempt = shop.plan(shop.long)
    wait_for(lambda: shop.status(attempt) == "printing")

    shop.octoprint.kill()
    wait_for(lambda: shop.look(shop.printer)["status"] == "offline")
    shop.octoprint.start()

    assert shop.end(attempt)["status"] == "unclear"
    wait_for(lambda: shop.octoprint.files == [])
    assert shop.octoprint.begun() == before + 1
    shop.client.ask("PUT", attempt, 204, json={"status": "failed"})
    shop.clear()


def test_attempt_waits_and_finishes_when_the_connection_is_cut(shop: Shop):
    before = shop.octoprint.begun()
    shop.line.cut()
    attempt = shop.plan()
    assert shop.status(attempt) == "planned"
    shop.line.mend()
    wait_for(lambda: shop.status(attempt) == "printing")

    shop.line.cut()
    name = shop.look(attempt)["name"]
    wait_for(lambda: name not in shop.octoprint.files)
    assert shop.status(attempt) == "printing"
    shop.line.mend()

    ended = shop.end(attempt)
    assert (ended["status"], shop.octoprint.begun()) == ("done", before + 1)

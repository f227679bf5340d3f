"""Runs printed on a real OctoPrint by a real agent over HTTP, with everything killed in between."""

import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.client import Client, ball
from tests.live.machines import Agent, Line, OctoPrint
from tests.live.running import DOMAIN, ROOT
from tests.waiting import wait_for

pytestmark = [pytest.mark.live, pytest.mark.slow]

HEAD = b"G28\nG1 Z0.2 F6000\n"
MOVES = [b"G1 X%d Y%d E%d F6000\nG4 P200\n" % (10 + n % 50, 10 + n % 40, n) for n in range(600)]
# Printed in about five seconds, and in two minutes.
TINY, LONG = HEAD + b"".join(MOVES[:24]), HEAD + b"".join(MOVES)
OVER = ("never", "unclear", "done", "stopped", "failed")


class Shop:
    """A bureau whose one printer stands behind an OctoPrint, and its runs."""

    def __init__(self, client: Client, folder: Path):
        self.client = client
        self.bureau = self.make("bureau", name="Shop")
        location = self.make("location", bureau=self.bureau, name="Hall 1")
        volume = {"x": 200, "y": 200, "z": 200}
        kind = self.make("printer-type", bureau=self.bureau, name="Virtual", build_volume=volume)
        self.printer = self.make("printer", location=location, printer_type=kind, name="Number 5")
        self.agent_uri = self.make("agent", location=location, name="Hall 1")
        code = client.ask("POST", f"{self.agent_uri}code/", 201).json()["code"]

        self.octoprint = OctoPrint(_made(folder / "octoprint"))
        self.octoprint.start()
        self.line = Line(client.platform.port)
        self.agent = Agent(folder / "agent")
        self.agent.ask("pair", f"http://erp.{DOMAIN}:{self.line.port}", code)
        _allow_here(self.agent)
        self.agent.ask("add", self.printer, self.octoprint.url)
        self.agent.start()
        client.ask("PUT", self.printer, 204, json={"driver": "octoprint", "agent": self.agent_uri})
        wait_for(lambda: self.look(self.printer)["status"] == "idle")
        self.tiny, self.long = self._upload(TINY), self._upload(LONG)
        self.runs = self._pack(10)

    def make(self, kind: str, **fields: Any) -> str:
        return self.client.ask("POST", f"erp/{kind}/", 201, json=fields).headers["Location"]

    def look(self, uri: str) -> dict[str, Any]:
        return self.client.read(uri)

    def plan(self, gcode: str = "") -> str:
        """A new attempt of a new run, on an empty plate."""
        if self.look(self.printer)["plate"] != "clear":
            self.clear()
        run = self.runs.pop()
        self.client.ask("PUT", run, 204, json={"gcode": gcode or self.tiny})
        return self.make("attempt", run=run, printer=self.printer)

    def clear(self, **body: Any) -> None:
        self.client.ask("POST", f"{self.printer}clear/", 200, json=body)

    def status(self, attempt: str) -> str:
        return self.look(attempt)["status"]

    def end(self, attempt: str) -> dict[str, Any]:
        """The attempt, once nothing more becomes of it by itself."""
        return wait_for(lambda: (row := self.look(attempt))["status"] in OVER and row)

    def _upload(self, gcode: bytes) -> str:
        made = self.client.ask("POST", "slicing/gcode/", 201, json={"name": "a.gcode"})
        self.client.upload(made.headers["X-Upload-Location"], gcode)
        return self.client.settled(made.headers["Location"])["uri"]

    def _pack(self, count: int) -> list[str]:
        """Runs of a piece each but the last, which has two."""
        model = self.client.settled(self.client.model(ball(4)))["uri"]
        wanted = {"bureau": self.bureau, "name": "Part", "quantity": count + 1, "model": model}
        item = self.make("line-item", **wanted)
        wait_for(lambda: self.look(item)["status"] == "pending")
        self.client.ask("PUT", item, 204, json={"status": "confirmed"})
        query = f"erp/piece/?filter[line_item]={item}&page[limit]=100"
        pieces = [row["uri"] for row in self.client.ask("GET", query, 200).json()["resources"]]
        groups = [[piece] for piece in pieces[2:]] + [pieces[:2]]
        runs = [self._run(group) for group in groups]
        for run in runs:
            wait_for(lambda run=run: self.look(run)["status"] == "calculated")
        return runs

    def _run(self, pieces: list[str]) -> str:
        body = {"printer": self.printer, "pieces": pieces, "run_name": "Tiny", "budget": "quick"}
        return self.client.ask("POST", "erp/create-runs/", 201, json=body).headers["Location"]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _allow_here(agent: Agent) -> None:
    """This computer stands in for the shop's network."""
    file = agent.folder / "agent.json"
    file.write_text(file.read_text().rstrip("}\n ") + ', "networks": ["127.0.0.0/8"]}')


@pytest.fixture(scope="module")
def shop(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    subprocess.run([ROOT / "bin" / "install-octoprint"], check=True)
    made = Shop(client, tmp_path_factory.mktemp("shop"))
    yield made
    made.agent.kill()
    made.octoprint.kill()
    made.line.close()


def test_a_run_is_printed_to_its_end_and_its_plate_cleared_with_a_reject(shop: Shop):
    before = shop.octoprint.begun()
    attempt = shop.plan()
    run = shop.look(attempt)["run"]

    wait_for(lambda: shop.status(attempt) == "printing")
    assert shop.look(run)["status"] == "in-progress"
    ended = shop.end(attempt)

    assert ended["status"] == "done"
    assert [said["what"].partition(":")[0] for said in ended["evidence"]] == [
        "sent",
        "armed",
        "printing",
        "done",
    ]
    assert shop.octoprint.begun() == before + 1
    wait_for(lambda: shop.octoprint.files == [])
    good, bad = shop.look(run)["pieces"]
    shop.clear(rejected=[{"piece": bad, "notes": "Warped."}])
    assert (shop.look(good)["status"], shop.look(bad)["status"]) == ("complete", "error")
    assert shop.look(run)["status"] == "complete"


def test_a_print_is_paused_resumed_and_stopped_as_is_wanted(shop: Shop):
    attempt = shop.plan(shop.long)
    wait_for(lambda: shop.status(attempt) == "printing")

    for word in ("paused", "printing", "stopped"):
        shop.client.ask("PUT", attempt, 204, json={"status": word})
        wait_for(lambda word=word: shop.status(attempt) == word)

    wait_for(lambda: shop.octoprint.state() == "Operational")


@pytest.mark.parametrize("moment", ["planned", "sent", "printing"])
def test_an_agent_that_is_killed_loses_and_doubles_nothing(shop: Shop, moment: str):
    before = shop.octoprint.begun()
    attempt = shop.plan()
    road = ("planned", "sent", "armed", "printing", "done")
    wait_for(lambda: road.index(shop.status(attempt)) >= road.index(moment))
    time.sleep(random.random())  # noqa: S311  anywhere

    shop.agent.kill()
    shop.agent.start()
    ended = shop.end(attempt)

    assert ended["status"] in ("done", "unclear", "never")
    assert shop.octoprint.begun() == before + (ended["status"] != "never")
    if ended["status"] == "unclear":
        shop.client.ask("PUT", attempt, 204, json={"status": "done"})


def test_a_host_that_is_killed_in_the_middle_of_a_print_is_never_done(shop: Shop):
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


def test_nothing_begins_and_nothing_is_lost_while_the_line_is_cut(shop: Shop):
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

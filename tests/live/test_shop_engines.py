"""Slices made by a real agent with a real PrusaSlicer, against a running platform."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.live.client import Client, ball
from tests.live.machines import Agent
from tests.live.processes import Platform
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("prusa-slicer"), reason="PrusaSlicer is not installed"),
]


class ShopAgent(Agent):
    """An agent with its URI."""

    def __init__(self, folder: Path, uri: str):
        super().__init__(folder)
        self.uri = uri


@pytest.fixture
def agent(platform: Platform, client: Client, tmp_path) -> Iterator[ShopAgent]:
    """An agent of a new shop, with the PrusaSlicer of this computer."""
    bureau = client.make("bureau", name="Shop")
    hall = client.make("location", bureau=bureau, name="Hall")
    row = client.make("agent", location=hall, name="Left desk")
    code = client.ask("POST", f"{row}code/", 201).json()["code"]
    agent = ShopAgent(tmp_path / "agent", row)
    agent.ask("pair", platform.url("erp/").rstrip("/"), code)
    text = agent.ask("engine", str(shutil.which("prusa-slicer")))
    assert "It is PrusaSlicer 2." in text
    agent.start()
    yield agent
    agent.kill()


def shop_config(client: Client, agent: ShopAgent, engine_name: str = "slic3r") -> str:
    """A config for the slicer of this agent: those of other tests are offline a minute later."""

    def engine() -> dict | None:
        query = {"filter[in_shop]": "true", "filter[usable]": "true", "filter[engine]": engine_name}
        rows = client.ask("GET", "slicing/engine/", 200, params=query).json()["resources"]
        return next((row for row in rows if row["agent"] == agent.uri), None)

    uri = wait_for(engine)["uri"]
    body = {"engine": engine_name, "parameters": {"print_quality": "low"}}
    config = client.ask("POST", "slicing/config/curated/", 201, json=body).headers["Location"]
    return client.ask("POST", f"{config}engine/", 201, json={"engine": uri}).json()["uri"]


def sliced(client: Client, model: str, config: str) -> str:
    body = {"model": model, "config": config}
    return client.ask("POST", "slicing/slice/", 201, json=body).headers["Location"]


def test_slice_is_made_by_the_slicer_of_an_agent(client: Client, agent: ShopAgent):
    config = shop_config(client, agent)
    model = client.settled(client.model(ball(20)))["uri"]

    made = client.settled(sliced(client, model, config))

    assert (made["status"], made["errors"], made["program"]) == ("processed", None, "prusaslicer")
    here = client.settled(sliced(client, model, client.config(print_quality="low")))
    assert (here["status"], here["program"]) == ("processed", None)
    # PrusaSlicer itself differs by as much from run to run.
    times = [row["estimates"]["build_time_seconds"] for row in (made, here)]
    assert times[0] == pytest.approx(times[1], rel=0.005)
    assert made["figures"]["filament_mm"] == pytest.approx(here["figures"]["filament_mm"], abs=0.01)


@pytest.mark.skipif(not shutil.which("CuraEngine"), reason="CuraEngine is not installed")
def test_slice_is_made_by_curaengine_of_an_agent(client: Client, agent: ShopAgent):
    agent.kill()
    assert "It is CuraEngine" in agent.ask("engine", str(shutil.which("CuraEngine")))
    agent.start()
    config = shop_config(client, agent, "cura")
    model = client.settled(client.model(ball(20)))["uri"]

    made = client.settled(sliced(client, model, config))

    assert (made["status"], made["errors"], made["program"]) == ("processed", None, "curaengine")
    back = client.ask("POST", f"{config}engine/", 201, json={"engine": None}).json()["uri"]
    here = client.settled(sliced(client, model, back))
    assert made["estimates"] == pytest.approx(here["estimates"], rel=1e-4)  # 5.0 uses threads


def test_slice_of_a_killed_agent_is_made_after_its_restart(client: Client, agent: ShopAgent):
    config = shop_config(client, agent)
    model = client.settled(client.model(ball(150)))["uri"]
    slice_ = sliced(client, model, config)
    wait_for(lambda: slicers())
    agent.kill()
    wait_for(lambda: not slicers())

    agent.start()

    made = client.settled(slice_)
    assert (made["status"], made["program"]) == ("processed", "prusaslicer"), made["warnings"]


def test_deleted_slice_ends_the_slicer(client: Client, agent: ShopAgent):
    config = shop_config(client, agent)
    model = client.settled(client.model(ball(250)))["uri"]
    slice_ = sliced(client, model, config)
    wait_for(lambda: slicers())
    for process in slicers():  # so that it is not over before
        os.kill(process.pid, signal.SIGSTOP)

    client.ask("DELETE", slice_, 204)

    wait_for(lambda: not slicers())


def slicers() -> list[psutil.Process]:
    """The slicers that an agent runs: those of the platform have no such option."""
    return [
        process
        for process in psutil.process_iter(["name", "cmdline"])
        if "prusa" in (process.info["name"] or "")
        and "--post-process" in (process.info["cmdline"] or [])
    ]

"""Runs printed on a real OctoPrint by a real agent over HTTP, with everything killed in between.

`MACHINE_KILLS` says how often the agent is killed; everything else a fifth of that.
"""

import os
import random
import re
import shutil
import time
from collections.abc import Iterator

import pytest

from agent.octoprint import OctoPrint as OctoPrintDriver
from machines.drivers import ExclusionResult, ObjectLabel
from tests.live.client import Client
from tests.live.machine_shop import CUBE, TINY, OctoPrintShop, octoprint_shop
from tests.live.machines import KEY
from tests.live.processes import alive, kill
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.single("it kills all programs of its machine"),
]

KILLS = int(os.environ.get("MACHINE_KILLS", "2"))  # of the agent
FEWER_KILLS = max(KILLS // 5, 1)  # of the host, of the platform, of the line


@pytest.fixture(scope="module")
def shop(client: Client, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OctoPrintShop]:
    with octoprint_shop(client, tmp_path_factory.mktemp("shop")) as made:
        yield made


def test_order_completes_after_printing_with_one_rejected_piece(shop: OctoPrintShop):
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


def test_print_is_paused_resumed_stopped_and_excludes_an_object(shop: OctoPrintShop):
    attempt = shop.plan(shop.long)
    wait_for(lambda: shop.status(attempt) == "printing")

    driver = OctoPrintDriver(shop.octoprint.connection)
    assert driver.skip(ObjectLabel("p_1_0123abcd", 4, "marlin")) is ExclusionResult.ASKED
    wait_for(lambda: re.search(r"Send: (N\d+ )?M486 P4\b", shop.octoprint.heard()))

    for word in ("paused", "printing", "stopped"):
        shop.client.ask("PUT", attempt, 204, json={"status": word})
        wait_for(lambda word=word: shop.status(attempt) == word)

    wait_for(lambda: shop.octoprint.state() == "Operational")


def test_print_stopped_at_the_machine_is_not_restarted(shop: OctoPrintShop):
    before = shop.octoprint.begun()
    attempt = shop.plan(shop.long)
    wait_for(lambda: shop.status(attempt) == "printing")

    shop.octoprint.ask("/api/job", json={"command": "cancel"})

    assert shop.end(attempt)["status"] == "stopped"
    wait_for(lambda: shop.octoprint.files == [])
    assert shop.octoprint.begun() == before + 1


def test_print_started_by_hand_goes_first_and_must_be_cleared(shop: OctoPrintShop):
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


def test_agent_with_wrong_key_reports_it_and_starts_nothing(shop: OctoPrintShop):
    before = shop.octoprint.begun()
    shop.agent.kill()
    shop.agent.change(KEY, "0" * len(KEY))
    shop.agent.start()

    try:
        wait_for(lambda: "is the key right?" in str(shop.look(shop.printer)["machine"]))
        wait_for(lambda: shop.look(shop.printer)["status"] == "offline")
    finally:
        shop.agent.kill()
        shop.agent.change("0" * len(KEY), KEY)
        shop.agent.start()
    wait_for(lambda: shop.look(shop.printer)["status"] == "idle")
    assert shop.octoprint.begun() == before


def test_agent_with_lost_disk_resumes_from_the_platform_state(shop: OctoPrintShop):
    before = shop.octoprint.begun()
    attempt = shop.plan()
    wait_for(lambda: shop.status(attempt) == "printing")

    shop.agent.kill()
    shutil.rmtree(shop.agent.folder)
    shop.pair()
    shop.agent.start()

    assert shop.end(attempt)["status"] == "done"
    assert shop.octoprint.begun() == before + 1


def test_killed_agent_neither_loses_nor_repeats_a_print(shop: OctoPrintShop):
    for _ in range(KILLS):
        with shop.disturbed() as attempt:
            shop.agent.kill()
            shop.agent.start()
        assert shop.settled(attempt) in ("done", "unclear", "never")


def test_killed_octoprint_does_not_repeat_a_print(shop: OctoPrintShop):
    for _ in range(FEWER_KILLS):
        with shop.disturbed() as attempt:
            shop.octoprint.kill()
            wait_for(lambda: shop.look(shop.printer)["status"] == "offline")
            shop.octoprint.start()
        assert shop.settled(attempt) in ("done", "unclear", "never")


def test_killed_platform_does_not_repeat_a_print(shop: OctoPrintShop):
    platform = shop.client.platform
    for _ in range(FEWER_KILLS):
        with shop.disturbed() as attempt:
            processes = platform.processes()
            kill(processes[0])
            wait_for(lambda all=processes: not any(alive(process) for process in all))
            platform.start()
        assert shop.settled(attempt) in ("done", "unclear", "never")


def test_broken_connection_neither_loses_nor_repeats_a_print(shop: OctoPrintShop):
    for _ in range(FEWER_KILLS):
        with shop.disturbed() as attempt:
            shop.line.cut()
            time.sleep(5 * random.random())  # noqa: S311
            shop.line.mend()
        assert shop.settled(attempt) in ("done", "never")


def test_octoprint_killed_during_a_print_leaves_the_attempt_unclear(shop: OctoPrintShop):
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


def test_attempt_waits_and_finishes_when_the_connection_is_cut(shop: OctoPrintShop):
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

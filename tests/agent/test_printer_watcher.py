"""A machine as its watcher follows it: what is told, and when."""

import json

import pytest

from agent.octoprint import OctoPrint
from agent.platform_client import PlatformClient
from agent.runner import PrinterWorker
from agent.state import Journal, Machine, StateDir
from machines.controller import AttemptOrder
from machines.drivers import ObjectLabel
from machines.states import AttemptState
from tests.agent.conftest import says

NAME = "a-1.gcode"
MACHINE = Machine("http://erp.here/printer/1/", "octoprint", "http://10.0.0.1", "secret")


@pytest.fixture
def watch(host, tmp_path):
    """`watch(state, percent)`: a watcher of a machine that shows our file, and its journal."""

    def make(state: str, percent: float) -> tuple[PrinterWorker, Journal]:
        shown = {"state": state, "progress": {"completion": percent}}
        body = json.dumps(shown | {"job": {"file": {"name": NAME}}}).encode()

        def answer(handler):
            shows = handler.command == "GET"
            says(200 if shows else 204, body if shows else b"")(handler)

        there = host(answer)
        folder = StateDir(tmp_path / "agent")
        journal = Journal(folder.path / "reports.jsonl")
        office = PlatformClient(there.address)
        return PrinterWorker(MACHINE, OctoPrint(there.door), office, journal, folder), journal

    return make


def test_what_the_platform_knows_is_not_told_again(watch):
    watcher, journal = watch("Printing", 40)
    calls = []
    watcher.take([AttemptOrder(NAME, AttemptState.PRINTING)])

    for _ in range(3):
        watcher.turn(lambda: calls.append(1))

    assert (len(calls), journal.waiting(9)) == (1, [])
    assert (watcher.sight["state"], watcher.sight["progress"]) == ("printing", 0.4)


def test_an_end_is_told_once_and_kept_until_it_is_taken(watch):
    watcher, journal = watch("Operational", 100)
    order = AttemptOrder(NAME, AttemptState.PRINTING)
    watcher.take([order])

    watcher.turn(lambda: None)
    watcher.take([order])  # what the platform said before it had heard
    watcher.turn(lambda: None)

    assert [row["status"] for row in journal.waiting(9)] == ["done"]


def test_a_file_that_was_not_deleted_at_its_end_is_deleted_later_by_whoever_comes_after(
    watch, host, tmp_path
):
    asked, answers = [], [500, 409, 204]

    def answer(handler):
        if handler.command == "DELETE":
            asked.append(handler.path)
            return says(answers.pop(0), b"")(handler)
        shown = {"state": "Operational", "progress": {"completion": 100}}
        return says(200, json.dumps(shown | {"job": {"file": {"name": NAME}}}).encode())(handler)

    there = host(answer)
    watcher, journal = watch("Printing", 40)
    watcher._driver = OctoPrint(there.door)
    watcher.take([AttemptOrder(NAME, AttemptState.PRINTING)])
    watcher.turn(lambda: None)  # it is done; the host fails as the file is to go
    assert journal.names() == {NAME}

    folder = StateDir(tmp_path / "agent")
    after = PrinterWorker(
        MACHINE, OctoPrint(there.door), PlatformClient(there.address), journal, folder
    )
    after.turn(lambda: None)  # nobody has said yet what is open
    assert len(asked) == 1
    after.heard({})
    for _ in range(3):
        after.turn(lambda: None)

    assert asked == [f"/api/files/local/{NAME}"] * 3
    assert folder.leavings.of(MACHINE.printer) == []


def test_without_the_platform_a_print_is_followed_to_its_end(watch):
    watcher, journal = watch("Printing", 40)
    watcher.take([AttemptOrder(NAME, AttemptState.ARMED)])
    watcher.turn(lambda: None)
    watcher._driver = watch("Operational", 100)[0]._driver

    watcher.turn(lambda: None)

    assert [row["status"] for row in journal.waiting(9)] == ["printing", "done"]


def test_with_an_end_it_is_told_how_far_the_print_was_when_it_was_last_seen(watch):
    watcher, journal = watch("Printing", 40)
    watcher.take([AttemptOrder(NAME, AttemptState.PRINTING)])
    watcher.turn(lambda: None)
    watcher._driver = watch("Offline after error", 0)[0]._driver

    watcher.turn(lambda: None)

    (row,) = journal.waiting(9)
    assert (row["status"], row["progress"]) == ("failed", 0.4)


def test_what_was_left_out_is_told_once(watch):
    watcher, journal = watch("Printing", 40)
    part = ObjectLabel("p_1_00000000", 0, "marlin")
    watcher.take([AttemptOrder(NAME, AttemptState.PRINTING, skip=(part,))])

    for _ in range(2):
        watcher.turn(lambda: None)

    (row,) = journal.waiting(9)
    assert (row["status"], row["skips"]) == (
        "printing",
        [{"object": part.name, "how": "asked"}],
    )


def test_no_permit_is_asked_before_the_platform_knows_what_the_machine_shows(watch):
    watcher, _ = watch("Operational", 100)
    asked = []
    watcher._office.permit = lambda name: bool(asked.append(name))
    watcher.take([AttemptOrder(NAME, AttemptState.SENT)])
    calls = []

    watcher.turn(lambda: calls.append(1))
    assert (asked, len(calls) > 0) == ([], True)
    watcher.heard(watcher.sight)
    watcher.turn(lambda: None)

    assert asked == [NAME]

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
        platform = PlatformClient(there.address)
        return PrinterWorker(
            MACHINE, OctoPrint(there.connection), platform, journal, folder
        ), journal

    return make


def test_status_known_to_the_platform_is_not_reported_again(watch):
    watcher, journal = watch("Printing", 40)
    calls = []
    watcher.take([AttemptOrder(NAME, AttemptState.PRINTING)])

    for _ in range(3):
        watcher.turn(lambda: calls.append(1))

    assert (len(calls), journal.waiting(9)) == (1, [])
    assert (watcher.sight["state"], watcher.sight["progress"]) == ("printing", 0.4)


def test_end_of_print_is_reported_once_and_kept_in_the_journal(watch):
    watcher, journal = watch("Operational", 100)
    order = AttemptOrder(NAME, AttemptState.PRINTING)
    watcher.take([order])

    watcher.turn(lambda: None)
    watcher.take([order])  # what the platform said before it had heard
    watcher.turn(lambda: None)

    assert [row["status"] for row in journal.waiting(9)] == ["done"]


def test_failed_file_deletion_is_retried_by_the_next_worker(watch, host, tmp_path):
    asked, answers = [], [500, 409, 204]

    def answer(handler):
        if handler.command == "DELETE":
            asked.append(handler.path)
            return says(answers.pop(0), b"")(handler)
        shown = {"state": "Operational", "progress": {"completion": 100}}
        return says(200, json.dumps(shown | {"job": {"file": {"name": NAME}}}).encode())(handler)

    there = host(answer)
    watcher, journal = watch("Printing", 40)
    watcher._driver = OctoPrint(there.connection)
    watcher.take([AttemptOrder(NAME, AttemptState.PRINTING)])
    watcher.turn(lambda: None)  # it is done; the host fails as the file is to go
    assert journal.names() == {NAME}

    folder = StateDir(tmp_path / "agent")
    after = PrinterWorker(
        MACHINE, OctoPrint(there.connection), PlatformClient(there.address), journal, folder
    )
    after.turn(lambda: None)  # nobody has said yet what is open
    assert len(asked) == 1
    after.heard({})
    for _ in range(3):
        after.turn(lambda: None)

    assert asked == [f"/api/files/local/{NAME}"] * 3
    assert folder.stale_files.of(MACHINE.printer) == []


def test_print_is_followed_to_its_end_without_the_platform(watch):
    watcher, journal = watch("Printing", 40)
    watcher.take([AttemptOrder(NAME, AttemptState.ARMED)])
    watcher.turn(lambda: None)
    watcher._driver = watch("Operational", 100)[0]._driver

    watcher.turn(lambda: None)

    assert [row["status"] for row in journal.waiting(9)] == ["printing", "done"]


def test_failed_print_is_reported_with_its_last_seen_progress(watch):
    watcher, journal = watch("Printing", 40)
    watcher.take([AttemptOrder(NAME, AttemptState.PRINTING)])
    watcher.turn(lambda: None)
    watcher._driver = watch("Offline after error", 0)[0]._driver

    watcher.turn(lambda: None)

    (row,) = journal.waiting(9)
    assert (row["status"], row["progress"]) == ("failed", 0.4)


def test_object_exclusion_is_reported_once(watch):
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


def test_permit_is_requested_only_after_the_machine_status_is_acknowledged(watch):
    watcher, _ = watch("Operational", 100)
    asked = []
    watcher._platform.permit = lambda name: bool(asked.append(name))
    watcher.take([AttemptOrder(NAME, AttemptState.SENT)])
    calls = []

    watcher.turn(lambda: calls.append(1))
    assert (asked, len(calls) > 0) == ([], True)
    watcher.heard(watcher.sight)
    watcher.turn(lambda: None)

    assert asked == [NAME]

"""PrusaLink's driver: upload, start, deletion, commands, and its three errors."""

import pytest

from agent import prusalink
from agent.http_client import HttpClient
from agent.prusalink import PrusaLink
from machines.drivers import (
    ExclusionResult,
    MachineStatus,
    NoAnswer,
    NotSent,
    ObjectLabel,
    Rejected,
)
from machines.states import AttemptState
from tests.agent.conftest import HERE, follow, hangs_up, says

NAME = "a-1.gcode"
PART = ObjectLabel("p_3_9f3a61c2", 2, "marlin")
CALLS = {"start": (NAME,), "drop": (NAME,), "pause": (), "resume": (), "cancel": ()}


def driver_at(host) -> PrusaLink:
    """A driver that has seen a print, and knows the storage."""
    driver = PrusaLink(HttpClient(host.address, {}, HERE))
    driver._storage, driver._last = "local", prusalink._Job(7, NAME, "PRINTING", None)
    return driver


# ---------------------------------------------------------------- upload, start, fence


@pytest.mark.parametrize("lag", [0, 3])
def test_uploaded_file_is_listed_and_does_not_start(prusa, monkeypatch, lag):
    monkeypatch.setattr(prusalink, "LIST_INTERVAL", 0)
    prusa.machine.lag = lag

    prusa.driver.put(prusa.file, NAME)

    assert prusa.machine.listed == {NAME: 11}
    assert prusa.machine.files == {NAME: b"G28\nG1 X10\n"}
    assert prusa.machine.state == "IDLE"


def test_storage_that_can_be_written_is_used(prusa):
    prusa.driver.put(prusa.file, NAME)

    uploads = [line for line in prusa.host.requests if line.startswith("PUT")]
    assert uploads == [f"PUT /api/v1/files/{prusa.machine.storage}/{NAME}"]


def test_printer_without_a_drive_rejects_the_upload(prusa):
    prusa.machine.has_storage = False

    with pytest.raises(Rejected, match="insert a USB drive"):
        prusa.driver.put(prusa.file, NAME)


def test_upload_again_replaces_the_file(prusa):
    prusa.machine.files[NAME] = b"G2"

    prusa.driver.put(prusa.file, NAME)

    assert prusa.machine.files == {NAME: b"G28\nG1 X10\n"}


def test_upload_under_the_name_that_prints_is_rejected(prusa):
    """PrusaLink would overwrite it."""
    prusa.machine.files[NAME] = b"G2"
    prusa.machine.prints(NAME)

    with pytest.raises(Rejected, match="is being printed"):
        prusa.driver.put(prusa.file, NAME)

    assert prusa.machine.files == {NAME: b"G2"}


def test_half_an_upload_is_an_error(prusa):
    uploaded = prusa.machine.uploaded
    prusa.machine.uploaded = lambda handler, name, body: uploaded(handler, name, body[:-1])

    with pytest.raises(NoAnswer, match="did not arrive as it was sent"):
        prusa.driver.put(prusa.file, NAME)


def test_upload_that_is_never_listed_is_no_success(prusa, monkeypatch):
    monkeypatch.setattr(prusalink, "LIST_TIME", 0)
    prusa.machine.lag = 1000

    with pytest.raises(NoAnswer, match="does not show"):
        prusa.driver.put(prusa.file, NAME)


def test_name_with_a_forbidden_character_is_rejected(prusa):
    with pytest.raises(Rejected, match="400"):
        prusa.driver.put(prusa.file, "ä#.gcode")


def test_second_start_is_rejected_while_a_print_runs(prusa):
    prusa.driver.put(prusa.file, NAME)
    prusa.driver.start(NAME)

    with pytest.raises(Rejected, match="409"):
        prusa.driver.start(NAME)

    assert prusa.driver.look()[:2] == (MachineStatus.PRINTING, NAME)


def test_start_is_repeated_while_the_print_before_is_shown_as_finished(prusa, monkeypatch):
    monkeypatch.setattr(prusalink, "START_INTERVAL", 0)
    prusa.driver.put(prusa.file, NAME)
    prusa.machine.ends("FINISHED")
    prusa.machine.refusals = 3

    prusa.driver.start(NAME)

    assert prusa.driver.look()[:2] == (MachineStatus.PRINTING, NAME)


def test_start_that_is_refused_for_ever_is_rejected(prusa, monkeypatch):
    monkeypatch.setattr(prusalink, "START_INTERVAL", 0)
    monkeypatch.setattr(prusalink, "START_TIME", 0.05)
    prusa.driver.put(prusa.file, NAME)
    prusa.machine.ends("FINISHED")
    prusa.machine.refusals = 10**9

    with pytest.raises(Rejected, match="409"):
        prusa.driver.start(NAME)


@pytest.mark.parametrize("begins", [True, False])
def test_start_with_500_may_have_begun(prusa, begins):
    """PrusaLink has answered 500 and printed all the same."""
    prusa.driver.put(prusa.file, NAME)
    boot = prusa.driver.look().boot
    prusa.machine.starting, prusa.machine.obeys = 500, begins

    with pytest.raises(NoAnswer):
        prusa.driver.start(NAME)

    end = AttemptState.PRINTING if begins else AttemptState.NEVER
    assert follow(prusa.driver, NAME, AttemptState.ARMED, boot) == [end]


@pytest.mark.parametrize("lag", [0, 3])
def test_late_start_finds_no_file_after_the_fence(prusa, monkeypatch, lag):
    monkeypatch.setattr(prusalink, "LIST_INTERVAL", 0)
    prusa.driver.put(prusa.file, NAME)
    prusa.machine.lag = lag

    assert prusa.driver.drop(NAME) is True
    assert prusa.driver.drop(NAME) is True

    with pytest.raises(Rejected, match="404"):
        prusa.driver.start(NAME)


def test_deletion_that_the_list_has_missed_is_done_again(prusa, monkeypatch):
    """A file that is gone and listed is answered with 500."""
    monkeypatch.setattr(prusalink, "LIST_INTERVAL", 0)
    prusa.machine.listed, prusa.machine.behind = {NAME: 11}, 2

    assert prusa.driver.drop(NAME) is True


@pytest.mark.parametrize("state", ["PRINTING", "PAUSED", "ATTENTION"])
def test_file_that_prints_is_not_deleted(prusa, state):
    prusa.machine.files[NAME] = b"G28\n"
    prusa.machine.prints(NAME)
    prusa.machine.state = state

    assert prusa.driver.drop(NAME) is False
    assert NAME in prusa.machine.files


def test_file_in_use_that_is_not_printed_is_no_proof_of_a_print(host):
    """Another upload has it: 409, too."""

    def answer(handler):
        body = b'{"printer": {"state": "IDLE"}}' if handler.path.endswith("status") else b""
        says(200 if body else 409, body)(handler)

    with pytest.raises(NoAnswer, match="in use, and not printed"):
        driver_at(host(answer)).drop(NAME)


# ---------------------------------------------------------------- commands


def test_print_is_paused_resumed_and_cancelled(prusa):
    prusa.machine.prints(NAME)
    prusa.driver.look()

    for call, state in (
        (prusa.driver.pause, MachineStatus.PAUSED),
        (prusa.driver.resume, MachineStatus.PRINTING),
        (prusa.driver.pause, MachineStatus.PAUSED),
        (prusa.driver.cancel, MachineStatus.STOPPED),
    ):
        call()
        assert prusa.driver.look()[:2] == (state, NAME)


def test_command_names_the_job_and_stops_nobody_elses_print(prusa):
    prusa.machine.prints(NAME)
    prusa.driver.look()
    prusa.machine.prints("theirs.gcode")

    with pytest.raises(Rejected, match="404"):
        prusa.driver.cancel()

    assert prusa.machine.state == "PRINTING"


def test_command_without_a_print_is_not_sent(prusa):
    prusa.driver.look()

    with pytest.raises(NotSent, match="shows no print"):
        prusa.driver.cancel()


def test_command_that_was_taken_is_sent_again_only_after_a_while(prusa):
    prusa.machine.prints(NAME)
    prusa.machine.obeys = False

    for _ in range(3):
        prusa.driver.look()
        prusa.driver.pause()

    assert len([line for line in prusa.host.requests if line.endswith("/pause")]) == 1
    prusa.driver._pending.until = 0.0
    prusa.driver.pause()
    assert len([line for line in prusa.host.requests if line.endswith("/pause")]) == 2


def test_objects_cannot_be_excluded(prusa):
    assert prusa.driver.skip(PART) is ExclusionResult.CANNOT


# ---------------------------------------------------------------- the three errors


@pytest.mark.parametrize("call", sorted(CALLS))
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (says(501), NoAnswer),
        (says(503), NoAnswer),
        (hangs_up, NoAnswer),
        (says(403), Rejected),
        (says(302, Location="/"), Rejected),
    ],
)
def test_failed_call_raises_rejected_or_no_answer(host, call, answer, error):
    with pytest.raises(error):
        getattr(driver_at(host(answer)), call)(*CALLS[call])


@pytest.mark.parametrize("call", sorted(CALLS))
def test_call_to_stopped_server_raises_not_sent(host, call):
    there = host(says(200))
    there.server.shutdown()
    there.server.server_close()

    with pytest.raises(NotSent):
        getattr(driver_at(there), call)(*CALLS[call])

"""PrusaLink's driver: states, names of prints, and faults in mid-print."""

import pytest

from agent.http_client import HttpClient
from agent.prusalink import PrusaLink
from agent.runner import driver_of
from agent.state import Machine, StateDir
from machines.drivers import HeaterTemperature, MachineStatus
from machines.states import AttemptState
from tests.agent.conftest import HERE, follow, says
from tests.agent.simulated_prusalink import KEY, PASSWORD, USER

NAME = "a-1.gcode"
OTHER = "theirs.gcode"


def driver_at(host) -> PrusaLink:
    return PrusaLink(HttpClient(host.address, {}, HERE))


# ---------------------------------------------------------------- the states


@pytest.mark.parametrize(
    ("state", "doing"),
    [
        ("IDLE", MachineStatus.IDLE),
        ("READY", MachineStatus.IDLE),
        ("BUSY", MachineStatus.BUSY),
        ("FINISHED", MachineStatus.DONE),
        ("STOPPED", MachineStatus.STOPPED),
        ("ERROR", MachineStatus.FAILED),
        ("ATTENTION", MachineStatus.ATTENTION),
        ("DREAMING", MachineStatus.ATTENTION),
    ],
)
def test_status_without_a_job(prusa, state, doing):
    prusa.machine.state = state

    seen = prusa.driver.look()

    assert (seen.doing, seen.job) == (doing, None)


@pytest.mark.parametrize(
    ("state", "doing"),
    [
        ("PRINTING", MachineStatus.PRINTING),
        ("PAUSED", MachineStatus.PAUSED),
        ("ATTENTION", MachineStatus.ATTENTION),
        ("BUSY", MachineStatus.BUSY),
    ],
)
def test_status_of_a_print_has_its_long_name(prusa, state, doing):
    prusa.machine.prints(NAME, 31.0)
    prusa.machine.state = state

    seen = prusa.driver.look()

    assert (seen.doing, seen.job, seen.progress) == (doing, NAME, 0.31)


def test_print_whose_job_has_just_ended_is_busy(prusa):
    """PrusaLink says PRINTING for up to a second after the end of the job."""
    prusa.machine.state = "PRINTING"

    assert prusa.driver.look()[:2] == (MachineStatus.BUSY, None)


@pytest.mark.parametrize(
    "body",
    [
        b"nonsense",
        b"{}",
        b'{"printer": 7, "job": []}',
        b'{"printer": {"state": ["IDLE"]}}',
        b'{"printer": {"state": "IDLE"}, "job": {"id": 3}}',
    ],
)
def test_senseless_response_is_never_idle(host, body):
    seen = driver_at(host(says(200, body))).look()

    assert seen.doing in (MachineStatus.OFFLINE, MachineStatus.ATTENTION)


def test_temperatures_and_message_are_read(prusa):
    prusa.machine.ends("ERROR", "Firmware detected a hardware issue")

    seen = prusa.driver.look()

    assert seen.text == "Firmware detected a hardware issue"
    assert seen.temperatures == (
        HeaterTemperature("nozzle", 209.84, 210.0),
        HeaterTemperature("bed", 60.02, 60.0),
    )


@pytest.mark.parametrize("progress", [-1, 500, float("nan"), "much", True])
def test_invalid_progress_is_ignored(prusa, progress):
    prusa.machine.prints(NAME, progress)

    assert prusa.driver.look().progress is None


def test_short_name_without_a_long_one_is_looked_up(prusa):
    prusa.machine.files[NAME] = b"G28\n"
    names = prusa.machine.names
    prusa.machine.prints(NAME)
    prusa.machine.names = lambda name: {"name": "A-1~1.GCO"}
    path = f"/api/v1/files/{prusa.machine.storage}/A-1~1.GCO"
    of_file = prusa.machine.of_file
    prusa.machine.of_file = lambda handler, name, body: (
        (200, names(NAME)) if handler.path == path else of_file(handler, name, body)
    )

    assert prusa.driver.look().job == NAME


# ---------------------------------------------------------------- credentials


@pytest.mark.parametrize("key", [KEY, f"{USER}:{PASSWORD}"])
def test_key_and_password_are_accepted(prusa, tmp_path, key):
    folder = StateDir(tmp_path / "agent")
    folder.change(networks=["127.0.0.0/8"])
    machine = Machine("http://erp.here/printer/1/", "prusalink", prusa.host.address, key)

    assert driver_of(machine, folder).look().doing is MachineStatus.IDLE


@pytest.mark.parametrize(("key", "status"), [("wrong", 403), (f"{USER}:wrong", 401)])
def test_wrong_credentials_are_reported_with_a_hint(prusa, tmp_path, key, status):
    folder = StateDir(tmp_path / "agent")
    folder.change(networks=["127.0.0.0/8"])
    machine = Machine("http://erp.here/printer/1/", "prusalink", prusa.host.address, key)

    seen = driver_of(machine, folder).look()

    assert (seen.doing, seen.text) == (
        MachineStatus.OFFLINE,
        f"It answers with {status}: is the key right?",
    )


def test_challenge_is_answered_once_and_again_after_its_end(prusa):
    for _ in range(3):
        prusa.driver.look()
    assert prusa.machine.logins == 4

    prusa.machine.nonce = "m" * 8
    prusa.driver.look()

    assert prusa.machine.logins == 6


# ---------------------------------------------------------------- faults in mid-print


def test_finished_print_is_done_although_no_job_is_named(prusa):
    prusa.machine.prints(NAME, 50.0)
    prusa.driver.look()
    prusa.machine.ends("FINISHED")

    seen = prusa.driver.look()

    assert (seen.doing, seen.job, seen.progress) == (MachineStatus.DONE, NAME, 1.0)
    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.DONE]


def test_end_that_was_seen_is_remembered_while_the_machine_is_idle(prusa):
    prusa.machine.prints(NAME, 50.0)
    prusa.driver.look()
    prusa.machine.ends("FINISHED")
    prusa.driver.look()
    prusa.machine.boots()

    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.DONE]


@pytest.mark.parametrize("prusa", ["pi"], indirect=True)
def test_end_of_an_unwatched_print_is_unclear(prusa):
    """An agent that was killed does not know whose end the printer shows."""
    prusa.machine.prints(NAME, 50.0)
    prusa.machine.ends("FINISHED")

    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.UNCLEAR]


@pytest.mark.parametrize("prusa", ["pi"], indirect=True)
def test_end_after_a_gap_in_the_watch_is_unclear(prusa):
    prusa.machine.prints(NAME, 50.0)
    prusa.driver.look()
    prusa.driver._watched.restarted()
    prusa.machine.ends("FINISHED")

    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.UNCLEAR]


def test_idle_without_an_end_is_unclear(prusa):
    """PrusaLink was killed, or the printer: it is idle and names no job."""
    prusa.machine.prints(NAME, 50.0)
    prusa.driver.look()
    prusa.machine.boots()

    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.UNCLEAR]


def test_cancelled_print_is_stopped(prusa):
    prusa.machine.prints(NAME, 50.0)
    prusa.driver.look()
    prusa.driver.cancel()

    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.STOPPED]


def test_reset_of_the_printer_is_stopped_and_never_done(prusa):
    """PrusaLink shows it as if a person had stopped the print."""
    prusa.machine.prints(NAME, 50.0)
    prusa.driver.look()
    prusa.machine.ends("STOPPED")
    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.STOPPED]

    prusa.machine.boots()

    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.STOPPED]


def test_fatal_error_fails_the_print_with_its_text(prusa):
    prusa.machine.prints(NAME, 50.0)
    prusa.driver.look()
    prusa.machine.ends("ERROR", "Firmware detected a hardware issue")

    seen = prusa.driver.look()

    assert (seen.doing, seen.job) == (MachineStatus.FAILED, NAME)
    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.FAILED]


def test_lost_cable_fails_the_print_also_after_its_return(prusa):
    prusa.machine.prints(NAME, 50.0)
    prusa.driver.look()
    prusa.machine.ends("ERROR", "Serial device does not exist")
    assert prusa.driver.look().doing is MachineStatus.FAILED

    prusa.machine.ends("STOPPED")  # so it says for a while
    prusa.driver.look()
    prusa.machine.boots()

    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.FAILED]


def test_restart_of_prusalink_changes_the_boot_and_is_unclear(prusa):
    prusa.machine.prints(NAME, 50.0)
    before = prusa.driver.look().boot
    prusa.machine.boots("STARTING")
    seen = prusa.driver.look()
    assert (seen.doing, seen.text) == (
        MachineStatus.OFFLINE,
        "PrusaLink answers, and is not connected to the printer.",
    )

    prusa.machine.boots()

    assert prusa.driver.look().boot != before
    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.UNCLEAR]


def test_killed_prusalink_is_offline(prusa):
    prusa.driver.look()
    prusa.host.server.shutdown()
    prusa.host.server.server_close()

    assert prusa.driver.look().doing is MachineStatus.OFFLINE


def test_pause_by_the_machine_itself_is_shown(prusa):
    prusa.machine.prints(NAME, 50.0)
    prusa.machine.state = "PAUSED"

    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.PAUSED]


def test_print_started_by_hand_shows_its_own_name_and_ends_as_its_own(prusa):
    prusa.machine.prints(OTHER, 10.0)
    assert prusa.driver.look()[:2] == (MachineStatus.PRINTING, OTHER)
    prusa.machine.ends("FINISHED")

    assert prusa.driver.look()[:2] == (MachineStatus.DONE, OTHER)


def test_another_print_after_ours_leaves_ours_as_it_ended(prusa):
    prusa.machine.prints(NAME, 99.0)
    prusa.driver.look()
    prusa.machine.ends("FINISHED")
    prusa.driver.look()
    prusa.machine.prints(OTHER, 1.0)

    assert follow(prusa.driver, NAME, AttemptState.PRINTING) == [AttemptState.DONE]


# ---------------------------------------------------------------- a start without an answer


def test_unanswered_start_that_never_began_is_settled(prusa):
    prusa.driver.put(prusa.file, NAME)
    boot = prusa.driver.look().boot

    assert follow(prusa.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.NEVER]
    assert prusa.machine.files == {}


def test_unanswered_start_that_began_is_printing(prusa):
    prusa.driver.put(prusa.file, NAME)
    boot = prusa.driver.look().boot
    prusa.machine.prints(NAME)

    assert follow(prusa.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.PRINTING]


def test_unanswered_start_is_unclear_to_an_agent_that_did_not_watch(prusa):
    prusa.machine.files[NAME] = b"G28\n"

    assert follow(prusa.driver, NAME, AttemptState.ARMED, "boot") == [AttemptState.UNCLEAR]
    assert prusa.machine.files == {}


def test_unanswered_start_is_unclear_after_a_restart(prusa):
    prusa.driver.put(prusa.file, NAME)
    boot = prusa.driver.look().boot
    prusa.machine.boots("STARTING")
    prusa.driver.look()
    prusa.machine.boots()

    assert follow(prusa.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.UNCLEAR]


@pytest.mark.parametrize("end", ["FINISHED", "STOPPED", "ERROR"])
@pytest.mark.parametrize("prusa", ["pi"], indirect=True)
def test_unanswered_start_is_unclear_if_an_end_without_a_name_was_seen(prusa, end):
    """A print may have begun and ended between two looks."""
    prusa.driver.put(prusa.file, NAME)
    boot = prusa.driver.look().boot
    prusa.machine.state = end
    prusa.driver.look()
    prusa.machine.boots()

    assert follow(prusa.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.UNCLEAR]

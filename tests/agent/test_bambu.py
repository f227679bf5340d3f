"""Bambu Lab's driver: states, names of prints, faults in mid-print, and filament."""

import json

import pytest

from machines.drivers import FilamentTray, HeaterTemperature, MachineDetails, MachineStatus
from machines.states import AttemptState
from tests.agent.conftest import bambu_driver, follow
from tests.agent.simulated_bambu import AMS
from tests.waiting import wait_for

NAME, OTHER = "a-1.gcode", "theirs"


def look_until(driver, doing: MachineStatus):
    """The first look that sees this: reports come when they come."""
    seen = []

    def has_come() -> bool:
        seen.append(driver.look())
        return seen[-1].doing is doing

    wait_for(has_come, 20)
    return seen[-1]


def printing(bambu, percent: int = 31) -> None:
    bambu.driver.look()
    bambu.machine.prints(NAME, percent)
    look_until(bambu.driver, MachineStatus.PRINTING)


# ---------------------------------------------------------------- the states


@pytest.mark.parametrize(
    ("state", "error", "doing"),
    [
        ("IDLE", 0, MachineStatus.IDLE),
        ("PREPARE", 0, MachineStatus.BUSY),
        ("SLICING", 0, MachineStatus.BUSY),
        ("RUNNING", 0, MachineStatus.PRINTING),
        ("PAUSE", 0, MachineStatus.PAUSED),
        ("FINISH", 0, MachineStatus.DONE),
        ("FAILED", 0x0300400C, MachineStatus.STOPPED),
        ("FAILED", 0, MachineStatus.STOPPED),
        ("FAILED", 0x03008016, MachineStatus.FAILED),
        ("DREAMING", 0, MachineStatus.ATTENTION),
        (7, 0, MachineStatus.ATTENTION),
    ],
)
def test_status(bambu, state, error, doing):
    bambu.machine.state |= {"gcode_state": state, "print_error": error}

    assert bambu.driver.look().doing is doing


def test_partial_reports_are_merged(bambu):
    printing(bambu)
    bambu.machine.report(mc_percent=32, layer_num=23, total_layer_num=360, mc_remaining_time=30)
    bambu.machine.report(spd_mag=124)
    wait_for(lambda: bambu.driver.look().details.speed == 1.24)

    seen = bambu.driver.look()

    assert (seen.doing, seen.job, seen.progress) == (MachineStatus.PRINTING, NAME, 0.32)
    assert seen.details == MachineDetails(layer=23, layers=360, seconds_left=1800, speed=1.24)
    assert seen.temperatures == (
        HeaterTemperature("nozzle", 209.84, 210.0),
        HeaterTemperature("bed", 60.02, 60.0),
        HeaterTemperature("chamber", 34.0, None),
    )


def test_full_report_is_requested_once_in_five_minutes(bambu, monkeypatch):
    monkeypatch.setattr("agent.bambu_link.REPORT_TIME", 0.2)
    for _ in range(3):
        bambu.driver.look()
    bambu.machine.boots()
    wait_for(lambda: bambu.driver.look().text.startswith("The printer is connected, and has not"))

    assert bambu.machine.pushalls == 1


def test_partial_report_without_a_state_is_never_idle(bambu, monkeypatch):
    """The first report of a P1 may be one of what has changed."""
    monkeypatch.setattr("agent.bambu_link.REPORT_TIME", 0.2)
    bambu.machine.state = {"command": "push_status", "msg": 1, "nozzle_temper": 25.0}

    seen = bambu.driver.look()

    assert (seen.doing, seen.job) == (MachineStatus.OFFLINE, None)


def test_job_started_at_the_printer_has_the_name_of_its_file(bambu):
    bambu.machine.state |= {
        "gcode_state": "RUNNING",
        "gcode_file": "/data/Metadata/plate_1.gcode",
    }

    assert bambu.driver.look().job == "plate_1.gcode"


@pytest.mark.parametrize("percent", [-1, 500, "much", True, None])
def test_invalid_progress_is_ignored(bambu, percent):
    bambu.machine.state |= {"gcode_state": "RUNNING", "mc_percent": percent}

    assert bambu.driver.look().progress is None


# ---------------------------------------------------------------- filament


def test_trays_are_reported_with_material_colour_and_rest(bambu):
    bambu.machine.state["ams"] = AMS | {"tray_now": "1"}
    bambu.driver.look()
    bambu.machine.report(ams={"ams": [{"id": "0", "tray": [{"id": "3", "remain": 19}]}]})
    wait_for(lambda: bambu.driver.look().trays[-1].remaining == 0.19)

    assert bambu.driver.look().trays == (
        FilamentTray("A1", "PLA", "#ff0000", 0.75),
        FilamentTray("A2", "PETG", "#00ff00", None, is_active=True),
        FilamentTray("A4", "PLA", "#0000ff", 0.19),
    )


def test_tray_that_was_emptied_is_left_out(bambu):
    bambu.machine.state["ams"] = AMS
    bambu.driver.look()
    bambu.machine.report(ams={"ams": [{"id": "0", "tray": [{"id": "1"}]}]})

    wait_for(lambda: [row.slot for row in bambu.driver.look().trays] == ["A1", "A4"])


@pytest.mark.parametrize(
    "ams",
    [
        [],
        {"ams": {}},
        {"ams": [7, {"id": "x"}, {"id": "0", "tray": "none"}]},
        {"ams": [{"id": "0", "tray": [{"id": "9", "tray_type": "PLA"}, {"id": -1}, None]}]},
        {"ams": [{"id": "999", "tray": [{"id": "0", "tray_type": "PLA"}]}]},
        {"ams": [{"id": "0", "tray": [{"id": "0", "tray_type": ["PLA"], "tray_color": 7}]}]},
    ],
)
def test_senseless_trays_are_left_out(bambu, ams):
    bambu.machine.state["ams"] = ams

    seen = bambu.driver.look()

    assert (seen.doing, seen.trays) == (MachineStatus.IDLE, ())


# ---------------------------------------------------------------- faults in mid-print


def test_finished_print_is_done(bambu):
    printing(bambu)
    bambu.machine.ends("FINISH")

    seen = look_until(bambu.driver, MachineStatus.DONE)

    assert (seen.job, seen.progress) == (NAME, 1.0)
    assert follow(bambu.driver, NAME, AttemptState.PRINTING) == [AttemptState.DONE]


def test_finished_print_is_done_to_an_agent_that_was_away(bambu):
    """The printer names its last print until the next one."""
    bambu.machine.state |= {"gcode_state": "FINISH", "subtask_name": NAME}

    assert follow(bambu.driver, NAME, AttemptState.PRINTING) == [AttemptState.DONE]


def test_end_that_was_reported_between_two_looks_is_remembered(bambu):
    printing(bambu)
    bambu.machine.ends("FINISH")
    bambu.machine.prints(OTHER)
    wait_for(lambda: bambu.driver.look().job == OTHER)

    assert follow(bambu.driver, NAME, AttemptState.PRINTING) == [AttemptState.DONE]


def test_finish_of_another_print_is_not_ours(bambu):
    bambu.machine.state |= {"gcode_state": "FINISH", "subtask_name": OTHER}

    assert follow(bambu.driver, NAME, AttemptState.PRINTING) == [AttemptState.UNCLEAR]


def test_restart_in_mid_print_is_unclear_with_another_boot(bambu):
    printing(bambu)
    before = bambu.driver.look().boot
    bambu.machine.boots()
    bambu.driver._link._pushall_at = 0.0
    seen = look_until(bambu.driver, MachineStatus.IDLE)

    assert seen.boot != before
    assert follow(bambu.driver, NAME, AttemptState.PRINTING) == [AttemptState.UNCLEAR]


def test_stop_at_the_printer_is_stopped(bambu):
    printing(bambu)
    bambu.machine.ends("FAILED", 0x0300400C)
    look_until(bambu.driver, MachineStatus.STOPPED)
    bambu.machine.report(print_error=0)

    assert follow(bambu.driver, NAME, AttemptState.PRINTING) == [AttemptState.STOPPED]


def test_fault_fails_the_print_also_once_it_is_confirmed(bambu):
    printing(bambu)
    bambu.machine.ends("FAILED", 0x03008016)

    seen = look_until(bambu.driver, MachineStatus.FAILED)
    assert seen.text == "Error 0300-8016: the printer's display says what to do."
    assert follow(bambu.driver, NAME, AttemptState.PRINTING) == [AttemptState.FAILED]

    bambu.machine.report(print_error=0)
    look_until(bambu.driver, MachineStatus.STOPPED)
    assert bambu.driver.past(NAME) is AttemptState.FAILED


def test_pause_by_the_printer_itself_has_its_error(bambu):
    printing(bambu)
    bambu.machine.report(gcode_state="PAUSE", print_error=0x07008011)

    seen = look_until(bambu.driver, MachineStatus.PAUSED)

    assert seen.text == "Error 0700-8011: the printer's display says what to do."
    assert follow(bambu.driver, NAME, AttemptState.PRINTING) == [AttemptState.PAUSED]


def test_printer_that_is_switched_off_is_offline(bambu):
    bambu.driver.look()
    bambu.machine.close()

    assert look_until(bambu.driver, MachineStatus.OFFLINE).doing is MachineStatus.OFFLINE


def test_printer_without_reports_is_offline_although_its_broker_answers(bambu):
    bambu.driver.look()
    bambu.driver._link._reported_at -= 31

    seen = bambu.driver.look()

    assert seen.doing is MachineStatus.OFFLINE
    assert seen.text == "The printer has sent no report for 30 seconds."


# ---------------------------------------------------------------- a start without an answer


def test_unanswered_start_that_never_began_is_settled(bambu):
    bambu.driver.put(bambu.file, NAME)
    boot = bambu.driver.look().boot

    assert follow(bambu.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.NEVER]
    assert bambu.machine.ftps.files == {}


def test_unanswered_start_that_began_is_printing(bambu):
    bambu.driver.put(bambu.file, NAME)
    boot = bambu.driver.look().boot
    bambu.machine.prints(NAME)
    look_until(bambu.driver, MachineStatus.PRINTING)

    assert follow(bambu.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.PRINTING]


def test_unanswered_start_is_unclear_to_an_agent_that_did_not_watch(bambu):
    bambu.driver.put(bambu.file, NAME)
    other = bambu_driver(bambu.machine)

    assert follow(other, NAME, AttemptState.ARMED, "boot") == [AttemptState.UNCLEAR]
    assert bambu.machine.ftps.files == {}


def test_print_that_began_and_ended_between_two_looks_is_not_never(bambu):
    bambu.driver.put(bambu.file, NAME)
    boot = bambu.driver.look().boot
    bambu.machine.prints(NAME)
    bambu.machine.boots()
    bambu.driver._link._pushall_at = 0.0
    look_until(bambu.driver, MachineStatus.IDLE)

    assert follow(bambu.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.UNCLEAR]


# ---------------------------------------------------------------- hostile reports


@pytest.mark.parametrize(
    "payload",
    [
        b"nonsense",
        b"[]",
        b'{"print": 7}',
        b'{"print": {"command": "push_status", "gcode_state": ["IDLE"]}}',
        b"[" * 100_000,
        b"\xff\xfe",
        json.dumps({"print": {"command": "push_status", "hms": [1, {"attr": "x"}]}}).encode(),
        json.dumps({"print": {"command": "push_status", "subtask_name": "x" * 100_000}}).encode(),
    ],
)
def test_senseless_report_changes_no_state(bambu, payload):
    printing(bambu)
    bambu.machine.send_raw(payload)
    bambu.machine.report(mc_percent=44)
    wait_for(lambda: bambu.driver.look().progress == 0.44)

    seen = bambu.driver.look()

    assert seen.doing is MachineStatus.PRINTING
    assert len(seen.job) <= 200

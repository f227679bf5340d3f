"""Moonraker's driver against the real program; the Klipper behind it is simulated."""

import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from machines.drivers import ExclusionResult, MachineStatus, NoAnswer, ObjectLabel, Rejected
from machines.states import AttemptState
from tests.live.klipper_machine import KlipperMachine
from tests.live.processes import ROOT
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.slow,
    pytest.mark.single("it kills the programs of its machine"),
]

LABELS = "EXCLUDE_OBJECT_DEFINE NAME=p_1_0123abcd\nEXCLUDE_OBJECT_DEFINE NAME=p_2_9f3a61c2\n"
MOVES = [f"G1 X{10 + n % 50} Y{10 + n % 40} E{n} F6000\nG4 P50\n" for n in range(1, 1200)]
SHORT, LONG = LABELS + "".join(MOVES[:20]), LABELS + "".join(MOVES)  # 1 s and 1 min
PART = ObjectLabel("p_2_9f3a61c2", 1, "klipper")
NUMBERS = count(1)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KlipperMachine]:
    subprocess.run([ROOT / "bin" / "install-moonraker"], check=True)
    machine = KlipperMachine(tmp_path_factory.mktemp("klipper"))
    yield machine
    machine.kill()


@pytest.fixture
def machine(programs: KlipperMachine) -> Iterator[KlipperMachine]:
    """A machine that can take a print, whatever became of the last one."""
    yield programs
    if programs.state() in ("printing", "paused"):
        programs.driver.cancel()
        # Moonraker learns it 0.25 s later; a print that began before then would get no row.
        wait_for(lambda: not programs.moonraker.has_unfinished_row())
    if programs.state() == "failed":
        programs.moonraker.post("/printer/firmware_restart")
    wait_for(lambda: programs.state() in ("idle", "done", "stopped"))


@pytest.fixture
def put(machine: KlipperMachine, tmp_path: Path):
    """`put(gcode)`: its name at the machine, after the upload."""

    def upload(gcode: str) -> str:
        file, name = tmp_path / "a", f"run-{next(NUMBERS)}.gcode"
        file.write_text(gcode)
        machine.driver.put(file, name)
        return name

    return upload


def test_print_is_uploaded_started_and_completed(machine, put):
    name = put(SHORT)
    assert machine.files == [name]
    assert machine.driver.past(name) is None

    machine.driver.start(name)
    wait_for(lambda: machine.driver.look()[:2] == (MachineStatus.PRINTING, name))
    wait_for(lambda: machine.state() == "done")

    seen = machine.driver.look()
    assert (seen.job, seen.progress, seen.filament) == (name, 1.0, 20.0)
    assert [one.heater for one in seen.temperatures] == ["extruder", "extruder1", "heater_bed"]
    wait_for(lambda: machine.driver.past(name) is AttemptState.DONE)
    assert machine.driver.drop(name) is True
    assert machine.files == []


def test_print_is_paused_resumed_and_cancelled(machine, put):
    name = put(LONG)
    machine.driver.start(name)
    wait_for(lambda: 0 < (machine.driver.look().progress or 0) < 1)

    for call, state in (
        (machine.driver.pause, "paused"),
        (machine.driver.resume, "printing"),
        (machine.driver.cancel, "stopped"),
    ):
        call()
        wait_for(lambda state=state: machine.state() == state)

    wait_for(lambda: machine.driver.past(name) is AttemptState.STOPPED)
    assert machine.driver.drop(name) is True


def test_object_is_excluded_and_confirmed(machine, put):
    name = put(LONG)
    machine.driver.start(name)
    wait_for(lambda: machine.state() == "printing")

    def skipped() -> ExclusionResult | None:
        try:
            return machine.driver.skip(PART)
        except NoAnswer:
            return None

    assert wait_for(skipped) is ExclusionResult.DONE
    other = PART._replace(name="p_9_00000000")
    assert machine.driver.skip(other) is ExclusionResult.CANNOT


def test_printing_file_is_protected_and_a_late_start_finds_nothing(machine, put, tmp_path):
    first, second = put(LONG), put(SHORT)
    machine.driver.start(first)
    wait_for(lambda: machine.state() == "printing")

    assert machine.driver.drop(first) is False  # Moonraker learns 0.25 s later that it prints
    with pytest.raises(Rejected, match="SD busy"):
        machine.driver.start(second)
    wait_for(lambda: machine.driver.past(first) is not None)  # paused before, it gets no row
    machine.driver.pause()  # or it ends before the next request, on a busy machine
    assert machine.driver.past(first) is AttemptState.UNCLEAR  # its row has no end yet
    with pytest.raises(Rejected, match="403: Forbidden"):
        machine.driver.put(tmp_path / "a", first)
    assert machine.driver.drop(second) is True
    assert machine.driver.drop(second) is True
    machine.driver.cancel()

    with pytest.raises(Rejected, match="Unable to open file"):
        machine.driver.start(second)


def test_error_in_a_line_fails_the_print(machine, put):
    name = put("G1 X1 E1\nFAIL\n" + SHORT)
    machine.driver.start(name)

    wait_for(lambda: machine.state() == "failed")

    assert machine.driver.look()[:2] == (MachineStatus.FAILED, name)
    assert machine.driver.look().text == "Move out of range: 400.000 0.000 0.000 [0.000]"


def test_emergency_stop_fails_the_print_although_it_says_paused(machine, put):
    name = put(LONG)
    machine.driver.start(name)
    wait_for(lambda: machine.state() == "printing")
    before = machine.driver.look().boot

    machine.moonraker.post("/printer/emergency_stop")

    wait_for(lambda: machine.state() == "failed")
    assert machine.driver.look()[:2] == (MachineStatus.FAILED, name)
    assert machine.driver.look().text == "Shutdown due to webhooks request"
    machine.moonraker.post("/printer/firmware_restart")
    wait_for(lambda: machine.state() == "idle")
    assert machine.driver.look().boot != before
    assert machine.driver.past(name) in (AttemptState.FAILED, None)


def test_killed_klipper_forgets_the_print_and_changes_the_boot(machine, put):
    name = put(LONG)
    machine.driver.start(name)
    wait_for(lambda: machine.state() == "printing")
    before = machine.driver.look().boot

    machine.klipper.kill()
    wait_for(lambda: machine.state() == "offline")
    machine.klipper.start()
    wait_for(lambda: machine.state() == "idle")

    seen = machine.driver.look()
    assert (seen.job, seen.boot == before) == (None, False)
    assert machine.driver.past(name) in (AttemptState.FAILED, None)
    assert machine.driver.drop(name) is True


def test_print_goes_on_while_moonraker_is_killed(machine, put):
    name = put(LONG)
    machine.driver.start(name)
    wait_for(lambda: machine.state() == "printing")

    machine.moonraker.kill()
    assert machine.state() == "offline"
    machine.moonraker.start()
    wait_for(lambda: machine.driver.look()[:2] == (MachineStatus.PRINTING, name))

    assert machine.driver.drop(name) is False
    assert name in machine.files


def test_wrong_key_is_offline_with_a_hint(machine):
    seen = machine.driver_with("0" * 32).look()

    assert (seen.doing, seen.text) == (
        MachineStatus.OFFLINE,
        "It answers with 401: is the key right?",
    )

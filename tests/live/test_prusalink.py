"""PrusaLink's driver against the real program; the MK3S behind it is simulated."""

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from agent.digest import DigestLogin
from machines.drivers import MachineStatus, NoAnswer, Rejected
from machines.states import AttemptState
from tests.agent.conftest import follow
from tests.live.processes import ROOT
from tests.live.prusa_machine import KEY, LOOK, USER, Deadlocked, PrusaMachine
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.slow,
    pytest.mark.single("it kills the programs of its machine"),
]

MOVES = [f"G1 X{10 + n % 50} E{n} F6000\nM73 P{n // 12} R1\nG4 P50\n" for n in range(1200)]
SHORT, LONG = "".join(MOVES[:20]), "".join(MOVES)  # 1 s and 1 min
NUMBERS = count(1)


@pytest.fixture(scope="module")
def programs() -> Iterator[PrusaMachine]:
    subprocess.run([ROOT / "bin" / "install-prusalink"], check=True)
    machine = PrusaMachine()
    yield machine
    machine.close()


@pytest.fixture
def machine(programs: PrusaMachine) -> Iterator[PrusaMachine]:
    """A machine that can take a print, whatever became of the last one."""
    yield programs
    if programs.state() in ("printing", "paused"):
        programs.driver.cancel()
    if programs.state() == "failed":
        programs.printer.reset()
    try:
        programs.reach("idle")
    except Deadlocked:
        programs.restart()
    except AssertionError as error:
        error.add_note(programs.prusalink.output()[-4000:])
        raise


@pytest.fixture
def put(machine: PrusaMachine, tmp_path: Path):
    """`put(gcode)`: its name at the machine, after the upload."""

    def upload(gcode: str) -> str:
        file, name = tmp_path / "a", f"run-{next(NUMBERS)}.gcode"
        file.write_text(gcode)
        machine.driver.put(file, name)
        return name

    return upload


@pytest.fixture
def begin(machine: PrusaMachine, put):
    """`begin()`: the name of a long print that runs."""

    def start() -> str:
        name = put(LONG)
        with suppress(NoAnswer):  # it is busy with other commands for some seconds after its start
            machine.driver.start(name)
        wait_for(lambda: machine.driver.look()[:2] == (MachineStatus.PRINTING, name), pause=LOOK)
        return name

    return start


@pytest.fixture
def printing(begin) -> str:
    """The name of a long print that runs."""
    return begin()


def test_print_is_uploaded_started_and_completed(machine, put):
    name = put(SHORT)
    assert machine.files == [name]
    assert machine.driver.past(name) is None

    machine.driver.start(name)
    wait_for(lambda: machine.driver.look()[:2] == (MachineStatus.PRINTING, name), pause=LOOK)
    wait_for(lambda: machine.state() == "done", pause=LOOK)

    seen = machine.driver.look()
    assert (seen.job, seen.progress) == (name, 1.0)
    assert [one.heater for one in seen.temperatures] == ["nozzle", "bed"]
    wait_for(lambda: machine.state() == "idle", pause=LOOK)
    assert follow(machine.driver, name, AttemptState.PRINTING) == [AttemptState.DONE]
    assert machine.files == []


def test_print_is_paused_resumed_and_cancelled(machine, begin):
    def print_and_cancel() -> None:
        name = begin()
        wait_for(lambda: 0 < (machine.driver.look().progress or 0) < 1, pause=LOOK)
        for call, state in (
            (machine.driver.pause, "paused"),
            (machine.driver.resume, "printing"),
            (machine.driver.cancel, "stopped"),
        ):
            call()
            machine.reach(state)
        assert machine.driver.past(name) is AttemptState.STOPPED
        assert machine.driver.drop(name) is True

    machine.repeat(print_and_cancel)


@pytest.mark.long
def test_printing_file_is_protected_and_a_late_start_finds_nothing(
    machine, put, printing, tmp_path
):
    second = put(SHORT)

    assert machine.driver.drop(printing) is False
    with pytest.raises(Rejected, match="409"):
        machine.driver.start(second)
    with pytest.raises(Rejected, match="is being printed"):
        machine.driver.put(tmp_path / "a", printing)
    assert machine.driver.drop(second) is True
    assert machine.driver.drop(second) is True
    machine.driver.cancel()
    wait_for(lambda: machine.state() == "idle", pause=LOOK)

    with pytest.raises(Rejected, match="404"):
        machine.driver.start(second)
    assert machine.driver.drop(printing) is True


@pytest.mark.long
def test_start_without_an_answer_that_never_began_is_settled(machine, put):
    name = put(SHORT)
    boot = machine.driver.look().boot

    assert follow(machine.driver, name, AttemptState.ARMED, boot) == [AttemptState.NEVER]
    assert machine.files == []


@pytest.mark.long
def test_fatal_error_fails_the_print_with_its_text(machine, printing):
    machine.printer.halt()
    wait_for(lambda: machine.state() == "failed", pause=LOOK)

    seen = machine.driver.look()
    assert (seen.job, seen.text) == (printing, "Firmware detected a hardware issue")
    assert follow(machine.driver, printing, AttemptState.PRINTING) == [AttemptState.FAILED]


@pytest.mark.long
def test_lost_cable_fails_the_print_also_after_its_return(machine, printing):
    machine.printer.kill()
    wait_for(lambda: machine.state() == "failed", pause=LOOK)
    assert machine.driver.look()[:2] == (MachineStatus.FAILED, printing)

    machine.printer.start()
    wait_for(lambda: machine.state() == "idle", pause=LOOK)

    assert follow(machine.driver, printing, AttemptState.PRINTING) == [AttemptState.FAILED]


@pytest.mark.long
def test_reset_of_the_printer_is_stopped_and_never_done(machine, printing):
    machine.printer.reset()
    wait_for(lambda: machine.state() == "stopped", pause=LOOK)

    assert follow(machine.driver, printing, AttemptState.PRINTING) == [AttemptState.STOPPED]


@pytest.mark.long
def test_killed_prusalink_forgets_the_print_and_changes_the_boot(machine, printing):
    before = machine.driver.look().boot
    machine.prusalink.kill()
    wait_for(lambda: machine.state() == "offline", pause=LOOK)
    machine.prusalink.start()
    wait_for(lambda: machine.state() == "idle", pause=LOOK)

    seen = machine.driver.look()
    assert (seen.job, seen.boot == before) == (None, False)
    assert follow(machine.driver, printing, AttemptState.PRINTING) == [AttemptState.UNCLEAR]


@pytest.mark.long
def test_prusalink_killed_in_an_upload_leaves_no_file(machine, tmp_path):
    name, file = f"run-{next(NUMBERS)}.gcode", tmp_path / "large"
    file.write_bytes(b"G1 X1\n" * 10_000_000)
    address = f"{machine.prusalink.url}/api/v1/files/local/{name}"
    headers = ("-H", f"X-Api-Key: {KEY}", "-H", "Content-Type: text/x.gcode")
    upload = subprocess.Popen(
        ["curl", "-s", "-T", str(file), *headers, "--limit-rate", "5M", address]
    )
    wait_for(lambda: any(machine.folder.rglob("*.part")) or upload.poll() is not None)

    machine.prusalink.kill()
    upload.wait()
    machine.prusalink.start()
    wait_for(lambda: machine.state() == "idle", pause=LOOK)

    assert machine.files == []
    with pytest.raises((Rejected, NoAnswer)):
        machine.driver.start(name)


@pytest.mark.parametrize(
    ("login", "status"), [("0" * 16, 403), (DigestLogin(USER, "Wrong-123"), 401)]
)
def test_wrong_credentials_are_offline_with_a_hint(machine, login, status):
    seen = machine.driver_with(login).look()

    assert (seen.doing, seen.text) == (
        MachineStatus.OFFLINE,
        f"It answers with {status}: is the key right?",
    )


def test_api_key_is_accepted(machine):
    assert machine.driver_with(KEY).look().doing is MachineStatus.IDLE

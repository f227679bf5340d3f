"""Moonraker's driver: states, progress, and faults in mid-print."""

import hashlib
import json

import pytest

from agent.http_client import HttpClient
from agent.moonraker import Moonraker
from agent.platform_client import PlatformClient
from agent.runner import PrinterWorker, driver_of
from agent.state import Journal, Machine, StateDir
from machines.controller import AttemptOrder
from machines.drivers import (
    HeaterTemperature,
    MachineStatus,
)
from machines.states import AttemptState
from tests.agent.conftest import HERE, follow, says

NAME = "a-1.gcode"


def driver_at(host) -> Moonraker:
    return Moonraker(HttpClient(host.address, {}, HERE))


# ---------------------------------------------------------------- the states


@pytest.mark.parametrize(
    ("klippy", "state", "doing", "shows"),
    [
        ("ready", "standby", MachineStatus.IDLE, False),
        ("ready", "printing", MachineStatus.PRINTING, True),
        ("ready", "paused", MachineStatus.PAUSED, True),
        ("ready", "complete", MachineStatus.DONE, True),
        ("ready", "cancelled", MachineStatus.STOPPED, True),
        ("ready", "error", MachineStatus.FAILED, True),
        ("ready", "dreaming", MachineStatus.ATTENTION, True),
        ("startup", "standby", MachineStatus.BUSY, False),
        ("shutdown", "paused", MachineStatus.FAILED, True),
        ("error", "standby", MachineStatus.FAILED, True),
        ("dreaming", "printing", MachineStatus.ATTENTION, True),
    ],
)
def test_status_is_read_from_klipper_state_and_print_state(shop, klippy, state, doing, shows):
    shop.machine.klippy = klippy
    shop.machine.stats |= {"filename": NAME, "state": state}

    seen = shop.driver.look()

    assert (seen.doing, seen.job) == (doing, NAME if shows else None)


@pytest.mark.parametrize(
    "body",
    [
        b"nonsense",
        b"{}",
        b'{"result": []}',
        b'{"result": {"status": {"webhooks": 7, "print_stats": [], "heaters": "no"}}}',
        b'{"result": {"status": {"webhooks": {"state": "ready"}}}}',
    ],
)
def test_senseless_response_is_never_idle(host, body):
    seen = driver_at(host(says(200, body))).look()

    assert seen.doing in (MachineStatus.OFFLINE, MachineStatus.ATTENTION)


def test_machine_without_a_key_gets_no_empty_one(host, tmp_path):
    """Where networks are trusted none is necessary, and a wrong one is refused."""
    headers = []

    def answer(handler):
        headers.append(handler.headers.get("X-Api-Key"))
        says(503)(handler)

    folder = StateDir(tmp_path / "agent")
    folder.change(networks=["127.0.0.0/8"])
    for key in ("", "secret"):
        machine = Machine("http://erp.here/printer/1/", "moonraker", host(answer).address, key)
        driver_of(machine, folder).look()

    assert headers == [None, "secret"]


def test_wrong_api_key_is_reported_as_offline_with_a_hint(shop):
    shop.machine.key = "another"

    seen = shop.driver.look()

    assert (seen.doing, seen.text) == (
        MachineStatus.OFFLINE,
        "It answers with 401: is the key right?",
    )


def test_temperatures_of_all_extruders_are_read(shop):
    shop.driver.look()  # the names of the heaters

    assert shop.driver.look().temperatures == (
        HeaterTemperature("extruder", 209.84, 210.0),
        HeaterTemperature("extruder1", 24.1, 0.0),
        HeaterTemperature("heater_bed", 60.02, 60.0),
    )


def test_temperatures_are_sent_to_the_platform(shop, tmp_path):
    client, folder = PlatformClient("http://erp.here"), StateDir(tmp_path / "agent")
    machine = Machine("http://erp.here/printer/1/", "moonraker", shop.host.address, "")
    journal = Journal(folder.path / "reports.jsonl")
    watcher = PrinterWorker(machine, shop.driver, client, journal, folder)
    assert "temperatures" not in watcher.sight

    for _ in range(2):
        watcher.turn(lambda: None)

    assert watcher.sight["temperatures"][1] == {
        "heater": "extruder1",
        "actual": 24.1,
        "target": 0.0,
    }


def test_file_that_heats_too_much_is_not_uploaded(shop, host, tmp_path):
    too_hot = b"M104 S350\nG1 X10\n"

    def platform(handler):
        place = {
            "content": f"http://{handler.headers['Host']}/file",
            "sha256": hashlib.sha256(too_hot).hexdigest(),
        }
        body = too_hot if handler.path.startswith("/file") else json.dumps(place).encode()
        says(200, body)(handler)

    folder = StateDir(tmp_path / "agent")
    machine = Machine("http://erp.here/printer/1/", "moonraker", shop.host.address, "", nozzle=280)
    journal = Journal(folder.path / "reports.jsonl")
    client = PlatformClient(host(platform).address)
    watcher = PrinterWorker(machine, shop.driver, client, journal, folder)
    watcher.take([AttemptOrder(NAME, AttemptState.PLANNED)])

    watcher.turn(lambda: None)

    assert shop.machine.files == {}
    assert watcher.sight["text"] == (
        "The file heats the nozzle to 350 degrees: at most 280 is allowed."
    )


# ---------------------------------------------------------------- progress


def test_progress_is_that_of_the_slicer(shop):
    shop.machine.prints(NAME, 500)
    shop.machine.m73 = 0.31

    seen = shop.driver.look()

    assert (seen.progress, seen.filament) == (0.31, 125.5)


@pytest.mark.parametrize(
    ("position", "progress"), [(50, 0.0), (100, 0.0), (500, 0.5), (900, 1.0), (950, 1.0)]
)
def test_progress_without_m73_is_that_of_the_printed_bytes(shop, position, progress):
    shop.machine.has_m73 = False
    shop.machine.files[NAME] = b"G28\n"
    shop.machine.prints(NAME, position)

    assert shop.driver.look().progress == progress


def test_progress_without_metadata_is_that_of_the_file(shop):
    shop.machine.has_m73 = False
    shop.machine.prints(NAME, 250)

    assert shop.driver.look().progress == 0.25


@pytest.mark.parametrize("progress", [-1, 500, float("nan"), "much", True])
def test_invalid_progress_is_ignored(shop, progress):
    shop.machine.prints(NAME)
    shop.machine.m73 = progress
    shop.machine.position = 0

    assert shop.driver.look().progress in (None, 0.0)


# ---------------------------------------------------------------- faults in mid-print


def test_completed_print_stays_visible(shop):
    shop.machine.prints(NAME, 500)
    shop.machine.ends("complete")

    assert shop.driver.look()[:2] == (MachineStatus.DONE, NAME)
    assert shop.driver.look().progress == 1.0
    assert follow(shop.driver, NAME, AttemptState.PRINTING) == [AttemptState.DONE]


def test_cancelled_print_is_stopped(shop):
    shop.machine.prints(NAME, 500)
    shop.machine.ends("cancelled")

    assert follow(shop.driver, NAME, AttemptState.PRINTING) == [AttemptState.STOPPED]


def test_gcode_error_fails_the_print_with_its_message(shop):
    shop.machine.prints(NAME, 500)
    shop.machine.ends("error", "Move out of range: 400.000 0.000 0.000")

    assert shop.driver.look().text == "Move out of range: 400.000 0.000 0.000"
    assert follow(shop.driver, NAME, AttemptState.PRINTING) == [AttemptState.FAILED]


@pytest.mark.parametrize(
    "message", ["Shutdown due to webhooks request", "Lost communication with MCU 'mcu'"]
)
def test_shutdown_fails_the_print_although_it_says_paused(shop, message):
    shop.machine.prints(NAME, 500)
    shop.machine.shuts_down(message)

    seen = shop.driver.look()

    assert shop.machine.stats["state"] == "paused"
    assert (seen.doing, seen.job, seen.text) == (MachineStatus.FAILED, NAME, message)
    assert follow(shop.driver, NAME, AttemptState.PRINTING) == [AttemptState.FAILED]


@pytest.mark.parametrize(
    ("subscribed", "end"), [(True, AttemptState.FAILED), (False, AttemptState.UNCLEAR)]
)
def test_lost_board_after_a_firmware_restart_is_never_done(shop, subscribed, end):
    shop.machine.subscribed = subscribed
    before = shop.driver.look().boot
    shop.machine.prints(NAME, 500)
    shop.machine.shuts_down("Lost communication with MCU 'mcu'")
    shop.driver.look()
    shop.machine.boots()

    seen = shop.driver.look()

    assert (seen.doing, seen.job) == (MachineStatus.IDLE, None)
    assert seen.boot != before
    assert follow(shop.driver, NAME, AttemptState.PRINTING) == [end]


@pytest.mark.parametrize(
    ("subscribed", "end"), [(True, AttemptState.FAILED), (False, AttemptState.UNCLEAR)]
)
def test_killed_klipper_is_offline_then_unclear_unless_the_history_has_it(shop, subscribed, end):
    shop.machine.subscribed = subscribed
    shop.machine.prints(NAME, 500)
    before = shop.driver.look().boot
    shop.machine.dies()

    seen = shop.driver.look()
    assert (seen.doing, seen.text) == (
        MachineStatus.OFFLINE,
        "Moonraker answers, and is not connected to Klipper.",
    )

    shop.machine.connected = True
    assert shop.driver.look().boot != before
    assert follow(shop.driver, NAME, AttemptState.PRINTING) == [end]


def test_unseen_restart_of_klipper_changes_the_boot(shop):
    before = shop.driver.look().boot
    assert shop.driver.look().boot == before

    shop.machine.processes += 1

    assert shop.driver.look().boot != before


def test_unseen_restart_within_the_process_changes_the_boot(shop):
    shop.machine.prints(NAME, 500)
    before = shop.driver.look().boot
    shop.machine.boots()

    assert shop.driver.look().boot != before


def test_print_goes_on_after_moonraker_alone_was_killed(shop, host):
    shop.machine.prints(NAME, 500)
    shop.driver.look()
    shop.host.server.shutdown()
    shop.host.server.server_close()
    assert shop.driver.look().doing is MachineStatus.OFFLINE

    shop.machine.subscribed = False
    shop.machine.history.clear()
    back = host(shop.machine)
    shop.driver._client = HttpClient(back.address, {"X-Api-Key": shop.machine.key}, HERE)

    assert follow(shop.driver, NAME, AttemptState.PRINTING) == [AttemptState.PRINTING]


def test_machine_that_has_never_met_klipper_is_offline(host):
    """Moonraker has Klipper's paths only once it has been connected."""
    seen = driver_at(host(says(404, b'{"error": {"message": "Not Found"}}'))).look()

    assert seen.doing is MachineStatus.OFFLINE


def test_pause_by_the_machine_itself_is_shown(shop):
    shop.machine.prints(NAME, 500)
    shop.machine.stats |= {"state": "paused"}

    assert follow(shop.driver, NAME, AttemptState.PRINTING) == [AttemptState.PAUSED]


def test_print_started_by_hand_shows_its_own_name(shop):
    shop.machine.prints("theirs.gcode", 10)

    assert shop.driver.look()[:2] == (MachineStatus.PRINTING, "theirs.gcode")


# ---------------------------------------------------------------- a start without an answer


def test_unanswered_start_that_never_began_is_settled(shop):
    shop.driver.put(shop.file, NAME)
    boot = shop.driver.look().boot

    assert follow(shop.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.NEVER]
    assert shop.machine.files == {}


def test_unanswered_start_is_unclear_after_a_restart_of_klipper(shop):
    shop.driver.put(shop.file, NAME)
    boot = shop.driver.look().boot
    shop.machine.processes += 1

    assert follow(shop.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.UNCLEAR]

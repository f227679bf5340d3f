"""Elegoo's driver: states, faults in mid-print, uploads, commands, and hostile messages."""

import json

import pytest

from agent.connection_test import Host, NoHost
from agent.elegoo import PART
from agent.sockets import AddressNotAllowed
from machines.controller import READY
from machines.drivers import (
    ExclusionResult,
    HeaterTemperature,
    MachineDetails,
    MachineStatus,
    NoAnswer,
    NotSent,
    ObjectLabel,
    Rejected,
)
from machines.states import AttemptState
from tests.agent.conftest import elegoo_driver, follow

NAME, OTHER = "a-1.gcode", "theirs.gcode"

# ---------------------------------------------------------------- the states


@pytest.mark.parametrize(
    ("machine", "state", "doing"),
    [
        ([0], 0, MachineStatus.IDLE),
        ([0], 9, MachineStatus.DONE),
        ([0], 8, MachineStatus.STOPPED),
        ([0], 14, MachineStatus.FAILED),
        ([0], 13, MachineStatus.BUSY),
        ([1], 13, MachineStatus.PRINTING),
        ([1], 16, MachineStatus.PRINTING),
        ([1], 5, MachineStatus.PAUSED),
        ([1], 6, MachineStatus.PAUSED),
        ([1], 7, MachineStatus.STOPPING),
        ([1], 10, MachineStatus.BUSY),
        ([1], 9, MachineStatus.BUSY),
        ([1], 99, MachineStatus.ATTENTION),
        ([0], 99, MachineStatus.ATTENTION),
        ([2], 0, MachineStatus.BUSY),
        ([0, 3], 0, MachineStatus.ATTENTION),
        ([77], 0, MachineStatus.ATTENTION),
        ([], 0, MachineStatus.ATTENTION),
        ("idle", 0, MachineStatus.ATTENTION),
        ([0], None, MachineStatus.ATTENTION),
    ],
)
def test_status(elegoo, machine, state, doing):
    elegoo.machine.machine = machine
    elegoo.machine.info["Status"] = state

    assert elegoo.driver.look().doing is doing


def test_print_has_name_progress_layers_and_temperatures(elegoo):
    elegoo.machine.prints(NAME, 310)
    elegoo.machine.info |= {"CurrentLayer": 23, "TotalLayer": 360, "PrintSpeedPct": 130}

    seen = elegoo.driver.look()

    assert (seen.doing, seen.job, seen.progress) == (MachineStatus.PRINTING, NAME, 0.31)
    assert seen.details == MachineDetails(layer=23, layers=360, speed=1.3)
    assert seen.temperatures == (
        HeaterTemperature("nozzle", 209.84, 210),
        HeaterTemperature("bed", 60.02, 60),
        HeaterTemperature("chamber", 34, 0),
    )


def test_model_and_firmware_are_identified(elegoo):
    assert elegoo.driver.identify() == Host("elegoo", "Elegoo Centauri Carbon V1.1.40")


def test_resin_printer_is_no_host(elegoo):
    elegoo.machine.attributes["SupportFileType"] = ["CTB"]

    with pytest.raises(NoHost, match="resin printers are not supported"):
        elegoo.driver.identify()


# ---------------------------------------------------------------- faults in mid-print


@pytest.mark.parametrize(
    ("state", "end"),
    [(9, AttemptState.DONE), (8, AttemptState.STOPPED), (14, AttemptState.FAILED)],
)
def test_end_of_a_print(elegoo, state, end):
    elegoo.machine.prints(NAME)
    elegoo.driver.look()
    elegoo.machine.ends(state)

    assert follow(elegoo.driver, NAME, AttemptState.PRINTING) == [end]


def test_end_is_remembered_while_the_next_print_runs(elegoo):
    elegoo.machine.prints(NAME)
    elegoo.driver.look()
    elegoo.machine.ends(9)
    elegoo.driver.look()
    elegoo.machine.prints(OTHER)

    assert follow(elegoo.driver, NAME, AttemptState.PRINTING) == [AttemptState.DONE]


def test_restart_in_mid_print_is_unclear_with_another_boot(elegoo):
    elegoo.machine.prints(NAME)
    before = elegoo.driver.look().boot
    elegoo.machine.boots()
    elegoo.driver.look()  # the connection has broken off

    seen = elegoo.driver.look()

    assert seen.doing is MachineStatus.IDLE
    assert seen.boot != before
    assert follow(elegoo.driver, NAME, AttemptState.PRINTING) == [AttemptState.UNCLEAR]


def test_error_has_its_text(elegoo):
    elegoo.machine.prints(NAME)
    elegoo.machine.ends(14, 2)

    assert elegoo.driver.look().text == "Error 2: the file cannot be read."


def test_printer_that_is_switched_off_is_offline(elegoo):
    elegoo.driver.look()
    elegoo.machine.close()

    assert elegoo.driver.look().doing is MachineStatus.OFFLINE


# ---------------------------------------------------------------- a start without an answer


def test_unanswered_start_that_never_began_is_settled(elegoo):
    elegoo.driver.put(elegoo.file, NAME)
    boot = elegoo.driver.look().boot

    assert follow(elegoo.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.NEVER]
    assert elegoo.machine.files == {}


def test_unanswered_start_that_began_is_printing(elegoo):
    elegoo.driver.put(elegoo.file, NAME)
    boot = elegoo.driver.look().boot
    elegoo.machine.prints(NAME)

    assert follow(elegoo.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.PRINTING]


def test_start_without_an_answer_is_unclear(elegoo, monkeypatch):
    """The answer may be all that is lost: the connection is closed, which is another boot."""
    monkeypatch.setattr("agent.sdcp.ANSWER_TIME", 0.3)
    elegoo.driver.put(elegoo.file, NAME)
    boot = elegoo.driver.look().boot
    elegoo.machine.answers = False
    with pytest.raises(NoAnswer, match="does not answer the command 128"):
        elegoo.driver.start(NAME)
    elegoo.machine.answers = True

    assert follow(elegoo.driver, NAME, AttemptState.ARMED, boot) == [AttemptState.UNCLEAR]


# ---------------------------------------------------------------- files and commands


@pytest.mark.parametrize("size", [0, 10, PART, PART + 1, 2 * PART + 7])
def test_file_is_uploaded_in_parts(elegoo, size):
    content = bytes(range(256)) * (size // 256 + 1)
    elegoo.file.write_bytes(content[:size])
    elegoo.machine.lag = 2

    elegoo.driver.put(elegoo.file, NAME)

    assert elegoo.machine.files == {NAME: content[:size]}
    assert 128 not in elegoo.machine.commands


def test_print_is_neither_overwritten_nor_deleted(elegoo):
    elegoo.machine.prints(NAME)

    with pytest.raises(Rejected, match="is being printed"):
        elegoo.driver.put(elegoo.file, NAME)
    assert elegoo.driver.drop(NAME) is False
    assert 259 not in elegoo.machine.commands


def test_print_is_started_paused_resumed_and_stopped(elegoo):
    elegoo.driver.put(elegoo.file, NAME)
    elegoo.driver.start(NAME)
    assert elegoo.driver.look()[:2] == (MachineStatus.PRINTING, NAME)
    elegoo.driver.pause()
    assert elegoo.driver.look().doing is MachineStatus.PAUSED
    elegoo.driver.resume()
    assert elegoo.driver.look().doing is MachineStatus.PRINTING
    elegoo.driver.cancel()
    assert elegoo.driver.look().doing is MachineStatus.STOPPED


def test_start_of_a_file_that_is_gone_is_rejected(elegoo):
    with pytest.raises(Rejected, match="rejects the command 128: code 2"):
        elegoo.driver.start(NAME)


def test_print_that_was_started_by_hand_is_not_stopped_in_place_of_ours(elegoo):
    elegoo.machine.prints(NAME)
    elegoo.driver.look()
    elegoo.machine.prints(OTHER)

    with pytest.raises(NotSent, match="another print"):
        elegoo.driver.cancel()

    assert 130 not in elegoo.machine.commands


def test_objects_cannot_be_excluded(elegoo):
    assert elegoo.driver.skip(ObjectLabel("p_1_0", 0, "klipper")) is ExclusionResult.CANNOT


# ---------------------------------------------------------------- hostile printers


@pytest.mark.parametrize(
    "status",
    [
        {},
        {"CurrentStatus": {"a": 1}, "PrintInfo": [1]},
        {"CurrentStatus": [None, "x"], "PrintInfo": {"Status": {}, "Filename": 7}},
        {"CurrentStatus": [0], "PrintInfo": {"Status": True, "Filename": "/" * 100_000}},
    ],
)
def test_senseless_status_is_never_ready(elegoo, status, monkeypatch):
    monkeypatch.setattr("agent.sdcp.ANSWER_TIME", 0.3)
    elegoo.machine.status = lambda: {"Status": status, "MainboardID": "b"}

    seen = elegoo.driver.look()

    assert seen.doing not in READY
    assert len(seen.job or "") <= 200


def test_large_message_is_not_read(elegoo):
    elegoo.machine.attributes["Name"] = "x" * (1 << 19)

    assert elegoo.driver.look().doing is MachineStatus.OFFLINE


def test_deep_message_is_left_out(elegoo):
    elegoo.driver.look()
    for connection in elegoo.machine.connections:
        connection.send("[" * 100_000)
        connection.send(json.dumps([1]))

    assert elegoo.driver.look().doing is MachineStatus.IDLE


def test_address_outside_the_networks_is_not_reached(elegoo):
    with pytest.raises(AddressNotAllowed):
        elegoo_driver(elegoo.machine, elegoo.host, networks=()).identify()

"""Moonraker's driver: upload, start, deletion, commands, and its three errors."""

import pytest

from agent.http_client import HttpClient
from agent.moonraker import Moonraker
from machines.drivers import (
    ExclusionResult,
    MachineStatus,
    NoAnswer,
    NotSent,
    ObjectLabel,
    Rejected,
)
from machines.states import AttemptState
from tests.agent.conftest import HERE, hangs_up, says

NAME = "a-1.gcode"
PART = ObjectLabel("p_3_9f3a61c2", 2, "klipper")
CALLS = {
    "start": (NAME,),
    "drop": (NAME,),
    "past": (NAME,),
    "pause": (),
    "resume": (),
    "cancel": (),
    "skip": (PART,),
}


def driver_at(host) -> Moonraker:
    return Moonraker(HttpClient(host.address, {}, HERE))


# ---------------------------------------------------------------- upload, start, fence


def test_uploaded_file_is_listed_and_does_not_start(shop):
    shop.driver.put(shop.file, NAME)

    assert shop.machine.files == {NAME: b"G28\nG1 X10\n"}
    assert shop.machine.stats["state"] == "standby"


def test_upload_with_a_wrong_checksum_leaves_no_file(shop):
    shop.machine.damaged = True

    with pytest.raises(NoAnswer, match="did not arrive as it was sent"):
        shop.driver.put(shop.file, NAME)

    assert shop.machine.files == {}


def test_upload_under_the_name_that_prints_is_rejected(shop):
    shop.machine.prints(NAME)

    with pytest.raises(Rejected, match="403: Forbidden"):
        shop.driver.put(shop.file, NAME)


def test_second_start_is_rejected_while_a_print_runs(shop):
    shop.driver.put(shop.file, NAME)
    shop.driver.start(NAME)

    with pytest.raises(Rejected, match="400: SD busy"):
        shop.driver.start(NAME)

    assert shop.driver.look()[:2] == (MachineStatus.PRINTING, NAME)


def test_late_start_finds_no_file_after_the_fence(shop):
    shop.driver.put(shop.file, NAME)

    assert shop.driver.drop(NAME) is True
    assert shop.driver.drop(NAME) is True

    with pytest.raises(Rejected, match="400: Unable to open file"):
        shop.driver.start(NAME)


@pytest.mark.parametrize("state", ["printing", "paused"])
@pytest.mark.parametrize("subscribed", [True, False])
def test_file_that_prints_is_not_deleted(shop, state, subscribed):
    """Also if Moonraker has missed that it prints."""
    shop.machine.subscribed = subscribed
    shop.machine.files[NAME] = b"G28\n"
    shop.machine.prints(NAME)
    shop.machine.stats["state"] = state

    assert shop.driver.drop(NAME) is False
    assert NAME in shop.machine.files


@pytest.mark.parametrize(
    ("status", "end"),
    [
        ("completed", AttemptState.DONE),
        ("cancelled", AttemptState.STOPPED),
        ("error", AttemptState.FAILED),
        ("klippy_shutdown", AttemptState.FAILED),
        ("klippy_disconnect", AttemptState.FAILED),
        ("interrupted", AttemptState.UNCLEAR),
        ("in_progress", AttemptState.UNCLEAR),
        ("dreamt", AttemptState.UNCLEAR),
    ],
)
def test_past_state_is_read_from_the_history(shop, status, end):
    shop.machine.history = [
        {"filename": "theirs.gcode", "status": "completed"},
        {"filename": NAME, "status": status},
    ]

    assert shop.driver.past(NAME) is end
    assert shop.driver.past("b-1.gcode") is None


# ---------------------------------------------------------------- commands


def test_print_is_paused_resumed_and_cancelled(shop):
    shop.machine.prints(NAME)

    for call, state in (
        (shop.driver.pause, MachineStatus.PAUSED),
        (shop.driver.pause, MachineStatus.PAUSED),
        (shop.driver.resume, MachineStatus.PRINTING),
        (shop.driver.cancel, MachineStatus.STOPPED),
        (shop.driver.cancel, MachineStatus.STOPPED),
    ):
        call()
        assert shop.driver.look().doing is state


def test_unanswered_command_is_not_queued_twice(shop):
    shop.machine.prints(NAME)
    shop.machine.is_busy = True

    for call in (shop.driver.pause, shop.driver.pause, shop.driver.cancel, shop.driver.cancel):
        with pytest.raises(NoAnswer):
            call()

    sent = [line for line in shop.host.requests if line.startswith("POST")]
    assert sent == ["POST /printer/print/pause", "POST /printer/print/cancel"]


def test_object_is_excluded_once_klipper_lists_it(shop):
    shop.machine.prints(NAME)
    shop.machine.objects = ["P_1_0123ABCD", "P_3_9F3A61C2"]

    assert shop.driver.skip(PART) is ExclusionResult.DONE
    assert shop.driver.skip(PART) is ExclusionResult.DONE

    assert shop.machine.scripts == ["EXCLUDE_OBJECT NAME=P_3_9F3A61C2"]


def test_object_is_excluded_by_the_name_that_another_slicer_gave(shop):
    shop.machine.prints(NAME)
    shop.machine.objects = ["BRACKET.STL_ID_0_COPY_0", "BRACKET.STL_ID_0_COPY_1"]

    part = PART._replace(label="Bracket.stl_id_0_copy_1")
    assert shop.driver.skip(part) is ExclusionResult.DONE

    assert shop.machine.excluded == ["BRACKET.STL_ID_0_COPY_1"]
    assert shop.driver.skip(PART._replace(label="Other")) is ExclusionResult.CANNOT


def test_object_is_excluded_only_after_its_label_was_read(shop):
    shop.machine.prints(NAME)
    with pytest.raises(NoAnswer, match="has not read the object labels"):
        shop.driver.skip(PART)

    shop.machine.objects = ["P_3_9F3A61C2"]

    assert shop.driver.skip(PART) is ExclusionResult.DONE


@pytest.mark.parametrize(
    ("objects", "position", "firmware"),
    [(["P_1_0123ABCD"], 0, "klipper"), ([], 500, "klipper"), ([], 0, "marlin")],
)
def test_object_without_a_label_cannot_be_excluded(shop, objects, position, firmware):
    shop.machine.prints(NAME, position)
    shop.machine.objects = objects

    assert shop.driver.skip(PART._replace(firmware=firmware)) is ExclusionResult.CANNOT
    assert shop.machine.scripts == []


# ---------------------------------------------------------------- the three errors


@pytest.mark.parametrize("call", sorted(CALLS))
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (says(500), NoAnswer),
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


def test_error_has_the_message_and_no_traceback(shop):
    with pytest.raises(Rejected) as caught:
        shop.driver.start(NAME)

    assert str(caught.value) == "It answers with 400: Unable to open file"

"""OctoPrint's driver: what it makes of words, and its three errors."""

import json

import pytest

from agent.octoprint import OctoPrint
from machines.drivers import (
    ExclusionResult,
    MachineStatus,
    NoAnswer,
    NotSent,
    ObjectLabel,
    Rejected,
)
from machines.states import AttemptState
from tests.agent.conftest import hangs_up, says

CALLS = {
    "start": ("a.gcode",),
    "drop": ("a.gcode",),
    "past": ("a.gcode",),
    "pause": (),
    "resume": (),
    "cancel": (),
    "skip": (ObjectLabel("p_3_9f3a61c2", 2, "marlin"),),
}


def job(state: str, name: str | None = None, percent: float | None = None, **more) -> bytes:
    told = {"job": {"file": {"name": name}}, "progress": {"completion": percent}, "state": state}
    return json.dumps(told | more).encode()


@pytest.mark.parametrize(
    ("told", "doing", "shown"),
    [
        (job("Operational"), MachineStatus.IDLE, None),
        (job("Operational", "a.gcode", 100.0), MachineStatus.DONE, "a.gcode"),
        (job("Operational", "a.gcode", 0.0), MachineStatus.IDLE, None),
        (job("Printing", "a.gcode", 12.5), MachineStatus.PRINTING, "a.gcode"),
        (job("Printing from SD", "a.gcode", 12.5), MachineStatus.PRINTING, "a.gcode"),
        (job("Pausing", "a.gcode", 12.5), MachineStatus.PAUSED, "a.gcode"),
        (job("Cancelling", "a.gcode", 12.5), MachineStatus.STOPPING, "a.gcode"),
        (job("Offline after error", error="Heater"), MachineStatus.FAILED, None),
        (job("Offline"), MachineStatus.OFFLINE, None),
        (job("Detecting serial connection"), MachineStatus.BUSY, None),
        (job("Dreaming", "a.gcode", 100.0), MachineStatus.ATTENTION, "a.gcode"),
        (
            job("Printing", "../../etc/passwd" * 100, 1.0),
            MachineStatus.PRINTING,
            "../../etc/passwd" * 12,
        ),
        (b"{}", MachineStatus.ATTENTION, None),
        (b'{"state": 7, "job": [], "progress": "no"}', MachineStatus.ATTENTION, None),
        (b"nonsense", MachineStatus.OFFLINE, None),
    ],
)
def test_job_response_maps_to_status_and_unknown_state_needs_attention(host, told, doing, shown):
    seen = OctoPrint(host(says(200, told)).connection).look()

    assert seen.doing is doing
    assert (seen.job or "")[:192] == (shown or "")


@pytest.mark.parametrize("percent", [-1, 500, float("nan"), float("inf"), "much"])
def test_invalid_progress_is_ignored(host, percent):
    driver = OctoPrint(host(says(200, job("Printing", "a.gcode", percent))).connection)

    assert driver.look().progress is None


def test_wrong_api_key_is_reported_as_offline_with_a_hint(host):
    seen = OctoPrint(host(says(403)).connection).look()

    assert (seen.doing, seen.text) == (
        MachineStatus.OFFLINE,
        "It answers with 403: is the key right?",
    )


@pytest.mark.parametrize("call", sorted(CALLS))
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (says(500), NoAnswer),
        (hangs_up, NoAnswer),
        (says(403), Rejected),
        (says(302, Location="/"), Rejected),
    ],
)
def test_failed_call_raises_rejected_or_no_answer(host, call, answer, error):
    driver = OctoPrint(host(answer).connection)

    with pytest.raises(error):
        getattr(driver, call)(*CALLS[call])


@pytest.mark.parametrize("call", sorted(CALLS))
def test_call_to_stopped_server_raises_not_sent(host, call):
    there = host(says(204))
    there.server.shutdown()
    there.server.server_close()

    with pytest.raises(NotSent):
        getattr(OctoPrint(there.connection), call)(*CALLS[call])


def test_drop_returns_false_when_the_file_is_printing(host):
    assert OctoPrint(host(says(204)).connection).drop("a.gcode") is True
    assert OctoPrint(host(says(404)).connection).drop("a.gcode") is True
    assert OctoPrint(host(says(409)).connection).drop("a.gcode") is False


@pytest.mark.parametrize(
    ("answer", "end"),
    [
        (says(404), None),
        (says(200, b'{"prints": {"last": {"success": true}}}'), AttemptState.DONE),
        (says(200, b'{"prints": {"last": {"success": false}}}'), AttemptState.STOPPED),
        (says(200, b"{}"), None),
    ],
)
def test_past_state_is_read_from_the_print_history(host, answer, end):
    assert OctoPrint(host(answer).connection).past("a.gcode") is end


def test_boot_id_changes_after_the_host_was_offline(host):
    there = host(says(200, job("Operational")))
    driver = OctoPrint(there.connection)
    before = driver.look().boot
    assert driver.look().boot == before

    there.server.shutdown()
    there.server.server_close()
    assert driver.look().doing is MachineStatus.OFFLINE
    driver._http = host(says(200, job("Operational"))).connection

    assert driver.look().boot not in (None, before)


def test_upload_with_wrong_hash_raises_no_answer(host, tmp_path):
    file = tmp_path / "a"
    file.write_bytes(b"G28\n")

    def answer(handler):
        status = 201 if handler.command == "POST" else 200
        says(status, b'{"hash": "another"}')(handler)

    with pytest.raises(NoAnswer, match="did not arrive as it was sent"):
        OctoPrint(host(answer).connection).put(file, "a.gcode")


@pytest.mark.parametrize(
    ("firmware", "label", "line"),
    [
        ("marlin", "", "M486 P2"),
        ("reprapfirmware", "", "M486 P2"),
        ("klipper", "", "EXCLUDE_OBJECT NAME=p_3_9f3a61c2"),
        ("klipper", "Bracket.stl_id_0_copy_1", "EXCLUDE_OBJECT NAME=Bracket.stl_id_0_copy_1"),
    ],
)
def test_object_is_excluded_by_the_command_of_its_firmware(host, firmware, label, line):
    sent = []

    def answer(handler):
        sent.append(handler.rfile.read(int(handler.headers["Content-Length"])))
        handler.send_response(204)
        handler.end_headers()

    there = host(answer)

    assert (
        OctoPrint(there.connection).skip(ObjectLabel("p_3_9f3a61c2", 2, firmware, label))
        is ExclusionResult.ASKED
    )
    assert there.requests == ["POST /api/printer/command"]
    assert json.loads(sent[0]) == {"commands": [line]}

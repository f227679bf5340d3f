"""What the agent believes of the platform, keeps, and refuses to bring to a machine."""

import json
import stat

import pytest

from agent.platform_client import PlatformClient, _domain_of
from agent.state import Journal, Machine, StateDir
from agent.temperature_limits import check_line
from machines.controller import AttemptOrder
from machines.drivers import NoAnswer, Rejected
from machines.states import AttemptState
from tests.agent.conftest import says

MACHINE = Machine("http://erp.here/printer/1/", "octoprint", "http://10.0.0.1", "secret")


def work(**changed) -> bytes:
    order = {"name": "a-1.gcode", "printer": "p", "status": "sent", "boot": "b", "wanted": None}
    return json.dumps({"attempts": [order | changed], "next_seconds": 2}).encode()


def test_an_exchange_is_answered_with_orders(host):
    orders, rest = PlatformClient(host(says(200, work())).address).exchange([], [])

    assert orders == {"p": [AttemptOrder("a-1.gcode", AttemptState.SENT, "b")]}
    assert rest == 2.0


@pytest.mark.parametrize("name", ["../a.gcode", "a/b.gcode", "a", "A.gcode", "a.gcode\n", ".gcode"])
def test_a_name_that_could_be_a_path_is_refused(host, name):
    with pytest.raises(Rejected, match="is no name for a file"):
        PlatformClient(host(says(200, work(name=name))).address).exchange([], [])


@pytest.mark.parametrize("name", ["p_1_0000000", "p_1_00000000 M112", "p_1_00000000\n", "P_1"])
def test_a_name_that_could_be_a_command_is_refused(host, name):
    told = [{"name": name, "number": 0, "firmware": "klipper"}]
    with pytest.raises(Rejected, match="is no name of an object"):
        PlatformClient(host(says(200, work(skip=told))).address).exchange([], [])


@pytest.mark.parametrize(
    "body", [b"{}", b"[]", work(status="melted"), work(wanted=[1]), work(skip=[{}])]
)
def test_an_answer_that_makes_no_sense_is_no_answer(host, body):
    with pytest.raises(NoAnswer):
        PlatformClient(host(says(200, body)).address).exchange([], [])


def test_a_permit_is_given_or_not_and_else_nobody_knows(host):
    assert PlatformClient(host(says(200, b"{}")).address).permit("a.gcode") is True
    assert PlatformClient(host(says(409, b"{}")).address).permit("a.gcode") is False
    with pytest.raises(NoAnswer):
        PlatformClient(host(says(503)).address).permit("a.gcode")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"M104 S350", "nozzle to 350 degrees, and 300 is the most"),
        (b"N7 M109 R300.5 T0\n", "nozzle to 300.5"),
        (b"m190 s121 ; quick", "bed to 121"),
        (b"M104 S1.2.3", "is no temperature"),
    ],
)
def test_a_file_that_would_melt_the_machine_is_refused(line, words):
    with pytest.raises(Rejected, match=words):
        check_line(line, nozzle=300, bed=120)


@pytest.mark.parametrize("line", [b"M104 S300", b"M1040 S900", b"G1 X10 S900", b"; M104 S900", b""])
def test_other_lines_are_let_through(line):
    check_line(line, nozzle=300, bed=120)


def test_a_file_that_is_another_than_was_told_is_not_brought(host, tmp_path):
    def answer(handler):
        told = {"content": f"http://{handler.headers['Host']}/file", "sha256": "0" * 64, "size": 4}
        body = b"G28\n" if handler.path.startswith("/file") else json.dumps(told).encode()
        says(200, body)(handler)

    with pytest.raises(NoAnswer, match="did not come as it is"):
        PlatformClient(host(answer).address).fetch("a.gcode", tmp_path / "a", MACHINE)


@pytest.mark.parametrize("place", ["http://localhost:{port}", "http://127.0.0.2:{port}", "file:"])
def test_a_file_that_lies_elsewhere_is_not_fetched(host, tmp_path, place):
    shop = host(says(200, b"G28\n"))
    told = {"content": place.format(port=shop.server.server_port) + "/file", "sha256": "0" * 64}

    with pytest.raises(Rejected, match="which is not of 127.0.0.1"):
        office = PlatformClient(host(says(200, json.dumps(told).encode())).address)
        office.fetch("a.gcode", tmp_path / "a", MACHINE)

    assert shop.asked == []


def test_the_hosts_of_a_platform_share_its_domain():
    assert _domain_of("files.example.com") == _domain_of("ERP.example.com") == "example.com"
    assert _domain_of("10.0.0.1") == "10.0.0.1"


def test_what_is_kept_is_its_users_alone(tmp_path):
    folder = StateDir(tmp_path / "agent")
    folder.change(token="secret")
    folder.add(MACHINE)
    folder.add(MACHINE._replace(key="new"))

    assert [machine.key for machine in StateDir(tmp_path / "agent").machines] == ["new"]
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.path, *folder.path.iterdir())]
    assert modes == [0o700, 0o600]


def test_reports_survive_a_kill_in_the_middle_of_a_line(tmp_path):
    path = tmp_path / "reports.jsonl"
    journal = Journal(path)
    journal.add(name="a.gcode", status="printing")
    journal.add(name="a.gcode", status="done")
    with path.open("a") as file:
        file.write('{"name": "b.gc')

    again = Journal(path)
    assert [row["status"] for row in again.waiting(10)] == ["printing", "done"]
    again.taken(1)
    again.add(name="c.gcode", status="sent")
    assert [row["status"] for row in Journal(path).waiting(10)] == ["done", "sent"]


def test_a_folder_has_one_agent_and_a_place_that_outlives_it(tmp_path):
    folder, copy = StateDir(tmp_path / "a"), StateDir(tmp_path / "b")
    with folder.held(), pytest.raises(Rejected, match="already"), folder.held():
        pass
    with folder.held():
        pass

    assert folder.session == StateDir(tmp_path / "a").session
    assert folder.session != copy.session

"""What the agent believes of the platform, keeps, and refuses to bring to a machine."""

import json
import stat

import pytest

from agent.platform_client import PlatformClient, _domain_of
from agent.state import Journal, Machine, StateDir
from machines.controller import AttemptOrder
from machines.drivers import NoAnswer, Rejected
from machines.states import AttemptState
from tests.agent.conftest import says

MACHINE = Machine("http://erp.here/printer/1/", "octoprint", "http://10.0.0.1", "secret")


def work(**changed) -> bytes:
    order = {"name": "a-1.gcode", "printer": "p", "status": "sent", "boot": "b", "wanted": None}
    return json.dumps({"attempts": [order | changed], "next_seconds": 2}).encode()


def test_exchange_returns_orders_and_the_polling_interval(host):
    orders, rest, *_ = PlatformClient(host(says(200, work())).address).exchange([], [])

    assert orders == {"p": [AttemptOrder("a-1.gcode", AttemptState.SENT, "b")]}
    assert rest == 2.0


@pytest.mark.parametrize("name", ["../a.gcode", "a/b.gcode", "a", "A.gcode", "a.gcode\n", ".gcode"])
def test_file_name_with_path_characters_is_rejected(host, name):
    with pytest.raises(Rejected, match="is no name for a file"):
        PlatformClient(host(says(200, work(name=name))).address).exchange([], [])


@pytest.mark.parametrize("name", ["p_1_0000000", "p_1_00000000 M112", "p_1_00000000\n", "P_1"])
def test_object_name_with_command_characters_is_rejected(host, name):
    reject_part(host, name, None)


@pytest.mark.parametrize("label", ["a b", "a\nM112", "a;b", "Bügel", "a'", "a" * 101])
def test_label_with_command_characters_is_rejected(host, label):
    reject_part(host, "p_1_00000000", label)


def reject_part(host, name, label):
    parts = [{"name": name, "number": 0, "firmware": "klipper", "label": label}]
    with pytest.raises(Rejected, match="is no name of an object"):
        PlatformClient(host(says(200, work(skip=parts))).address).exchange([], [])


@pytest.mark.parametrize(
    "body", [b"{}", b"[]", work(status="melted"), work(wanted=[1]), work(skip=[{}])]
)
def test_invalid_exchange_response_raises_no_answer(host, body):
    with pytest.raises(NoAnswer):
        PlatformClient(host(says(200, body)).address).exchange([], [])


def test_permit_is_granted_or_denied_and_server_error_raises_no_answer(host):
    assert PlatformClient(host(says(200, b"{}")).address).permit("a.gcode") is True
    assert PlatformClient(host(says(409, b"{}")).address).permit("a.gcode") is False
    with pytest.raises(NoAnswer):
        PlatformClient(host(says(503)).address).permit("a.gcode")


def test_download_with_wrong_hash_raises_no_answer(host, tmp_path):
    def answer(handler):
        told = {"content": f"http://{handler.headers['Host']}/file", "sha256": "0" * 64, "size": 4}
        body = b"G28\n" if handler.path.startswith("/file") else json.dumps(told).encode()
        says(200, body)(handler)

    with pytest.raises(NoAnswer, match="did not come as it is"):
        PlatformClient(host(answer).address).fetch("a.gcode", tmp_path / "a", MACHINE)


@pytest.mark.parametrize("place", ["http://localhost:{port}", "http://127.0.0.2:{port}", "file:"])
def test_file_url_outside_the_platform_is_rejected_without_a_request(host, tmp_path, place):
    shop = host(says(200, b"G28\n"))
    told = {"content": place.format(port=shop.server.server_port) + "/file", "sha256": "0" * 64}

    with pytest.raises(Rejected, match="which is not of 127.0.0.1"):
        platform = PlatformClient(host(says(200, json.dumps(told).encode())).address)
        platform.fetch("a.gcode", tmp_path / "a", MACHINE)

    assert shop.requests == []


def test_hosts_of_a_platform_share_its_domain():
    assert _domain_of("files.example.com") == _domain_of("ERP.example.com") == "example.com"
    assert _domain_of("10.0.0.1") == "10.0.0.1"


def test_state_directory_and_files_are_private_to_their_user(tmp_path):
    folder = StateDir(tmp_path / "agent")
    folder.change(token="secret")
    folder.add(MACHINE)
    folder.add(MACHINE._replace(key="new"))

    assert [machine.key for machine in StateDir(tmp_path / "agent").machines] == ["new"]
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.path, *folder.path.iterdir())]
    assert modes == [0o700, 0o600]


def test_journal_is_read_after_a_partially_written_line(tmp_path):
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


def test_state_directory_allows_one_agent_and_keeps_its_session_id(tmp_path):
    folder, copy = StateDir(tmp_path / "a"), StateDir(tmp_path / "b")
    with folder.held(), pytest.raises(Rejected, match="already"), folder.held():
        pass
    with folder.held():
        pass

    assert folder.session == StateDir(tmp_path / "a").session
    assert folder.session != copy.session

"""Connection tests and searches that the platform orders: steps, results, machines that follow."""

import pytest

from agent.connection_tasks import ConnectionTasks
from agent.discovery import HostFinder
from agent.platform_client import ConnectionOrder, SearchOrder
from agent.state import Machine, StateDir
from tests.agent.conftest import HERE, says
from tests.agent.simulated_prusalink import KEY
from tests.waiting import wait_for

PRINTER = "http://erp.here/printer/1/"
STEPS = ["reach", "key", "kind", "printer", "upload", "delete"]


class Shop:
    """The tasks of an agent, and what follows from them."""

    def __init__(self, path):
        self.folder = StateDir(path / "agent")
        self.folder.change(networks=["127.0.0.0/8"])
        self.attached: list[Machine] = []
        self.finder = HostFinder(HERE)
        self.tasks = ConnectionTasks(self.folder, self.finder, self.attached.append, lambda: None)

    def test(self, address: str, key: str | None = KEY, id: str = "t1", driver="prusalink") -> dict:
        """The report of a test that has ended."""
        self.tasks.take([ConnectionOrder(id, PRINTER, driver, address, key)], None)
        return wait_for(lambda: self._ended(id))

    def _ended(self, id: str) -> dict | None:
        rows = [row for row in self.tasks.report().get("tests", ()) if row["id"] == id]
        return next((row for row in rows if row["state"] != "running"), None)


@pytest.fixture
def agent(tmp_path) -> Shop:
    return Shop(tmp_path)


def test_machine_is_stored_and_driven_after_all_steps_passed(agent, prusa):
    report = agent.test(prusa.host.address)

    title = "PrusaLink 2.1.2" if prusa.machine.is_firmware else "PrusaLink 0.8.1"
    assert (report["state"], report["host"]) == ("passed", title)
    assert [(row["step"], row["result"]) for row in report["steps"]] == [
        (step, "passed") for step in STEPS
    ]
    machine = Machine(PRINTER, "prusalink", prusa.host.address, KEY)
    assert (agent.folder.machines, agent.attached) == ([machine], [machine])
    assert (prusa.machine.files, KEY in str(report)) == ({}, False)


def test_test_is_done_once_however_often_it_is_ordered(agent, prusa):
    agent.test(prusa.host.address)
    count = len(prusa.host.requests)

    agent.test(prusa.host.address)

    assert len(prusa.host.requests) == count


def test_delivered_report_is_not_sent_again(agent, prusa):
    agent.test(prusa.host.address)
    report = agent.tasks.report()

    agent.tasks.delivered(report)

    assert "tests" not in agent.tasks.report()
    assert "hosts" not in agent.tasks.report()


def test_stored_key_is_used_for_its_own_address_only(agent, prusa, host):
    agent.test(prusa.host.address)
    other = host(says(200, b"{}"))

    again = agent.test(prusa.host.address, None, id="t2")
    elsewhere = agent.test(other.address, None, id="t3")

    assert again["state"] == "passed"
    assert elsewhere["steps"][-1]["problem"] == "key-missing"
    assert other.requests == []
    assert len(agent.attached) == 1


@pytest.mark.parametrize(
    ("driver", "key", "step", "problem"),
    [
        ("prusalink", "wrong", "key", "wrong-key"),
        ("moonraker", KEY, "kind", "other-kind"),
        ("creality", KEY, "kind", "outdated"),
    ],
)
def test_failed_step_has_a_reason_and_keeps_no_machine(agent, prusa, driver, key, step, problem):
    report = agent.test(prusa.host.address, key, driver=driver)

    assert report["state"] == "failed"
    assert (report["steps"][-1]["step"], report["steps"][-1]["problem"]) == (step, problem)
    assert (agent.folder.machines, agent.attached) == ([], [])


def test_full_storage_fails_the_upload(agent, prusa):
    prusa.machine.has_storage = False

    step = agent.test(prusa.host.address)["steps"][-1]

    assert (step["step"], step["problem"]) == ("upload", "upload-failed")
    assert "insert a USB drive" in step["text"]


def test_printing_machine_is_connected_without_an_upload(agent, prusa):
    prusa.machine.prints("theirs.gcode")

    report = agent.test(prusa.host.address)

    assert [row["result"] for row in report["steps"][-2:]] == ["skipped", "skipped"]
    assert report["state"] == "passed"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (says(200, b"<html>"), "no-host"),
        (says(200, b'{"text": "OctoPrint 1.3.0"}'), "outdated"),
        (says(200, b"x" * (2 << 20)), "not-reachable"),
    ],
)
def test_other_server_fails_with_its_reason(agent, host, answer, problem):
    report = agent.test(host(answer).address, driver="octoprint")

    assert report["steps"][-1]["problem"] == problem


def test_address_outside_the_networks_is_not_contacted(agent, prusa):
    agent.folder.change(networks=["10.0.0.0/8"])

    report = agent.test(prusa.host.address)

    assert report["steps"][-1]["problem"] == "not-allowed"
    assert prusa.host.requests == []


def test_search_is_done_once_and_its_hosts_are_reported(agent, prusa):
    order = SearchOrder("s1", prusa.host.address)

    agent.tasks.take([], order)
    agent.tasks.take([], order)

    def state() -> str:
        (row,) = agent.tasks.report()["searches"]
        return row["state"]

    wait_for(lambda: state() == "done")
    (row,) = agent.tasks.report()["hosts"]
    assert (row["driver"], row["address"], row["discovered_by"]) == (
        "prusalink",
        prusa.host.address,
        "search",
    )
    assert 0 <= row["ago"] < 60


def test_search_that_makes_no_sense_fails(agent):
    agent.tasks.take([], SearchOrder("s1", "8.8.8.8"))

    wait_for(lambda: agent.tasks.report()["searches"] == [{"id": "s1", "state": "failed"}])

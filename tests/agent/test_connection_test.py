"""Connection test: kind and version of a host, upload and deletion, and what to do on failure."""

import json

import pytest

from agent.__main__ import main
from agent.connection_test import check, identify, shown_address
from agent.http_client import HttpClient
from agent.platform_client import PlatformClient
from agent.runner import PrinterWorker, client_of, driver_of
from agent.state import Journal, Machine, StateDir
from machines.drivers import NotSent, Rejected
from tests.agent.conftest import HERE, says
from tests.agent.simulated_bambu import CODE
from tests.agent.simulated_prusalink import KEY, PASSWORD, USER
from tests.waiting import wait_for

PRINTER = "http://erp.here/printer/1/"


@pytest.fixture
def folder(tmp_path) -> StateDir:
    state = StateDir(tmp_path / "agent")
    state.change(networks=["127.0.0.0/8"])
    return state


def run(folder, *arguments: str) -> None:
    main(["--folder", str(folder.path), *arguments])


def test_prusalink_is_added_after_an_upload_that_is_deleted(prusa, folder, monkeypatch, capsys):
    monkeypatch.setenv("AGENT_KEY", f"{USER}:{PASSWORD}")

    run(folder, "add", PRINTER, prusa.host.address, "--driver", "prusalink")

    title = "PrusaLink 2.1.2" if prusa.machine.is_firmware else "PrusaLink 0.8.1"
    assert capsys.readouterr().out.startswith(f"{title} is connected.")
    sent = [line.split(" ")[0] for line in prusa.host.requests if "connection-test-" in line]
    assert {"PUT", "DELETE"} <= set(sent)
    assert (prusa.machine.files, list(folder.path.glob("connection-test-*"))) == ({}, [])
    assert [machine.driver for machine in folder.machines] == ["prusalink"]


def test_moonraker_is_identified_and_tested(shop, folder, capsys):
    folder.add(Machine(PRINTER, "moonraker", shop.host.address, shop.machine.key))

    run(folder, "test")

    assert capsys.readouterr().out == f"{PRINTER}: Moonraker v0.11.0-2 is connected.\n"
    assert shop.machine.files == {}


@pytest.mark.parametrize(
    ("text", "driver"), [("OctoPrint 1.11.8", "octoprint"), ("PrusaLink 0.8.1", "prusalink")]
)
def test_kind_and_version_are_those_of_the_version_page(host, text, driver):
    there = host(says(200, json.dumps({"text": text}).encode()))

    assert identify(HttpClient(there.address, {}, HERE)) == (driver, text)


def test_printing_machine_is_not_disturbed(prusa, folder, monkeypatch, capsys):
    prusa.machine.prints("theirs.gcode")
    folder.add(Machine(PRINTER, "prusalink", prusa.host.address, KEY))

    run(folder, "test", PRINTER)

    assert "is connected" in capsys.readouterr().out
    assert not [line for line in prusa.host.requests if line.startswith("PUT")]


@pytest.mark.parametrize(
    ("driver", "key", "message"),
    [
        ("prusalink", "wrong", "does not accept the key. At the printer: Settings, Network"),
        ("prusalink", f"{USER}:wrong", "does not accept the key. At the printer"),
        ("moonraker", KEY, "answers at this address, not Moonraker: choose the driver prusalink."),
    ],
)
def test_failed_test_says_what_to_do_and_keeps_no_machine(
    prusa, folder, monkeypatch, driver, key, message
):
    monkeypatch.setenv("AGENT_KEY", key)

    with pytest.raises(SystemExit, match=message):
        run(folder, "add", PRINTER, prusa.host.address, "--driver", driver)

    assert folder.machines == []


def test_unreachable_host_is_reported_with_a_question(prusa, folder, monkeypatch):
    monkeypatch.setenv("AGENT_KEY", KEY)
    prusa.host.server.shutdown()
    prusa.host.server.server_close()

    with pytest.raises(SystemExit, match="takes no connection.*Is the host on"):
        run(folder, "add", PRINTER, prusa.host.address, "--driver", "prusalink")


def test_upload_that_is_rejected_fails_the_test(prusa, folder, capsys):
    prusa.machine.has_storage = False
    folder.add(Machine(PRINTER, "prusalink", prusa.host.address, KEY))

    with pytest.raises(SystemExit):
        run(folder, "test")

    problem = "not uploaded, compared and deleted: The printer has no storage: insert a USB drive."
    assert problem in capsys.readouterr().out


@pytest.mark.parametrize("answer", [says(200, b"<html>"), says(404), says(200, b"{}")])
def test_other_server_is_no_host(host, answer):
    with pytest.raises(Rejected, match="none of OctoPrint, Moonraker and PrusaLink"):
        identify(HttpClient(host(answer).address, {}, HERE))


def test_address_is_reported_without_credentials():
    assert shown_address("http://me:secret@192.168.1.20:5000/x") == "http://192.168.1.20:5000"


def test_worker_reports_address_and_version_of_the_host(prusa, folder):
    machine = Machine(PRINTER, "prusalink", prusa.host.address, KEY)
    worker = PrinterWorker(
        machine,
        driver_of(machine, folder),
        PlatformClient("http://erp.here"),
        Journal(folder.path / "reports.jsonl"),
        folder,
        client_of(machine, folder),
    )
    assert "host" not in worker.sight

    worker.turn(lambda: None)
    worker.turn(lambda: None)

    title = "PrusaLink 2.1.2" if prusa.machine.is_firmware else "PrusaLink 0.8.1"
    assert (worker.sight["address"], worker.sight["host"]) == (prusa.host.address, title)
    assert len([line for line in prusa.host.requests if line.endswith("/api/version")]) == 1


def test_host_outside_the_networks_of_the_shop_is_not_contacted(prusa, folder):
    folder.change(networks=[])

    with pytest.raises(NotSent, match="none of the shop's networks"):
        identify(client_of(Machine(PRINTER, "prusalink", prusa.host.address, KEY), folder))


def test_bambu_lab_printer_is_added_with_its_certificates(bambu, folder, monkeypatch, capsys):
    monkeypatch.setenv("AGENT_KEY", CODE)
    monkeypatch.setattr(
        "agent.bambu.BambuPorts.__new__.__defaults__", (8883, bambu.machine.ftps.port, 9, 9)
    )
    address = f"http://127.0.0.1:{bambu.machine.port}"

    run(folder, "add", PRINTER, address, "--driver", "bambu")

    assert capsys.readouterr().out.startswith("Bambu Lab P1S 01.09.00.00 is connected.")
    assert bambu.machine.ftps.files == {}
    assert "STOR" in bambu.machine.ftps.commands
    (machine,) = folder.machines
    assert machine.certificates.startswith("ftps=")


def test_connection_is_closed_after_the_test(elegoo, tmp_path):
    client = HttpClient(elegoo.host.address, {}, HERE)

    check("elegoo", client, elegoo.driver, tmp_path)

    wait_for(lambda: not elegoo.machine.connections)
    assert elegoo.machine.files == {}


def test_bambu_lab_printer_without_developer_mode_is_not_added(bambu, folder, monkeypatch):
    monkeypatch.setenv("AGENT_KEY", CODE)
    monkeypatch.setattr(
        "agent.bambu.BambuPorts.__new__.__defaults__", (8883, bambu.machine.ftps.port, 9, 9)
    )
    bambu.machine.developer_mode = False
    address = f"http://127.0.0.1:{bambu.machine.port}"

    with pytest.raises(SystemExit, match="Switch on LAN Only Mode and Developer Mode"):
        run(folder, "add", PRINTER, address, "--driver", "bambu")

    assert folder.machines == []

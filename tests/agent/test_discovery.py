"""Discovery of hosts: real mDNS announcements on loopback, and searches of addresses."""

import json
import socket
import time

import pytest
from zeroconf import ServiceInfo, Zeroconf

from agent.bambu import BambuPorts
from agent.discovery import MAX_HOSTS, HostFinder, recognise
from agent.http_client import HttpClient
from agent.ssdp import Announcement, parse_announcement
from machines.connections import HostSource, parse_addresses
from machines.drivers import NotSent, Rejected
from tests.agent.conftest import HERE, says
from tests.agent.simulated_bambu import SERIAL
from tests.waiting import wait_for


@pytest.fixture
def network():
    """Announces services on loopback."""
    announcer = Zeroconf(interfaces=["127.0.0.1"])
    yield announcer
    announcer.close()


def announce(network, kind: str, name: str, address: str, **properties: str) -> None:
    port = int(address.rpartition(":")[2])
    network.register_service(
        ServiceInfo(
            f"_{kind}._tcp.local.",
            f"{name}._{kind}._tcp.local.",
            addresses=[socket.inet_aton("127.0.0.1")],
            port=port,
            properties=properties,
        )
    )


def answers(**paths: tuple[int, bytes]):
    """A host that answers each path by its first word, and 404 for any other."""

    def answer(handler):
        status, body = next(
            (value for name, value in paths.items() if handler.path.endswith(name)), (404, b"")
        )
        says(status, body)(handler)

    return answer


def test_announced_hosts_are_listed_with_kind_version_and_address(network, prusa, shop, host):
    octoprint = host(answers(version=(403, b""), probe=(204, b"")))
    finder = HostFinder(HERE, interfaces=["127.0.0.1"])
    announce(network, "octoprint", "Left", octoprint.address, version="1.11.8")
    announce(network, "moonraker", "Voron", shop.host.address)
    announce(network, "prusalink", "MK4", prusa.host.address)

    finder.start()
    wait_for(lambda: len(finder.hosts()) == 3)

    rows = {row.name: (row.driver, row.title, row.address) for row in finder.hosts()}
    assert rows == {
        "Left": ("octoprint", "OctoPrint 1.11.8", octoprint.address),
        "Voron": ("moonraker", "Moonraker", shop.host.address),
        "MK4": ("prusalink", "PrusaLink", prusa.host.address),
    }
    assert {row.discovered_by for row in finder.hosts()} == {HostSource.MDNS}


def test_announced_service_that_is_no_host_is_not_listed(network, shop, host):
    finder = HostFinder(HERE, interfaces=["127.0.0.1"])
    page = host(says(200, b"<html>")).address
    announce(network, "octoprint", "Page", page)
    announce(network, "moonraker", "Voron\u202e" + "x" * 40, shop.host.address)

    finder.start()
    wait_for(lambda: finder.hosts())

    (row,) = finder.hosts()
    assert row.name == "Voron" + "x" * 40


def test_search_lists_the_host_at_an_address(prusa):
    finder = HostFinder(HERE)

    finder.search(parse_addresses(prusa.host.address))

    (row,) = finder.hosts()
    assert (row.driver, row.address, row.discovered_by) == (
        "prusalink",
        prusa.host.address,
        HostSource.SEARCH,
    )


def test_search_outside_the_networks_of_the_shop_contacts_nothing(prusa):
    finder = HostFinder(())

    finder.search(parse_addresses(prusa.host.address))

    assert (finder.hosts(), prusa.host.requests) == ([], [])


def test_range_is_searched_in_parallel(prusa):
    port = prusa.host.address.rpartition(":")[2]
    finder = HostFinder(HERE)

    finder.search(parse_addresses(f"127.0.0.1-12:{port}"))

    assert [row.address for row in finder.hosts()] == [prusa.host.address]


def test_list_of_hosts_is_limited_to_fifty(host):
    there = host(says(200, json.dumps({"text": "OctoPrint 1.11.8"}).encode()))
    finder = HostFinder(HERE)
    port = there.address.rpartition(":")[2]
    (row,) = (finder.search(parse_addresses(f"127.0.0.1:{port}")), *finder.hosts())[1:]

    for number in range(80):
        finder._add(row._replace(address=f"http://10.0.0.{number}", at=time.monotonic()))

    assert len(finder.hosts()) == MAX_HOSTS
    assert finder.hosts()[0].address == "http://10.0.0.79"


@pytest.mark.parametrize("answer", [says(200, b"<html>"), says(401), says(403), says(500)])
def test_other_server_is_not_recognised(host, answer):
    with pytest.raises(Rejected):
        recognise(HttpClient(host(answer).address, {}, HERE))


def test_silent_address_is_left_after_its_timeout(host):
    with pytest.raises(NotSent):
        recognise(HttpClient("http://127.0.0.1:9", {}, HERE, timeout=0.5))


@pytest.mark.parametrize(
    ("text", "count", "port"),
    [
        ("192.168.1.20", 1, None),
        (" http://192.168.1.20:5000/ ", 1, 5000),
        ("192.168.1.10-40", 31, None),
        ("192.168.1.10-192.168.1.12:80", 3, 80),
        ("192.168.1.7/24", 254, None),
        ("10.0.0.0/31", 2, None),
        ("fd00::7", 1, None),
        ("[fd00::7]:5000", 1, 5000),
    ],
)
def test_addresses_of_a_search(text, count, port):
    search = parse_addresses(text)

    assert (len(search.addresses), search.port) == (count, port)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no address"),
        ("printer.local", "is no address"),
        ("192.168.1.300", "is no address"),
        ("192.168.1.40-10", "is no address"),
        ("192.168.1.1-٣", "is no address"),
        ("192.168.1.1:99999", "is no port"),
        ("192.168.1.1:٣", "is no port"),
        ("192.168.0.0/16", "more than 256"),
        ("fd00::/8", "more than 256"),
        ("192.168.1.1-192.168.4.1", "more than 256"),
        ("8.8.8.8", "not in a private network"),
        ("2001:4860::/128", "not in a private network"),
    ],
)
def test_addresses_that_are_not_searched(text, message):
    with pytest.raises(ValueError, match=message):
        parse_addresses(text)


def test_search_recognises_a_bambu_lab_printer_by_its_certificate(bambu):
    finder = HostFinder(HERE)

    finder.search(parse_addresses(f"127.0.0.1:{bambu.machine.port}"))

    (row,) = finder.hosts()
    assert (row.driver, row.title) == ("bambu", f"Bambu Lab {SERIAL}")
    assert bambu.machine.clients == []


def test_search_recognises_an_elegoo_printer(elegoo):
    finder = HostFinder(HERE)

    finder.search(parse_addresses(f"127.0.0.1:{elegoo.machine.port}"))

    (row,) = finder.hosts()
    assert (row.driver, row.title) == ("elegoo", "Elegoo Centauri Carbon V1.1.40")
    wait_for(lambda: not elegoo.machine.connections)


def notification(serial: str = SERIAL, **fields: str) -> bytes:
    """A packet as printers of Bambu Lab send it."""
    values = {
        "HOST": "239.255.255.250:1900",
        "Server": "UPnP/1.0",
        "Location": "192.168.1.7",
        "NT": "urn:bambulab-com:device:3dprinter:1",
        "USN": serial,
        "DevModel.bambu.com": "C12",
        "DevName.bambu.com": "Left",
        **fields,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in values.items())
    return f"NOTIFY * HTTP/1.1\r\n{lines}\r\n".encode()


def test_announced_printer_of_bambu_lab_is_listed_with_model_and_serial(bambu):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ports = BambuPorts(mqtt=bambu.machine.port)
    finder = HostFinder(HERE, ["127.0.0.1"], ssdp_port=port, bambu=ports)
    finder.start()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as printer:

        def seen() -> bool:
            for packet in (b"", b"\xff" * 9000, notification()):
                printer.sendto(packet, ("127.0.0.1", port))
            return bool(finder.hosts())

        wait_for(seen)

    (row,) = finder.hosts()
    assert row[:5] == ("bambu", f"Bambu Lab P1S {SERIAL}", "Left", "http://127.0.0.1", "ssdp")
    assert bambu.machine.clients == []


def test_announcement_of_another_serial_number_or_network_is_not_listed(bambu):
    ports = BambuPorts(mqtt=bambu.machine.port)
    finder = HostFinder(HERE, bambu=ports)
    finder._announce(notification("01S00C000000000"), "127.0.0.1")
    HostFinder([], bambu=ports)._announce(notification(), "127.0.0.1")

    assert finder.hosts() == []


def test_addresses_of_announcements_are_bounded(monkeypatch):
    tried = []
    monkeypatch.setattr("agent.discovery.MAX_ANNOUNCED", 3)
    monkeypatch.setattr("agent.bambu_link.recognise", lambda *more: tried.append(more[0]) or 1 / 0)
    finder = HostFinder(HERE)
    for number in (1, 1, 2, 3, 4, 5):
        try:
            finder._announce(notification(), f"10.0.0.{number}")
        except ZeroDivisionError:
            continue

    assert tried == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        (notification(), Announcement(SERIAL, "P1S", "Left")),
        (notification(**{"DevModel.bambu.com": "O9"}), Announcement(SERIAL, "O9", "Left")),
        (
            notification(**{"DevModel.bambu.com": "<b>", "DevName.bambu.com": "\u202eA" * 99}),
            Announcement(SERIAL, "", "A" * 60),
        ),
        (notification("../../etc"), None),
        (notification(NT="urn:other"), None),
        (notification().replace(b"NOTIFY", b"M-SEARCH"), None),
        (b"", None),
        (b"\xff\n" * 9999, None),
    ],
)
def test_announcements_are_parsed_and_bounded(packet, expected):
    assert parse_announcement(packet) == expected

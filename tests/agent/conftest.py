"""Hosts of all kinds, as real servers on this machine."""

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent.bambu import Bambu, BambuPorts
from agent.digest import DigestLogin
from agent.elegoo import Elegoo, ElegooPorts
from agent.http_client import HttpClient
from agent.moonraker import Moonraker
from agent.prusalink import PrusaLink
from agent.sockets import Network
from machines.controller import AttemptController, AttemptOrder, Look, Past, Tell
from machines.drivers import Driver
from machines.states import AttemptState
from tests.agent.simulated_bambu import CODE, SimulatedBambu
from tests.agent.simulated_elegoo import SimulatedElegoo
from tests.agent.simulated_moonraker import SimulatedMoonraker
from tests.agent.simulated_prusalink import PASSWORD, USER, SimulatedPrusaLink

HERE = (ip_network("127.0.0.0/8"),)


class Host:
    """A server that answers each request by `answer(handler)`."""

    def __init__(self, answer: Callable[[BaseHTTPRequestHandler], None]):
        received: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def handle_one(self) -> None:
                received.append(f"{self.command} {self.path}")
                answer(self)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

            def log_message(self, *words: object) -> None:
                """Say nothing."""

        self.requests = received
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def connection(self) -> HttpClient:
        return HttpClient(self.address, {}, HERE)


@pytest.fixture
def host() -> Iterator[Callable[..., Host]]:
    """`host(answer)`: a server, whose requests `answer` deals with."""
    made: list[Host] = []

    def start(answer: Callable[[BaseHTTPRequestHandler], None]) -> Host:
        made.append(Host(answer))
        return made[-1]

    yield start
    for one in made:
        one.server.shutdown()
        one.server.server_close()


class KlipperShop(NamedTuple):
    """A simulated Moonraker, the driver that speaks with it, and a file to print."""

    machine: SimulatedMoonraker
    driver: Moonraker
    file: Path
    host: Host


@pytest.fixture
def shop(host: Callable[..., Host], tmp_path: Path) -> KlipperShop:
    """A simulated Moonraker and its driver."""
    machine, file = SimulatedMoonraker(), tmp_path / "a"
    file.write_bytes(b"G28\nG1 X10\n")
    there = host(machine)
    client = HttpClient(there.address, {"X-Api-Key": machine.key}, HERE)
    return KlipperShop(machine, Moonraker(client), file, there)


class PrusaShop(NamedTuple):
    """A simulated PrusaLink, the driver that speaks with it, and a file to print."""

    machine: SimulatedPrusaLink
    driver: PrusaLink
    file: Path
    host: Host


@pytest.fixture(params=["pi", "firmware"])
def prusa(request: pytest.FixtureRequest, host: Callable[..., Host], tmp_path: Path) -> PrusaShop:
    """A simulated PrusaLink, of a Pi and of a firmware, and its driver."""
    machine, file = SimulatedPrusaLink(is_firmware=request.param == "firmware"), tmp_path / "a"
    file.write_bytes(b"G28\nG1 X10\n")
    there = host(machine)
    login = DigestLogin(USER, PASSWORD)
    return PrusaShop(machine, PrusaLink(HttpClient(there.address, {}, HERE, login)), file, there)


class BambuShop(NamedTuple):
    """A simulated Bambu Lab printer, the driver that speaks with it, and a file to print."""

    machine: SimulatedBambu
    driver: Bambu
    file: Path


@pytest.fixture
def bambu(tmp_path: Path) -> Iterator[BambuShop]:
    """A simulated Bambu Lab printer and its driver."""
    machine, file = SimulatedBambu(), tmp_path / "a"
    file.write_bytes(b"G28\nG1 X10\n; filament_type = PLA\n; filament_colour = #0000FF\n")
    yield BambuShop(machine, bambu_driver(machine), file)
    machine.close()


def bambu_driver(machine: SimulatedBambu, code: str = CODE, **more: Any) -> Bambu:
    """A driver for a simulated printer."""
    return Bambu("127.0.0.1", code, HERE, ports=BambuPorts(machine.port, machine.ftps.port), **more)


class ElegooShop(NamedTuple):
    """A simulated Elegoo printer, the driver that speaks with it, and a file to print."""

    machine: SimulatedElegoo
    driver: Elegoo
    file: Path
    host: Host


@pytest.fixture
def elegoo(host: Callable[..., Host], tmp_path: Path) -> Iterator[ElegooShop]:
    """A simulated Elegoo printer and its driver."""
    machine, file = SimulatedElegoo(), tmp_path / "a"
    file.write_bytes(b"G28\nG1 X10\n")
    uploads = host(machine)
    yield ElegooShop(machine, elegoo_driver(machine, uploads), file, uploads)
    machine.close()


def elegoo_driver(
    machine: SimulatedElegoo, uploads: Host, networks: Sequence[Network] = HERE
) -> Elegoo:
    """A driver for a simulated printer."""
    ports = ElegooPorts(machine.port, (uploads.server.server_port,))
    return Elegoo("127.0.0.1", networks, ports)


def follow(
    driver: Driver, name: str, state: AttemptState, boot: str | None = None
) -> list[AttemptState]:
    """What a turn of the agent reports of an attempt."""
    turn = AttemptController().turn(AttemptOrder(name, state, boot))
    reports, call = [], next(turn)
    try:
        while True:
            match call:
                case Look():
                    answer: object = driver.look()
                case Past(name):
                    answer = driver.past(name)
                case Tell():
                    reports.append(call.state)
                    answer = None
                case _:
                    answer = driver.drop(call.name)
            call = turn.send(answer)
    except StopIteration:
        return reports


def says(status: int, body: bytes = b"", **headers: str) -> Callable:
    """Answers everything with this."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    """Takes the request, and says nothing."""
    handler.connection.shutdown(socket.SHUT_RDWR)

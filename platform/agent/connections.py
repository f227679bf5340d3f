"""Drivers by name, and the HTTP clients of machines."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from agent.bambu import Bambu, BambuPorts
from agent.camera import fetch
from agent.certificates import CertificatePins
from agent.digest import DigestLogin
from agent.elegoo import Elegoo, ElegooPorts
from agent.http_client import HttpClient
from agent.moonraker import Moonraker
from agent.octoprint import OctoPrint
from agent.prusalink import PrusaLink
from agent.state import Machine, StateDir
from machines.drivers import Driver

_LOGINS = ("prusalink",)  # drivers of hosts that take `user:password` beside an API key


class CameraSource(NamedTuple):
    """What takes pictures of a machine.

    take    : returns a picture, None without a camera
    release : frees what the machine reserves for its camera, until the next picture
    """

    take: Callable[[], bytes | None]
    release: Callable[[], None] = lambda: None


def driver_of(machine: Machine, folder: StateDir) -> Driver:
    """Return the driver of a machine."""
    return DRIVERS[machine.driver](machine, folder)


def client_of(machine: Machine, folder: StateDir) -> HttpClient:
    """Return the HTTP client of a machine's host, with its key."""
    user, colon, password = machine.key.partition(":")
    login = DigestLogin(user, password) if colon and machine.driver in _LOGINS else None
    headers = {"X-Api-Key": machine.key} if machine.key and login is None else {}
    return HttpClient(machine.address, headers, folder.networks, login)


def tested_machine(machine: Machine, driver: Driver) -> Machine:
    """Return a machine as it is stored after a test: with the certificates of its host."""
    if isinstance(driver, Bambu):
        return machine._replace(certificates=driver.pins.text)
    return machine


def camera_of(machine: Machine, folder: StateDir) -> CameraSource:
    """Return what takes pictures of a machine: the URL that the shop has named, or its host."""
    if machine.camera:
        return CameraSource(partial(fetch, client_of(machine, folder), machine.camera))
    driver = driver_of(machine, folder)
    if isinstance(driver, Elegoo):
        return CameraSource(driver.camera, driver.release_camera)
    return CameraSource(driver.camera)


def _over_http(kind: Callable[[HttpClient], Driver]) -> Callable[[Machine, StateDir], Driver]:
    return lambda machine, folder: kind(client_of(machine, folder))


def _bambu(machine: Machine, folder: StateDir) -> Driver:
    """Return the driver for the host of an address, whose port would be that of MQTT."""
    parts = urlsplit(machine.address)
    ports = BambuPorts(mqtt=parts.port) if parts.port else BambuPorts()
    pins = CertificatePins(machine.certificates)
    return Bambu(parts.hostname or "", machine.key, folder.networks, pins, ports)


def _elegoo(machine: Machine, folder: StateDir) -> Driver:
    """Return the driver for the host of an address, whose port would be that of SDCP."""
    parts = urlsplit(machine.address)
    ports = ElegooPorts(parts.port, (80, parts.port)) if parts.port else ElegooPorts()
    return Elegoo(parts.hostname or "", folder.networks, ports)


DRIVERS: dict[str, Callable[[Machine, StateDir], Driver]] = {
    "octoprint": _over_http(OctoPrint),
    "moonraker": _over_http(Moonraker),
    "prusalink": _over_http(PrusaLink),
    "bambu": _bambu,
    "elegoo": _elegoo,
}

"""Drivers by name, and the HTTP clients of machines."""

from collections.abc import Callable
from functools import partial

from agent.camera import fetch
from agent.digest import DigestLogin
from agent.http_client import HttpClient
from agent.moonraker import Moonraker
from agent.octoprint import OctoPrint
from agent.prusalink import PrusaLink
from agent.state import Machine, StateDir
from machines.drivers import Driver

DRIVERS: dict[str, Callable[[HttpClient], Driver]] = {
    "octoprint": OctoPrint,
    "moonraker": Moonraker,
    "prusalink": PrusaLink,
}
_LOGINS = ("prusalink",)  # drivers of hosts that take `user:password` beside an API key


def driver_of(machine: Machine, folder: StateDir) -> Driver:
    """Return the driver of a machine."""
    return DRIVERS[machine.driver](client_of(machine, folder))


def client_of(machine: Machine, folder: StateDir) -> HttpClient:
    """Return the HTTP client of a machine's host, with its key."""
    user, colon, password = machine.key.partition(":")
    login = DigestLogin(user, password) if colon and machine.driver in _LOGINS else None
    headers = {"X-Api-Key": machine.key} if machine.key and login is None else {}
    return HttpClient(machine.address, headers, folder.networks, login)


def camera_of(machine: Machine, folder: StateDir) -> Callable[[], bytes | None]:
    """Return what takes pictures of a machine: the URL that the shop has named, or its host."""
    if machine.camera:
        return partial(fetch, client_of(machine, folder), machine.camera)
    return driver_of(machine, folder).camera

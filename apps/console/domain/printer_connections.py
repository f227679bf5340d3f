"""Connections of printers: kinds of hosts, state of a connection, next step."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.model_report import BAD, CARE, GOOD
from apps.console.domain.production_status import State

if TYPE_CHECKING:
    from manufacturing.generated.erp import Agent, Printer

MANUAL = "manual"


class HostKind(NamedTuple):
    """A kind of program that answers for a printer.

    address : an example; key: where its key is found
    """

    title: str | Promise
    address: str
    key: str | Promise


KINDS = {
    "octoprint": HostKind(
        _("OctoPrint"),
        "http://192.168.1.20:5000",
        _("In OctoPrint: Settings, Application Keys. Enter a name and generate the key."),
    ),
    "moonraker": HostKind(
        _("Klipper (Moonraker)"),
        "http://192.168.1.20:7125",
        _(
            "In Mainsail: Settings, API keys. In Fluidd: Settings, Authentication, API key. "
            "Leave it empty if Moonraker trusts the agent's computer."
        ),
    ),
    "prusalink": HostKind(
        _("PrusaLink"),
        "http://192.168.1.20",
        _(
            "At the printer: Settings, Network, PrusaLink shows user and password. "
            "Type both as user:password. With PrusaLink on a Raspberry Pi, the API key of its "
            "settings works, too."
        ),
    ),
}
# What the test on the agent's computer may say, and what to do then.
FAILURES = [
    (
        _("The host does not accept the key"),
        _("Copy the key again. A user and a password are typed as user:password."),
    ),
    (
        _("The host takes no connection, or is not found"),
        _("Check the address and the port, and that printer and agent are in the same network."),
    ),
    (
        _("The address is in none of the shop's networks"),
        _("Add its network to networks in agent.json on the agent's computer."),
    ),
    (
        _("Another kind of host answers"),
        _("Choose the kind that the message names, and repeat the command."),
    ),
    (
        _("The test file was not uploaded, compared and deleted"),
        _("Insert a USB drive, or free storage at the host."),
    ),
]


class Connection(NamedTuple):
    """The state of a printer's connection, and the next step; empty where there is none."""

    state: State
    next: str | Promise = ""


def connection_of(printer: Printer, agent: Agent | None) -> Connection:
    """Return how a printer is connected.

    agent : of the printer
    """
    if printer["driver"] is None:
        return Connection(State(CARE, _("Not connected")), _("Choose how it is connected."))
    if printer["driver"] == MANUAL:
        return Connection(State(GOOD, _("Operated by hand")))
    if agent is None:
        return Connection(State(BAD, _("No agent")), _("Choose the agent that reaches it."))
    if agent["status"] == "never-seen":
        return Connection(State(CARE, _("Agent not paired")), _("Pair the agent on its computer."))
    if agent["status"] == "offline":
        return Connection(State(BAD, _("Agent offline")), _("Start the agent, or its computer."))
    machine = printer["machine"]
    if machine is None:
        return Connection(
            State(CARE, _("Not added")), _("Add the printer on the agent's computer.")
        )
    if machine["state"] == "offline":
        return Connection(
            State(BAD, _("Printer offline")),
            machine["text"] or _("Switch the printer on, and check address and key."),
        )
    return Connection(State(GOOD, _("Connected")))


def pair_command(platform: str, code: str) -> str:
    """Return what pairs an agent with the platform, whose API is at an address."""
    return shlex.join(["manufacturing-agent", "pair", platform, code])


def add_command(printer: Printer, address: str) -> str:
    """Return what adds a printer at an agent, and tests its connection."""
    driver = str(printer["driver"])
    where = address or KINDS[driver].address
    return shlex.join(["manufacturing-agent", "add", printer["uri"], where, "--driver", driver])

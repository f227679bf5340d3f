"""Connections of printers: kinds of hosts, state of a connection, next step, test."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.model_report import BAD, CARE, GOOD, WAIT
from apps.console.domain.production_status import State
from apps.console.domain.value_labels import value_label

if TYPE_CHECKING:
    from manufacturing.generated.erp import Agent, ConnectionTest, Printer

MANUAL = "manual"


class HostKind(NamedTuple):
    """A kind of program that answers for a printer.

    address : an example; key: where its key is found
    menu    : the entries of its settings that lead there; value: what the key looks like; both
              empty where there is none
    notes   : what has to be set up before; is_experimental: not tried with a printer yet
    """

    title: str | Promise
    address: str
    key: str | Promise
    menu: tuple[str, str]
    value: str
    notes: str | Promise = ""
    is_experimental: bool = False


KINDS = {
    "octoprint": HostKind(
        _("OctoPrint"),
        "http://192.168.1.20:5000",
        _("In OctoPrint: Settings, Application Keys. Enter a name and generate the key."),
        ("Settings", "Application Keys"),
        "4D6C1F0B…",
    ),
    "moonraker": HostKind(
        _("Klipper (Moonraker)"),
        "http://192.168.1.20:7125",
        _(
            "In Mainsail: Settings, API keys. In Fluidd: Settings, Authentication, API key. "
            "Leave it empty if Moonraker trusts the agent's computer."
        ),
        ("Settings", "API Keys"),
        "9f3a61c2…",
    ),
    "prusalink": HostKind(
        _("PrusaLink"),
        "http://192.168.1.20",
        _(
            "At the printer: Settings, Network, PrusaLink shows user and password. "
            "Type both as user:password. With PrusaLink on a Raspberry Pi, the API key of its "
            "settings works, too."
        ),
        ("Network", "PrusaLink"),
        "maker:Xk3p…",
    ),
    "bambu": HostKind(
        _("Bambu Lab"),
        "http://192.168.1.20",
        _("At the printer: Settings, LAN Only shows the access code of eight characters."),
        ("Settings", "LAN Only"),
        "1a2b3c4d",
        _(
            "Switch on LAN Only Mode and, on the same page, Developer Mode. Without both the "
            "printer reports its state and rejects every print. The access code changes with them. "
            "Close other programs that control the printer: some models serve one only."
        ),
        is_experimental=True,
    ),
    "elegoo": HostKind(
        _("Elegoo (Centauri Carbon)"),
        "http://192.168.1.20",
        _("The printer has no key: leave the field empty."),
        ("", ""),
        "",
        _(
            "Every program that reaches the printer in the network can control it. Resin printers "
            "are not supported."
        ),
        is_experimental=True,
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
            State(CARE, _("Not added")), _("Enter address and key, and test the connection.")
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


# ---------------------------------------------------------------- test of a connection

STEPS = {
    "reach": _("Reach the host"),
    "key": _("Check the key"),
    "kind": _("Check kind and version"),
    "printer": _("Ask for the state of the printer"),
    "upload": _("Upload a small file and compare it"),
    "delete": _("Delete the file"),
}
# What to do about a failed step.
ADVICE = {
    "not-reachable": _(
        "The host does not answer. Check that it is on, the address and the port, and that printer "
        "and agent are in the same network."
    ),
    "not-allowed": _(
        "The agent does not connect to this network. Add it to networks in agent.json on the "
        "agent's computer."
    ),
    "wrong-key": _("The host does not accept the key. Copy it again."),
    "commands-off": _(
        "The printer does not take commands. Switch on LAN Only Mode and Developer Mode at its "
        "display, then enter the access code again."
    ),
    "key-missing": _("The agent has no key for this address. Enter the key."),
    "no-host": _(
        "What answers at this address is no host of a kind that the agent can control. Check "
        "address and port."
    ),
    "other-kind": _("Another kind of host answers at this address. Choose its kind above."),
    "outdated": _("The program is too old. Update it and repeat the test."),
    "printer-offline": _(
        "The host answers, and its printer is off or not connected. Switch the printer on."
    ),
    "upload-failed": _(
        "The host did not store the test file. Insert a USB drive, or free storage at the host."
    ),
    "delete-failed": _("The test file was stored and not deleted. Delete it at the host."),
    "agent-silent": _(
        "The agent did not report a result. Check that it runs, then repeat the test."
    ),
    "agent-failed": _("The agent failed. Its log on its computer has the reason."),
}
TEST_STATES = {
    "waiting": State(WAIT, _("Waiting for the agent")),
    "running": State(WAIT, _("Test is running")),
    "passed": State(GOOD, _("Test passed")),
    "failed": State(BAD, _("Test failed")),
}


class ShownStep(NamedTuple):
    """A step of a connection test as pages show it; result: passed, failed, skipped or waiting."""

    label: str | Promise
    result: str
    text: str | Promise = ""
    advice: str | Promise = ""


def steps_of(test: ConnectionTest) -> list[ShownStep]:
    """Return all steps of a test; those that a failure left out have no result."""
    done = {row["step"]: row for row in test["steps"]}
    return [
        ShownStep(label, "waiting")
        if (row := done.get(step)) is None
        else ShownStep(
            label,
            row["result"],
            value_label(row["text"]) if step == "printer" and not row["problem"] else row["text"],
            ADVICE.get(row["problem"] or "", ""),
        )
        for step, label in STEPS.items()
    ]

"""Connection tests and searches for hosts: ordered by people, carried out by agents."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, TypeAlias
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from apps.callbacks import interface as callbacks
from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.models.agents import Agent
from apps.erp.printing.models.connection_tests import LIFETIME, ConnectionTest, sealed
from apps.erp.production.domain.attempts import AttemptOpen
from apps.erp.production.models.attempts import Attempt
from core.errors import Conflict, NotFound, ServiceError
from core.keys import uuid7
from machines.connections import SearchRange, parse_addresses

MAX_TESTS = 20  # that an agent takes at once
SEARCH_LIFETIME = timedelta(minutes=5)
State = ConnectionTest.State
Report: TypeAlias = Mapping[str, Any]  # a validated part of an exchange


class NotConnected(Conflict):
    """The printer has no agent that could test it."""

    code = "no-machine"


class AgentOffline(Conflict):
    """The agent is not there to do it."""

    code = "agent-offline"


class AgentOutdated(Conflict):
    """The program of the agent is of a version that cannot do it."""

    code = "agent-outdated"


class AddressMissing(ServiceError):
    """The printer has no address yet."""

    code = "missing-parameter"


class InvalidAddress(ServiceError):
    """The address or range cannot be searched."""

    code = "invalid-addresses"


# ---------------------------------------------------------------- ordered by people


@transaction.atomic
def start_test(*, printer: Printer, address: str = "", key: str | None = None) -> ConnectionTest:
    """Have the agent of a printer test its connection, and drive it if all steps pass.

    address : of the host; empty: where the machine is now, or where it was tested last
    key     : of the host; None: the one that the agent has for this address

    Raises NotConnected, AgentOffline, AgentOutdated, AttemptOpen and AddressMissing.
    """
    agent = printer.agent if printer.driven else None
    if agent is None:
        raise NotConnected("The printer has no agent: set its driver and its agent first.")
    _require_able(agent)
    last = ConnectionTest.objects.filter(printer=printer, agent=agent).first()
    present = agent.sees(printer).get("address") or (last.address if last else "")
    if not address and not present:
        raise AddressMissing("Send the address of the host.", field="address")
    attempt = Attempt.objects.filter(printer=printer, status__in=Attempt.OPEN).first()
    if attempt is not None and (address or key is not None):
        raise AttemptOpen(
            f"The attempt {attempt.uri} is {attempt.status}: change the connection after it.",
            details={"attempt": attempt.uri},
        )
    test, _ = ConnectionTest.objects.update_or_create(
        printer=printer,
        defaults={
            "uuid": uuid7(),
            "agent": agent,
            "driver": printer.driver or "",
            "address": address or present,
            "sealed_key": None if key is None else sealed(key),
            "state": State.WAITING,
            "steps": [],
            "host": "",
            "created": timezone.now(),
            "ended": None,
        },
    )
    callbacks.ring_streams(agent.location_id)
    return test


def test_of(printer: Printer) -> ConnectionTest:
    """Return the last connection test of a printer. Raises NotFound before the first one."""
    test = ConnectionTest.objects.filter(printer=printer).select_related("printer").first()
    if test is None:
        raise NotFound("The connection of this printer was not tested yet.")
    return test


@transaction.atomic
def start_search(*, agent: Agent, addresses: str) -> Agent:
    """Have an agent search addresses of its network for hosts.

    Raises AgentOffline, AgentOutdated, and InvalidAddress for what cannot be searched.
    """
    _require_able(agent)
    _parsed(addresses)
    now = timezone.now()
    agent.search = {
        "id": str(uuid7()),
        "addresses": addresses.strip(),
        "state": "waiting",
        "requested": now.isoformat(),
    }
    agent.save(update_fields=["search", "updated"])
    callbacks.ring_streams(agent.location_id)
    return agent


def _parsed(addresses: str) -> SearchRange:
    try:
        return parse_addresses(addresses)
    except ValueError as error:
        raise InvalidAddress(str(error), field="addresses") from error


def _require_able(agent: Agent) -> None:
    if not agent.online:
        raise AgentOffline(f"{agent.name} is offline: start it, or its computer.")
    if agent.hosts is None:
        raise AgentOutdated(
            f"{agent.name} runs version {agent.version or 'unknown'} of the agent program, which "
            "tests no connections for the console: update it, or type its commands there."
        )


# ---------------------------------------------------------------- carried out by agents


def pending_tests(agent: Agent) -> list[ConnectionTest]:
    """Return the tests that an agent has not taken yet, the oldest first."""
    oldest = timezone.now() - LIFETIME
    rows = ConnectionTest.objects.filter(agent=agent, state=State.WAITING, created__gt=oldest)
    return list(rows.select_related("printer").order_by("created")[:MAX_TESTS])


def pending_search(agent: Agent) -> Mapping[str, str] | None:
    """Return the search that an agent has to do; None without one."""
    search = agent.search
    return search if search and search_state(search) == "waiting" else None


def search_state(search: Mapping[str, str]) -> str:
    """Return waiting, running, done or failed; a search without an end has failed after a while."""
    requested = parse_datetime(search["requested"])
    is_over = requested is None or timezone.now() - requested > SEARCH_LIFETIME
    return "failed" if is_over and search["state"] in ("waiting", "running") else search["state"]


def take_reports(
    agent: Agent,
    *,
    hosts: list[Report] | None = None,
    tests: Iterable[Report] = (),
    searches: Iterable[Report] = (),
) -> None:
    """Store what an agent reports of hosts, tests and searches.

    hosts : {driver, host, name, address, source, ago}; None: as before
    """
    now = timezone.now()
    if hosts is not None:
        agent.hosts = [
            {
                **{name: value for name, value in row.items() if name != "ago"},
                "seen": (now - timedelta(seconds=row["ago"])).isoformat(),
            }
            for row in hosts
        ]
        Agent.objects.filter(pk=agent.pk).update(hosts=agent.hosts)
    for row in searches:
        _take_search(agent, row["id"], row["state"])
    for row in tests:
        _take_test(agent, row)


def _take_search(agent: Agent, key: UUID, state: str) -> None:
    search = agent.search
    if search and search["id"] == str(key) and search["state"] != state:
        agent.search = {**search, "state": state}
        Agent.objects.filter(pk=agent.pk, search__id=str(key)).update(search=agent.search)


def _take_test(agent: Agent, row: Report) -> None:
    """Store the steps of a test; the key is deleted, since the agent has it."""
    is_over = row["state"] not in ConnectionTest.OPEN
    rows = ConnectionTest.objects.filter(agent=agent, uuid=row["id"], state__in=ConnectionTest.OPEN)
    rows.update(
        state=row["state"],
        steps=row["steps"],
        host=row["host"],
        sealed_key=None,
        ended=timezone.now() if is_over else None,
    )

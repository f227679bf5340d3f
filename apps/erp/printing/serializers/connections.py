"""Connection tests, searches and discovered hosts as JSON and back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, TypedDict
from urllib.parse import urlsplit

from django.core.validators import MaxValueValidator, MinValueValidator
from rest_framework import serializers

from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.models.agents import Agent
from apps.erp.printing.models.connection_tests import ConnectionTest
from apps.erp.printing.services.connections import search_state
from core.api.fields import Choice, Number, StrictSerializer, StrictText, UrlText
from core.api.openapi.response_types import Uri
from machines.connections import (
    MAX_HOSTS,
    MAX_TEXT,
    HostSource,
    StepResult,
    TestProblem,
    TestStep,
)

DRIVERS = [each.value for each in Printer.Machine if each is not Printer.Machine.MANUAL]
SEARCH_STATES = ("waiting", "running", "done", "failed")
MAX_ADDRESS, MAX_KEY, MAX_STEP_TEXT = 200, 200, 500
MAX_STEPS, MAX_TESTS = 20, 50
MAX_AGO = 24 * 3600  # s


def check_address(address: str) -> None:
    """Raise ValidationError for what is not the address of a host, or has credentials."""
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or "@" in address or not address.isprintable() or " " in address:
        text = "Send an address such as http://192.168.1.20, without user and password."
        raise serializers.ValidationError(text, code="invalid")


# ---------------------------------------------------------------- for people


class ConnectionTestSerializer(StrictSerializer):
    """A connection test of a printer."""

    address = UrlText(
        max_length=MAX_ADDRESS,
        required=False,
        validators=[check_address],
        help_text="Address of the host in the network of the agent; default: the present one.",
    )
    key = StrictText(
        max_length=MAX_KEY,
        required=False,
        allow_blank=True,
        allow_null=True,
        write_only=True,
        help_text="Key of the host, passed on to the agent only; default: the stored one.",
    )


class TestStepAnswer(TypedDict):
    """A step of a connection test."""

    step: Annotated[Literal["reach", "key", "kind", "printer", "upload", "delete"], "Test step."]
    result: Annotated[Literal["passed", "failed", "skipped"], "Result of the step."]
    text: Annotated[str, "Version, state or error message, as the agent reported it."]
    problem: Annotated[str | None, "Code of the reason of a failure; null otherwise."]


class ConnectionTestAnswer(TypedDict):
    """The last connection test of a printer."""

    printer: Uri
    driver: str
    address: Annotated[str, "Address of the tested host."]
    state: Annotated[str, "State of the test: waiting, running, passed or failed."]
    steps: Annotated[
        list[TestStepAnswer], "Steps done so far; the last one tells why a test failed."
    ]
    host: Annotated[str | None, "Name and version of the host's program, as PrusaLink 0.8.1."]
    created: datetime
    ended: Annotated[datetime | None, "End of the test; null until then."]


def connection_test_resource(test: ConnectionTest) -> ConnectionTestAnswer:
    """Return a connection test as JSON."""
    return {
        "printer": test.printer.uri,
        "driver": test.driver,
        "address": test.address,
        "state": test.state,
        "steps": test.steps,
        "host": test.host or None,
        "created": test.created,
        "ended": test.ended,
    }


class SearchSerializer(StrictSerializer):
    """A search for hosts."""

    addresses = StrictText(
        max_length=100,
        help_text="Private addresses: 192.168.1.20, 192.168.1.10-40 or 192.168.1.0/24.",
    )


class SearchAnswer(TypedDict):
    """A search for hosts."""

    addresses: Annotated[str, "Addresses of the search."]
    state: Annotated[str, "State of the search: waiting, running, done or failed."]
    requested: Annotated[datetime, "Time of the request."]


class HostAnswer(TypedDict):
    """A host in the network of an agent."""

    driver: Annotated[str, "Driver that controls this kind of host."]
    host: Annotated[str, "Name of the host's program, with its version if it reports one."]
    name: Annotated[str | None, "Name by which the host announces itself; null without one."]
    address: Annotated[str, "Address of the host."]
    discovered_by: Annotated[
        str,
        Literal[*(source.value for source in HostSource)],
        "Discovered by mDNS, by SSDP (Bambu Lab), or by a search.",
    ]
    seen: Annotated[datetime, "Last time at which the host answered."]


class HostsAnswer(TypedDict):
    """Hosts in the network of an agent."""

    supported: Annotated[bool, "Whether the agent program discovers hosts and tests connections."]
    search: Annotated[SearchAnswer | None, "Last search; null before the first one."]
    hosts: Annotated[list[HostAnswer], "Discovered hosts, the last one to answer first."]


def hosts_resource(agent: Agent) -> HostsAnswer:
    """Return what an agent discovered, as JSON."""
    search: SearchAnswer | None = None
    if agent.search:
        search = {
            "addresses": agent.search["addresses"],
            "state": search_state(agent.search),
            "requested": agent.search["requested"],
        }
    return {
        "supported": agent.hosts is not None,
        "search": search,
        "hosts": [_host(row) for row in agent.hosts or ()],
    }


def _host(row: Mapping[str, str]) -> HostAnswer:
    return {
        "driver": row["driver"],
        "host": row["host"],
        "name": row["name"] or None,
        "address": row["address"],
        "discovered_by": HostSource(row["discovered_by"]).value,
        "seen": datetime.fromisoformat(row["seen"]),
    }


# ---------------------------------------------------------------- of agents


class HostSerializer(StrictSerializer):
    """A host that an agent discovered."""

    driver = Choice(choices=[(name, name) for name in DRIVERS])
    host = StrictText(max_length=MAX_TEXT)
    name = StrictText(max_length=MAX_TEXT, required=False, allow_blank=True, default="")
    address = UrlText(max_length=MAX_ADDRESS, validators=[check_address])
    discovered_by = Choice(choices=[(each.value, each.value) for each in HostSource])
    ago = Number(
        required=False,
        default=0.0,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_AGO)],
        help_text="Seconds since the host answered.",
    )


class TestStepSerializer(StrictSerializer):
    """A step of a connection test."""

    step = Choice(choices=[(each.value, each.value) for each in TestStep])
    result = Choice(choices=[(each.value, each.value) for each in StepResult])
    text = StrictText(max_length=MAX_STEP_TEXT, required=False, allow_blank=True, default="")
    problem = Choice(
        choices=[(each.value, each.value) for each in TestProblem],
        required=False,
        allow_null=True,
        default=None,
    )


class TestReportSerializer(StrictSerializer):
    """How a connection test goes."""

    id = serializers.UUIDField()
    state = Choice(choices=[(name, name) for name in ("running", "passed", "failed")])
    steps = serializers.ListField(
        child=TestStepSerializer(), max_length=MAX_STEPS, required=False, default=list
    )
    host = StrictText(max_length=MAX_ADDRESS, required=False, allow_blank=True, default="")


class SearchReportSerializer(StrictSerializer):
    """How a search for hosts goes."""

    id = serializers.UUIDField()
    state = Choice(choices=[(name, name) for name in ("running", "done", "failed")])


def host_list() -> serializers.ListField:
    """The field of an exchange for discovered hosts."""
    return serializers.ListField(
        child=HostSerializer(),
        max_length=MAX_HOSTS,
        required=False,
        allow_null=True,
        default=None,
        help_text="Discovered hosts, in place of those reported before; null: no change.",
    )


class TestOrderAnswer(TypedDict):
    """A connection test that an agent has to do."""

    id: str
    printer: Uri
    driver: str
    address: str
    key: Annotated[str | None, "Key of the host; null: use the stored one."]


class SearchOrderAnswer(TypedDict):
    """A search that an agent has to do."""

    id: str
    addresses: str


def test_order(test: ConnectionTest) -> TestOrderAnswer:
    """Return a test as its agent gets it, with the key."""
    return {
        "id": str(test.uuid),
        "printer": test.printer.uri,
        "driver": test.driver,
        "address": test.address,
        "key": test.host_key,
    }

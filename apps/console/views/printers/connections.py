"""Connections of printers: their state, choice of host and agent, and the steps at the agent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit
from uuid import UUID

import orjson
from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.messages import Context, JsonValue, Row, Shown
from apps.console.domain.printers.printer_connections import (
    FAILURES,
    KINDS,
    MANUAL,
    TEST_STATES,
    add_command,
    connection_of,
    pair_command,
    steps_of,
)
from apps.console.domain.resources.resource_kinds import BY_NAME
from apps.console.domain.settings_entries import settings_entries
from apps.console.domain.value_labels import value_label
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import api_uri, page_path, uri_choices
from apps.console.views.generic.resources import may_create
from apps.console.views.printers.discovered_hosts import shown_networks
from apps.console.views.printers.shop_engines import shop_engines, shown_engines
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.erp import Agent, Printer

MAX_PRINTERS = 1000
NEW = "new"  # instead of an agent's URI


class ConnectionForm(forms.Form):
    """How a printer is connected; the agent tests it, and stores the key if it works."""

    driver = forms.ChoiceField(
        label=gettext_lazy("Connection"),
        choices=[
            *((driver, kind.title) for driver, kind in KINDS.items()),
            (MANUAL, gettext_lazy("Operated by hand")),
        ],
    )
    agent = forms.ChoiceField(
        label=gettext_lazy("Agent"),
        required=False,
        help_text=gettext_lazy(
            "The program in the network of the printer that drives it. Not used by hand."
        ),
    )
    name = forms.CharField(
        label=gettext_lazy("Name of the new agent"), required=False, max_length=200
    )
    address = forms.CharField(
        label=gettext_lazy("Address of the printer"),
        required=False,
        max_length=200,
        help_text=gettext_lazy(
            "As the agent's computer reaches it, such as 192.168.1.20. Empty: add it there."
        ),
    )
    host_key = forms.CharField(
        label=gettext_lazy("Key"),
        required=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy(
            "Passed on to the agent, which stores it, and never shown again. Empty: the stored one."
        ),
    )
    key = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, *args: JsonValue, agents: list[Agent], **more: JsonValue):
        super().__init__(*args, **more)
        field = self.fields["agent"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [*uri_choices(agents), (NEW, _("New agent"))]

    def clean_address(self) -> str:
        """Return the address with a scheme; one with credentials is refused."""
        address: str = self.cleaned_data["address"].strip()
        if not address:
            return ""
        address = address if "://" in address else f"http://{address}"
        try:
            parts = urlsplit(address)
            is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address or "@" in address or any(each.isspace() for each in address):
            raise ValidationError(
                _("Enter an address such as http://192.168.1.20, without user and password.")
            )
        return address


@page("GET")
def connections(visit: PageContext) -> HttpResponse:
    """The printers of the current shop with their connections, and the agents."""
    if not visit.person:
        return visit.to_sign_in()
    shop = visit.shop
    if shop is None:
        return visit.go("/bureau/")
    printers = visit.all_of("printer", bureau=shop["uri"], limit=MAX_PRINTERS)
    agents = {row["uri"]: row for row in visit.all_of("agent", bureau=shop["uri"])}
    places = {row["uri"]: row["name"] for row in visit.all_of("location", bureau=shop["uri"])}
    driven = Counter(row["agent"] for row in printers)
    networks = shown_networks(visit, agents.values(), printers)
    return visit.show(
        "settings-printers",
        entries=settings_entries("connections", visit.rights),
        shop=shop,
        may="printer.all" in visit.rights,
        networks=networks,
        # An agent that is started now is seen without a reload: its first contact is no event.
        busy=any(row["is_searching"] for row in networks)
        or any(row["status"] != "online" for row in agents.values()),
        slicers=shown_engines(shop_engines(visit), agents),
        may_add_location=may_create(visit, BY_NAME["location"]),
        printers=[
            {
                **_shown(row, agents.get(row["agent"] or "")),
                "place": places.get(row["location"], ""),
            }
            for row in printers
        ],
        agents=[
            {
                **row,
                "path": page_path(row["uri"]),
                "seen": parse_datetime(row["seen"]) if row["seen"] else None,
                "words": value_label(row["status"]),
                "place": places.get(row["location"], ""),
                "printers": driven[row["uri"]],
            }
            for row in agents.values()
        ],
    )


def _shown(printer: Printer, agent: Agent | None) -> Shown:
    """A printer, and what the pages show of its connection."""
    machine = printer["machine"]
    seen = machine["seen"] if machine else agent["seen"] if agent else None
    path = page_path(printer["uri"])
    return {
        **printer,
        "path": path,
        "connect": f"{path}connection/",
        "driver_words": value_label(printer["driver"]) if printer["driver"] else "",
        "agent_name": agent["name"] if agent else "",
        "agent_path": page_path(agent["uri"]) if agent else "",
        "address": (machine["address"] if machine else None) or "",
        "host": (machine["host"] if machine else None) or "",
        "seen_at": parse_datetime(seen) if seen and printer["driver"] != MANUAL else None,
        "connection": connection_of(printer, agent),
    }


@page("GET", "POST")
def connection(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The connection of a printer: a form, its test by the agent, the steps at the agent."""
    if not visit.person:
        return visit.to_sign_in()
    printer: Printer = visit.api.get(api_uri("printer", uuid))
    agents = visit.all_of("agent", location=printer["location"])
    agent = next((row for row in agents if row["uri"] == printer["agent"]), None)
    here = f"{page_path(printer['uri'])}connection/"
    if visit.posted and "code" in visit.request.POST and agent:
        return _with_code(visit, printer, agent)
    if visit.posted and "test" in visit.request.POST:
        visit.api.ask("POST", f"{printer['uri']}test-connection/", {})
        return visit.go(f"{here}?tested=yes")
    test = _shown_test(visit, printer, agent)
    machine, query = printer["machine"], visit.request.GET
    present = (machine["address"] if machine else None) or (test["test"] or {}).get("address")
    address = query.get("address", "") or present or ""
    place = visit.api.get(printer["location"])["name"]
    chosen = query.get("agent", "") or printer["agent"] or (agents[0]["uri"] if agents else NEW)
    form = ConnectionForm(
        visit.request.POST if visit.posted else None,
        agents=agents,
        initial={
            "key": visit.form_key,
            "driver": query.get("driver", "") or printer["driver"] or "octoprint",
            "agent": chosen,
            "address": address,
            "name": place if not agents else f"{place} {len(agents) + 1}",
        },
    )

    def save() -> HttpResponse:
        values = form.cleaned_data
        chosen = None if values["driver"] == MANUAL else values["agent"] or NEW
        if chosen == NEW:
            body = {"location": printer["location"], "name": values["name"] or place}
            chosen = visit.make("erp", "agent", body, key=values["key"])
        visit.api.ask("PUT", printer["uri"], {"driver": values["driver"], "agent": chosen})
        if values["address"] and any(
            row["uri"] == chosen and row["status"] == "online" for row in agents
        ):
            _start_test(visit, printer, values)
        query = {"address": values["address"]} if values["address"] else {}
        return visit.go(f"{here}?{urlencode(query)}")

    done, status = handle_form(form, save) if visit.posted else (None, 200)
    return done or visit.show(
        "printer-connect",
        status,
        form=form,
        may=visit.api.may("PUT", printer["uri"]),
        kinds=KINDS,
        networks=shown_networks(visit, agents, ()),
        **test,
        **_steps(printer, agent, address),
    )


def _start_test(visit: PageContext, printer: Printer, values: Row) -> None:
    """Have the agent test the connection, if its program is able to.

    Without a key it uses the stored one of this address, or none, as trusted Moonrakers take it.
    """
    machine = printer["machine"]
    present = (machine["address"], printer["driver"]) if machine else None
    body = {"address": values["address"]}
    if values["host_key"] or present != (values["address"], values["driver"]):
        body["key"] = values["host_key"]
    try:
        visit.api.ask("POST", f"{printer['uri']}test-connection/", body)
    except ApiError as declined:
        if declined.errors[0]["code"] != "agent-outdated":  # its steps are typed there
            raise


def _shown_test(visit: PageContext, printer: Printer, agent: Agent | None) -> Context:
    """The last connection test of a printer, if its agent has made one."""
    row = visit.api.find(f"{printer['uri']}connection-test/") if agent else None
    if row is None:
        return {"test": None, "busy": False}
    at = row["ended"] or row["created"]
    return {
        "test": {
            **row,
            "at": parse_datetime(at),
            "shown": TEST_STATES[row["state"]],
            "rows": steps_of(row),
        },
        "busy": row["state"] in ("waiting", "running"),
    }


def _steps(printer: Printer, agent: Agent | None, address: str) -> Context:
    """What a page shows of a connection, and the commands that are left to do."""
    kind = KINDS.get(printer["driver"] or "")
    shown = _shown(printer, agent)
    return {
        "printer": shown,
        "agent": agent,
        "kind": kind,
        "add": add_command(printer, address) if kind else "",
        "typed": address,
        "failures": FAILURES,
        "is_paired": bool(agent and agent["status"] != "never-seen"),
    }


def _with_code(visit: PageContext, printer: Printer, agent: Agent) -> HttpResponse:
    """The page with a new pairing code, which is shown once."""
    answer = orjson.loads(visit.api.ask("POST", f"{agent['uri']}code/").content)
    response = visit.show(
        "printer-connect",
        201,
        pair=pair_command(base_url("erp"), answer["code"]),
        expires=parse_datetime(answer["expires"]),
        may=visit.api.may("PUT", printer["uri"]),
        **_steps(printer, agent, visit.request.POST.get("address", "")),
    )
    response["Cache-Control"] = "no-store"
    return response

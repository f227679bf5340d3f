"""Hosts that agents discovered in their networks: list, search, and adding a printer for one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.console.domain.messages import JsonValue, Shown
from apps.console.domain.printers.printer_connections import KINDS, MANUAL
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import api_uri, page_path, uri_choices, uuid_of

if TYPE_CHECKING:
    from manufacturing.generated.erp import Agent, Hosts, Printer

MAX_PRINTERS = 1000
NEW = "new "  # before the URI of the type of a new printer


def shown_networks(
    visit: PageContext, agents: Iterable[Agent], printers: Iterable[Printer]
) -> list[Shown]:
    """The agents that are online, each with its hosts and its last search."""
    by_address = {
        (row["agent"], row["machine"]["address"]): row for row in printers if row["machine"]
    }
    now = datetime.now(UTC)
    return [
        _network(agent, visit.api.get(f"{agent['uri']}hosts/"), by_address, now)
        for agent in agents
        if agent["status"] == "online"
    ]


def _network(
    agent: Agent,
    answer: Hosts,
    by_address: dict[tuple[str | None, str | None], Printer],
    now: datetime,
) -> Shown:
    rows = []
    for host in answer["hosts"]:
        printer = by_address.get((agent["uri"], host["address"]))
        query = {"driver": host["driver"], "address": host["address"]}
        chosen = {"agent": uuid_of(agent["uri"]), "name": host["name"] or "", **query}
        rows.append(
            {
                **host,
                "ago": ago(now - datetime.fromisoformat(host["seen"])),
                "printer": printer,
                "path": page_path(printer["uri"]) if printer else "",
                "add": f"/settings/printers/add/?{urlencode(chosen)}",
                "query": urlencode({"agent": agent["uri"], **query}),
            }
        )
    search = answer["search"]
    return {
        **agent,
        "path": page_path(agent["uri"]),
        "key": uuid_of(agent["uri"]),
        "supported": answer["supported"],
        "search": search,
        "is_searching": bool(search and search["state"] in ("waiting", "running")),
        "hosts": rows,
    }


def ago(age: timedelta) -> str:
    """Return how long ago something was: in seconds, from two minutes on in minutes."""
    seconds = max(int(age.total_seconds()), 0)
    if seconds < 120:
        return _("%(n)s s ago") % {"n": seconds}
    minutes = seconds // 60
    return ngettext("%(n)s minute ago", "%(n)s minutes ago", minutes) % {"n": minutes}


@page("POST")
def search(visit: PageContext) -> HttpResponse:
    """Have an agent search addresses; a refusal is shown above the list of printers."""
    if not visit.person:
        return visit.to_sign_in()
    data = visit.request.POST
    try:
        uri = api_uri("agent", UUID(data.get("agent", "")))
    except ValueError:
        return visit.go("/settings/printers/")
    visit.api.ask("POST", f"{uri}search/", {"addresses": data.get("addresses", "")})
    return visit.go("/settings/printers/?searched=yes")


class HostPrinterForm(forms.Form):
    """Which printer a discovered host belongs to."""

    printer = forms.ChoiceField(label=gettext_lazy("Printer"))
    name = forms.CharField(
        label=gettext_lazy("Name of the new printer"), max_length=200, required=False
    )
    key = forms.CharField(widget=forms.HiddenInput)

    def __init__(
        self,
        *args: JsonValue,
        printers: list[Printer],
        types: list[JsonValue],
        **more: JsonValue,
    ):
        super().__init__(*args, **more)
        present = uri_choices(printers)
        fresh = [(f"{NEW}{uri}", name) for uri, name in uri_choices(types)]
        field = self.fields["printer"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [
                *([(_("Printers without a connection"), present)] if present else []),
                (_("New printer"), fresh),
            ]


@page("GET", "POST")
def add(visit: PageContext) -> HttpResponse:
    """Choose the printer of a discovered host, or make one; then its key is entered."""
    if not visit.person:
        return visit.to_sign_in()
    query = visit.request.GET
    driver, address = query.get("driver", ""), query.get("address", "")
    try:
        agent: Agent = visit.api.get(api_uri("agent", UUID(query.get("agent", ""))))
    except ValueError:
        return visit.go("/settings/printers/")
    if driver not in KINDS:
        return visit.go("/settings/printers/")
    visit.require("printer.all")
    rows = visit.all_of("printer", location=agent["location"], limit=MAX_PRINTERS)
    unconnected = [row for row in rows if row["driver"] == MANUAL or not row["machine"]]
    types = visit.all_of("printer-type", bureau=agent["bureau"])
    form = HostPrinterForm(
        visit.request.POST if visit.posted else None,
        printers=unconnected,
        types=types,
        initial={"key": visit.form_key, "name": query.get("name", "")},
    )

    def save() -> HttpResponse:
        values = form.cleaned_data
        uri = values["printer"]
        if uri.startswith(NEW):
            kind = uri.removeprefix(NEW)
            title = next(row["name"] for row in types if row["uri"] == kind)
            body = {
                "location": agent["location"],
                "printer_type": kind,
                "name": values["name"].strip() or title,
            }
            uri = visit.make("erp", "printer", body, key=values["key"])
        chosen = {"agent": agent["uri"], "driver": driver, "address": address}
        return visit.go(f"{page_path(uri)}connection/?{urlencode(chosen)}")

    done, status = handle_form(form, save) if visit.posted else (None, 200)
    return done or visit.show(
        "printer-host-add",
        status,
        form=form,
        agent=agent,
        kind=KINDS[driver],
        address=address,
        has_choices=bool(types or unconnected),
    )

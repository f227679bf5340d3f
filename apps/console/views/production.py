"""Production page of a shop: pieces to print, runs, printers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from apps.console.domain import production_status
from apps.console.domain.messages import Shown
from apps.console.views.farm import show_printers
from apps.console.views.page import PageContext, handle_form, page
from apps.console.views.page_urls import api_uri, page_path, pages_of, uuid_of
from core.uris import base_url

if TYPE_CHECKING:
    from apps.console.views.farm import ShownPrinter
    from manufacturing.generated.erp import Bureau, LineItem, Printer, Run, Unscheduled

A_PAGE = 50  # line items with unscheduled pieces
MAX_RUNS = 20
RUNNING = ("created", "calculating")


class PackForm(forms.Form):
    """Pieces that a printer is to make together."""

    printer = forms.ChoiceField(label=_("Printer"))
    budget = forms.ChoiceField(
        label=_("Packing effort"),
        choices=[
            ("quick", _("Quick (seconds)")),
            ("standard", _("Standard (up to a minute)")),
            ("thorough", _("Thorough (minutes)")),
        ],
    )
    some = forms.BooleanField(
        label=_("Pack as many as fit; leave the rest unscheduled"), required=False
    )
    # Of the page and not of the moment it is sent: sent twice it is one run.
    name = forms.CharField(widget=forms.HiddenInput, max_length=100)
    key = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, *given: Any, printers: Sequence[Printer], **options: Any):
        super().__init__(*given, **options)
        self.fields["printer"].choices = [(row["uri"], row["name"]) for row in printers]  # type: ignore[attr-defined]


@page("GET")
def queue(visit: PageContext) -> HttpResponse:
    """Lead to the production queue of the current shop; who has no shop sets one up first."""
    return visit.go(visit.shop["uri"] if visit.shop else "/bureau/")


@page("GET", "POST")
def board(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The page of a shop; its forms pack runs."""
    shop = visit.api.get(api_uri("bureau", uuid))
    printers = visit.all_of("printer", bureau=shop["uri"])
    if not visit.posted:
        return _shown(visit, shop, printers)
    form = PackForm(visit.request.POST, printers=printers)
    pieces = [key for keys in visit.request.POST.getlist("pieces") for key in keys.split(",")]
    if not pieces:
        form.add_error(None, _("Select pieces."))
    done, status = handle_form(form, lambda: visit.go(_pack(visit, form, pieces)))
    return done or _shown(visit, shop, printers, form, status)


def _pack(visit: PageContext, form: PackForm, pieces: list[str]) -> str:
    """The URI of a run that is being packed."""
    said = form.cleaned_data
    body = {
        "run_name": said["name"],
        "printer": said["printer"],
        "pieces": [f"{base_url('erp')}/piece/{key}/" for key in pieces],
        "do_build_volume_check": not said["some"],
        "budget": said["budget"],
    }
    return visit.make("erp", "create-runs", body, key=said["key"])


def _shown(
    visit: PageContext,
    shop: Bureau,
    printers: list[ShownPrinter],
    refused: PackForm | None = None,
    status: int = 200,
) -> HttpResponse:
    runs = visit.all_of("run", bureau=shop["uri"], limit=MAX_RUNS)
    for run in runs:
        run |= {"path": page_path(run["uri"]), "state": production_status.RUNS[run["status"]]}
        run["percent"] = round(100 * (run["progress"] or 0))
        run["number"] = len(run["pieces"])
    groups, pages = _waiting(visit, shop["uri"], printers, runs)
    show_printers(visit, printers)
    places = visit.all_of("location", bureau=shop["uri"])
    return visit.show(
        "board",
        status,
        shop={**shop, "path": page_path(shop["uri"]), "key": uuid_of(shop["uri"])},
        runs=runs,
        groups=groups,
        pages=pages,
        printers=printers,
        places=[{**place, "path": page_path(place["uri"])} for place in places],
        refused=refused.errors.values() if refused else [],
        busy=any(run["status"] in RUNNING for run in runs),
    )


def _waiting(
    visit: PageContext, shop: str, printers: Sequence[Printer], runs: list[Run]
) -> tuple[list[Shown], dict[str, str]]:
    """A page of what waits, by the type of printer and the material; and its neighbours."""
    asked = {"page[offset]": visit.request.GET.get("page[offset]"), "page[limit]": A_PAGE}
    found = visit.api.list("erp", f"{page_path(shop)}unscheduled/", **asked)
    rows, pages = found["resources"], pages_of(found)
    if not rows:
        return [], pages
    named = ",".join(sorted({row["line_item"] for row in rows}))
    items = {item["uri"]: item for item in visit.all_of("line-item", uri=named, limit=1000)}
    steps = {
        step["uri"]: step["process_type"] for step in visit.all_of("process-step", bureau=shop)
    }
    materials = {row["uri"]: row["name"] for row in visit.all_of("material", bureau=shop)}
    cards: dict[tuple[str, str], list[Shown]] = {}
    for row in rows:
        item = items[row["line_item"]]
        group = steps.get(row["process_step"] or "", ""), item["materials"]["base"] or ""
        cards.setdefault(group, []).append(_card(item, row))
    # A run that is made changes the forms: what waits again may be packed again.
    key = runs[0]["uri"] if runs else "first"
    today = date_format(timezone.localdate(), "SHORT_DATE_FORMAT")
    return [
        {
            "material": materials.get(material, ""),
            "cards": theirs,
            "total": sum(card["number"] for card in theirs),
            "form": PackForm(
                printers=[row for row in printers if row["printer_type"] == machine or not machine],
                initial={"key": key, "name": f"{_('Build of')} {today} ({len(runs) + 1})"},
                auto_id=f"id_{at}_%s",
            ),
        }
        for at, ((machine, material), theirs) in enumerate(cards.items())
    ], pages


def _card(item: LineItem, row: Unscheduled) -> Shown:
    return {
        "name": production_status.part_name(item["name"]),
        "picture": item["snapshot"],
        "order_path": page_path(item["order"]) if item["order"] else "",
        "number": row["count"],
        "due": datetime.fromisoformat(row["due_date"]) if row["due_date"] else None,
        "priority": row["priority"],
        "keys": ",".join(uuid_of(uri) for uri in row["pieces"]),
    }

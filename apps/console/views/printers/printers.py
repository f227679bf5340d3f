"""Printer page: current print, actions, clearing the bed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict
from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import LocalizedText, Shown, error_message
from apps.console.domain.printers.machine_readings import readings_of
from apps.console.domain.printers.printer_status import (
    ATTEMPTS,
    PRINTED,
    UNSEEN,
    actions_of,
    machine_of,
)
from apps.console.domain.resources.resource_values import moment
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path, uuid_of
from apps.console.views.printers.attempts import WATCH_INTERVAL, chart_of, shown_attempt
from apps.console.views.printers.farm import is_seen, show_printers
from apps.console.views.printers.maintenance import tasks_of
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from apps.console.views.printers.farm import ShownPrinter
    from manufacturing.generated.erp import Attempt, Printer, Run

MAX_PIECES = 1000  # that a page shows, and that can be rejected at once
BEFORE = 5  # attempts that a page remembers
NEXT = 5  # runs that a page offers
# Frequent defects that the form for rejected pieces suggests.
DEFECTS = [
    _("Warped"),
    _("Layer shift"),
    _("Under-extrusion"),
    _("Adhesion lost"),
    _("Filament runout"),
    _("Supports failed"),
    _("Poor surface"),
]


@page("GET", "POST")
def printer(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The page of a printer; its forms say what became of what it prints."""
    row = visit.api.get(api_uri("printer", uuid))
    if not visit.posted:
        return _shown(visit, row)
    said = visit.request.POST
    if said.get("attempt", "") != (uuid_of(row["attempt"]) if row["attempt"] else ""):
        return visit.go(row["uri"], done="changed")
    action = said.get("action", "")
    if action == "stopped" and machine_of(row) not in (None, *UNSEEN) and "sure" not in said:
        return visit.go(f"{row['uri']}?cancel=yes")
    try:
        done = _do(visit, row, action)
    except ApiError as declined:
        return _shown(visit, visit.api.get(row["uri"]), declined)
    return visit.go(row["uri"], done=done)


def _do(visit: PageContext, printer: Printer, action: str) -> str:
    """Ask for what a button says; the word for what was done."""
    uri = printer["uri"]
    if action == "manual":
        visit.api.ask("PUT", uri, {"driver": "manual"})
        return "attached"
    if action == "clear":
        visit.api.ask("POST", f"{uri}clear/", _outcome(visit))
        return "cleared"
    if action == "repeat":
        visit.api.ask("POST", f"{uri}clear/", {"again": True})
        return "repeated"
    if action in ("print", "start"):
        attempt = plan(visit, visit.request.POST.get("run", ""), uri)
        if action == "print":
            return "planned"
        visit.api.ask("PUT", attempt, {"status": "printing"})  # by a person who stands there
    if action in ATTEMPTS and printer["attempt"]:
        visit.api.ask("PUT", printer["attempt"], {"status": action, **_progress(visit)})
    return ""


def _progress(visit: PageContext) -> Shown:
    """The printed part, if the form has it: typed in percent."""
    try:
        return {"progress": float(visit.request.POST["printed"].replace(",", ".")) / 100}
    except (KeyError, ValueError):
        return {}


def plan(visit: PageContext, run: str, printer: str) -> str:
    """Have a run printed here; the URI of the attempt."""
    key = visit.request.POST.get("key", "")
    return visit.make("erp", "attempt", {"run": run, "printer": printer}, key=key)


def _outcome(visit: PageContext) -> Shown:
    """What became of the pieces on the plate, by the page's list; of no list all that the API
    takes for granted."""
    said = visit.request.POST
    if "listed" not in said:
        return {}
    bad, notes = said.getlist("rejected"), said.get("notes", "")
    pieces = [f"{base_url('erp')}/piece/{key}/" for key in bad]
    return {"rejected": [{"piece": uri, "notes": notes} for uri in pieces]}


def _shown(visit: PageContext, printer: Printer, declined: ApiError | None = None) -> HttpResponse:
    before = visit.all_of("attempt", limit=BEFORE, printer=printer["uri"])
    attempt = next((row for row in before if row["uri"] == printer["attempt"]), None)
    shown: ShownPrinter = {**printer}
    show_printers(visit, [shown])
    machine = printer["machine"]
    seen = is_seen(printer)
    if seen:
        visit.api.ask("POST", f"{printer['uri']}watch/")
    free = printer["driver"] and printer["plate"] == "clear" and attempt is None
    place = visit.api.find(printer["location"])
    return visit.show(
        "printer",
        declined.http_status if declined else 200,
        refused=[error_message(error) for error in declined.errors] if declined else [],
        printer=shown,
        readings=readings_of(machine) if machine and seen else None,
        watch_interval=WATCH_INTERVAL if seen else 0,
        place={**place, "path": page_path(place["uri"])} if place else None,
        may_change=visit.api.may("PUT", printer["uri"]),
        tasks=tasks_of(visit, printer),
        attempt=shown_attempt(attempt) if attempt else None,
        actions=actions_of(printer, attempt) if attempt else [],
        overrides=machine_of(printer) in UNSEEN,
        seen=moment(printer["machine"]["seen"]) if printer["machine"] else None,
        offline=machine_of(printer) == "offline",
        cancelling="cancel" in visit.request.GET,
        asks_progress=attempt is not None and _asks_progress(attempt),
        lying=_lying(visit, attempt),
        chart=chart_of(visit, attempt) if attempt else None,
        defects=DEFECTS,
        ready=_ready(visit, printer) if free else [],
        free=free,
        key=before[0]["uri"] if before else "first",
        before=[shown_attempt(row) for row in before if row is not attempt],
    )


def _asks_progress(attempt: Attempt) -> bool:
    """Return whether only a person can tell how much of a print was printed."""
    under_way = attempt["status"] in ("printing", "paused", "unclear")
    return under_way and attempt["progress"] is None and not attempt["estimated_seconds"]


def _lying(visit: PageContext, attempt: Attempt | None) -> Shown | None:
    """The pieces of the print that lies on the plate, in the order in which they come out.

    They are not listed where there are too many to say of each whether it is good.
    """
    if attempt is None or attempt["status"] not in PRINTED:
        return None
    path = f"{page_path(attempt['run'])}unpacking/"
    found = visit.api.list("erp", path, **{"page[limit]": MAX_PIECES})
    is_complete = found["meta"]["count"] <= MAX_PIECES
    pieces = found["resources"] if is_complete and not attempt["detached"] else []
    return {
        "pieces": [{**piece, "key": uuid_of(piece["piece"])} for piece in pieces],
        "bad": attempt["status"] != "done",
        "again": attempt["status"] != "done" and not attempt["detached"],
    }


def _ready(visit: PageContext, printer: Printer) -> list[Shown]:
    """The oldest runs that are packed for its type, and why each is not printed here."""
    asked = {
        "filter[printer_type]": printer["printer_type"],
        "filter[status]": "calculated,queued",
        "sort": "created",
        "page[limit]": NEXT,
    }
    runs = visit.api.list("erp", "/run/", **asked)["resources"]
    return [
        {**run, "path": page_path(run["uri"]), "why": _why_not(visit, run, printer["uri"])}
        for run in runs
    ]


def _why_not(visit: PageContext, run: Run, printer: str) -> list[LocalizedText]:
    """The reasons why a run is not printed on a printer; none where it can be."""
    found = candidates(visit, run)
    return next((row["why"] for row in found if row["printer"] == printer), [])


class PossiblePrinter(TypedDict):
    """A printer of a run's type, and why the run is not printed there."""

    printer: str
    name: str
    fits: bool
    why: list[LocalizedText]
    codes: set[str]
    path: str
    key: str


def candidates(visit: PageContext, run: Run) -> list[PossiblePrinter]:
    """The printers of a run's type, each with the reasons `why` it is not printed there."""
    path = f"{page_path(run['uri'])}candidates/"
    found = visit.api.list("erp", path, **{"page[limit]": 100})["resources"]
    return [
        {
            "printer": row["printer"],
            "name": row["name"],
            "fits": row["fits"],
            "why": [error_message(reason) for reason in row["reasons"]],
            "codes": {reason["code"] for reason in row["reasons"]},
            "path": page_path(row["printer"]),
            "key": uuid_of(row["printer"]),
        }
        for row in found
    ]

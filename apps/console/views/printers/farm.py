"""Printer farm of a location: status, attention first, print queue."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context, JsonValue, Shown, error_message
from apps.console.domain.model_report import BAD, CARE, GOOD, WAIT
from apps.console.domain.printers.camera_pictures import ShownPicture, shown_picture
from apps.console.domain.printers.printer_status import State, end_of, state_of, urgency
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path

if TYPE_CHECKING:
    from manufacturing.generated.erp import Attempt, Printer, Run

    class ShownPrinter(Printer, total=False):
        """A printer, and what a page shows of it."""

        path: str
        state: State
        run: Shown | None
        progress: int | None
        end: datetime | None
        shot: ShownPicture | None


MAX_PRINTERS = 1000
MAX_TYPES = 5  # whose queues a page shows
A_QUEUE = 20
MAX_WATCHED = 20  # printers whose cameras a page of several keeps at work
TILES_INTERVAL = 10_000  # ms between two looks of such a page


# Groups of printers that a page can be reduced to, by the sign of their state.
FILTERS: dict[str, tuple[Promise, tuple[str, ...]]] = {
    "": (_("All"), (GOOD, WAIT, CARE, BAD)),
    "attention": (_("Needs attention"), (CARE, BAD)),
    "printing": (_("Printing"), (WAIT,)),
    "ready": (_("Ready"), (GOOD,)),
}


@page("GET")
def printers(visit: PageContext) -> HttpResponse:
    """The printers of the current shop by location; first those that wait for a person."""
    return visit.show("printers", **_of_shop(visit))


@page("GET")
def wall(visit: PageContext) -> HttpResponse:
    """The printers of the current shop for a screen on the wall, without controls."""
    return visit.show("wall", **_of_shop(visit)) if visit.shop else visit.go("/bureau/")


def _of_shop(visit: PageContext) -> Context:
    """The printers of the current shop by location, as far as the address filters them."""
    machines = (
        visit.all_of("printer", bureau=visit.shop["uri"], limit=MAX_PRINTERS) if visit.shop else []
    )
    show_printers(visit, machines)
    machines.sort(key=lambda row: urgency(row["state"], row["end"]))
    chosen = visit.request.GET.get("state", "")
    signs = FILTERS.get(chosen, FILTERS[""])[1]
    shown = [row for row in machines if row["state"].sign in signs]
    places = visit.all_of("location", bureau=visit.shop["uri"]) if visit.shop else []
    by_place = [
        {**place, "path": page_path(place["uri"]), "printers": theirs}
        for place in places
        if (theirs := [row for row in shown if row["location"] == place["uri"]])
    ]
    return {
        "watch_interval": watch_cameras(visit, shown),
        "shop": visit.shop,
        "places": by_place,
        "filters": [
            {
                "state": name,
                "title": title,
                "path": f"/printer/?state={name}" if name else "/printer/",
                "chosen": name == chosen,
                "count": sum(row["state"].sign in group for row in machines),
            }
            for name, (title, group) in FILTERS.items()
        ],
    }


@page("GET")
def location(visit: PageContext, uuid: UUID) -> HttpResponse:
    """A farm: first the printers that wait for somebody."""
    place = visit.api.get(api_uri("location", uuid))
    printers = visit.all_of("printer", location=place["uri"])
    show_printers(visit, printers)
    printers.sort(key=lambda row: urgency(row["state"], row["end"]))
    shop = visit.api.find(place["bureau"])
    return visit.show(
        "location",
        place={**place, "path": page_path(place["uri"])},
        may_edit=visit.api.may("PUT", place["uri"]),
        shop={**shop, "path": page_path(shop["uri"])} if shop else None,
        printers=printers,
        watch_interval=watch_cameras(visit, printers),
        queue=[run for kind in _types(printers) for run in print_queue(visit, kind)],
    )


def show_printers(visit: PageContext, printers: list[ShownPrinter]) -> None:
    """Put beside printers what they do: `state`, `run` with its `picture`, `end`, `shot` and
    `path`."""
    attempts = rows_of(visit, "attempt", (row["attempt"] for row in printers))
    runs = rows_of(visit, "run", (row["run"] for row in attempts.values()))
    pictures = _pictures(visit, runs.values())
    for row in printers:
        attempt = attempts.get(row["attempt"] or "")
        run = runs.get(attempt["run"]) if attempt else None
        row["path"] = page_path(row["uri"])
        row["state"] = state_of(row, attempt)
        row["run"] = {**run, "picture": pictures.get(run["model"], "")} if run else None
        row["progress"] = _percent(attempt) if attempt else None
        row["shot"] = shown_picture(row["camera"])
        row["end"] = end_of(attempt, run) if attempt else None


def watch_cameras(visit: PageContext, printers: list[ShownPrinter]) -> int:
    """Have agents send pictures of the cameras; return ms until the next look, 0: none needed."""
    seen = [row for row in printers if row["shot"] and is_seen(row)]
    for row in seen[:MAX_WATCHED]:
        visit.api.ask("POST", f"{row['uri']}watch/")
    return TILES_INTERVAL if seen else 0


def is_seen(printer: Printer) -> bool:
    """Return whether the agent of a printer reports its machine."""
    machine = printer["machine"]
    return machine is not None and machine["state"] != "offline"


def _percent(attempt: Attempt) -> int | None:
    """How much of a print under way is printed; None where that is not known."""
    under_way = attempt["status"] in ("printing", "paused") and attempt["progress"] is not None
    return round(100 * (attempt["progress"] or 0)) if under_way else None


def rows_of(visit: PageContext, kind: str, uris: Iterable[str | None]) -> Context:
    """The rows of a kind that have these URIs, by one request; by none where there are no URIs."""
    named = {uri for uri in uris if uri}
    if not named:
        return {}
    found = visit.all_of(kind, uri=",".join(sorted(named)), limit=1000)
    return {row["uri"]: row for row in found}


def _pictures(visit: PageContext, runs: Iterable[Run]) -> dict[str, str]:
    """By the URIs of packed builds, where their pictures are."""
    named = sorted({run["model"] for run in runs if run["model"]})
    if not named:
        return {}
    asked = {"filter[uri]": ",".join(named), "page[limit]": 1000}
    found = visit.api.list("models", "/model/", **asked)["resources"]
    return {model["uri"]: model["snapshot"] or "" for model in found}


def _types(printers: list[Printer]) -> list[str]:
    return sorted({row["printer_type"] for row in printers})[:MAX_TYPES]


def print_queue(visit: PageContext, printer_type: str) -> list[JsonValue]:
    """The runs that wait for printers of a type, and what for."""
    path = f"{page_path(printer_type)}queue/"
    found = visit.api.list("erp", path, **{"page[limit]": A_QUEUE})["resources"]
    for row in found:
        row["path"] = page_path(row["run"])
        row["why"] = error_message(row["reason"]) if row["reason"] else ""
    return found

"""Runs: packing, slicing, printing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain import plate, production_status
from apps.console.domain.messages import STAGES, Context, JsonValue, Shown, duration, error_message
from apps.console.domain.printers.printer_status import state_of
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path, uuid_of
from apps.console.views.orders.timelines import run_history
from apps.console.views.parts.models import RECENT
from apps.console.views.parts.slices import has_layers, used
from apps.console.views.printers.attempts import goes_on, shown_attempt
from apps.console.views.printers.printers import PossiblePrinter, candidates, plan
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.erp import Attempt, Printer, Run
    from manufacturing.generated.slicing import Gcode, Slice

MAX_PIECES = 100  # that a page shows
MAX_PRINTS = 10  # that a page lists

# The first one is shown unless the address names another.
TABS = {
    "plate": gettext_lazy("Plate"),
    "gcode": gettext_lazy("G-code preview"),
    "settings": gettext_lazy("Settings"),
    "events": gettext_lazy("History"),
}

OF_SLICES = ("settings",)  # tabs that a build of uploaded G-code does not have

# By the word that a button sends: what is asked of the API, and what is said afterwards.
ACTIONS: dict[str, tuple[dict[str, str], str]] = {
    "enough": ({"status": "calculated"}, "enough"),
    "queue": ({"status": "queued"}, "queued"),
    "start": ({"status": "in-progress"}, "started"),
    "complete": ({"status": "complete"}, "completed"),
    "fail": ({"status": "error"}, "failed"),
    "slice": ({"slicing": "queued"}, "slicing"),
}


@page("GET", "POST")
def run(visit: PageContext, uuid: UUID) -> HttpResponse:
    """A run: how far it is, how it was packed, what to take to the printer, what is next."""
    found = visit.api.get(api_uri("run", uuid))
    action = visit.request.POST.get("action", "")
    if action != "print" and action not in ACTIONS:
        return _shown(visit, found)
    try:
        if action == "print":
            printer = visit.request.POST.get("printer", "")
            plan(visit, found["uri"], printer)
            return visit.go(printer, done="planned")
        change, done = ACTIONS[action]
        visit.api.ask("PUT", found["uri"], change)
    except ApiError as declined:
        return _shown(visit, found, declined)
    return visit.go(found["uri"], done=done)


@page("GET")
def labels(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The API's own page of labels, to be printed."""
    answer = visit.api.ask("GET", f"{api_uri('run', uuid)}labels/")
    page = HttpResponse(answer.content, content_type=answer["Content-Type"])
    page["Content-Security-Policy"] = answer["Content-Security-Policy"]
    return page


def _shown(visit: PageContext, run: Run, declined: ApiError | None = None) -> HttpResponse:
    shop = visit.api.find(run["bureau"])
    printer = visit.api.find(run["printer"]) if run["printer"] else None
    gcode = visit.api.find(run["slice"]) if run["slice"] else None
    tab = visit.request.GET.get("tab", "")
    tabs = {key: TABS[key] for key in TABS if not run["gcode"] or key not in OF_SLICES}
    tab = tab if tab in tabs else next(iter(tabs))
    attempts = visit.all_of("attempt", limit=MAX_PRINTS, run=run["uri"])
    at_work = _at_work(visit, attempts[:1])
    pictures = _pictures(visit, run["snapshots"]) if tab == "plate" else []
    may_change = visit.api.may("PUT", run["uri"])
    can_start = may_change and "in-progress" in run["moves"] and not at_work
    faults = (run["errors"] or []) + (run["slicing_errors"] or [])
    return visit.show(
        "run",
        declined.http_status if declined else 200,
        refused=[error_message(error) for error in declined.errors] if declined else [],
        run={**run, "path": page_path(run["uri"])},
        shop={**shop, "path": page_path(shop["uri"])} if shop else None,
        printer=_printer(visit, attempts) or printer,
        state=production_status.state_of_run(run),
        percent=round(100 * (run["progress"] or 0)),
        report=_report(run["report"] or {}),
        tab=tab,
        tabs=tabs.items(),
        **_of_tab(visit, tab, run, printer, gcode),
        pictures=pictures,
        faults=[error_message(error) for error in faults],
        gcode=gcode,
        gcode_path=page_path(run["gcode"]) if run["gcode"] else "",
        slicing=STAGES.get(run["slicing"] or ""),
        slicing_percent=round(100 * gcode["progress"]) if gcode else 0,
        time=_time(run),
        may_change=may_change,
        can_slice=_can_slice(run),
        can_start=can_start,
        at_work=at_work,
        exclude_path=_exclude_path(attempts[:1]) if may_change else "",
        prints=_prints(visit, attempts),
        printers=_machines(visit, run) if can_start else [],
        key=attempts[0]["uri"] if attempts else "first",
        busy=_is_busy(run, pictures if tab == "plate" else None),
    )


def _of_tab(
    visit: PageContext, tab: str, run: Run, printer: Printer | None, gcode: Slice | None
) -> Context:
    """What a tab alone shows."""
    if tab == "events":
        return run_history(visit, run)
    if tab == "settings":
        return {"settings": used(visit, gcode) if gcode else []}
    if tab == "gcode":
        uploaded: Gcode | None = visit.api.find(run["gcode"]) if run["gcode"] else None
        source = gcode or uploaded
        return {
            "layers_path": page_path(source["uri"]) if source else "",
            "has_layers": source is not None and has_layers(source),
        }
    out, orders, more = _way_out(visit, run)
    return {"out": out, "orders": orders, "more": more, "plate": _plate(visit, run, printer, out)}


def _at_work(visit: PageContext, attempts: list[Attempt]) -> Shown | None:
    """The printer that prints it, or on whose plate it lies, with words for what it does."""
    for attempt in attempts:
        ended = attempt["cleared"] or attempt["status"] == "never"
        found = None if ended or attempt["detached"] else visit.api.find(attempt["printer"])
        if found:
            return {**found, "path": page_path(found["uri"]), "state": state_of(found, attempt)}
    return None


def _exclude_path(attempts: list[Attempt]) -> str:
    """The page of the print, where pieces are excluded from it; empty where that is over."""
    return next((page_path(row["uri"]) for row in attempts if goes_on(row)), "")


def _printer(visit: PageContext, attempts: list[Attempt]) -> Printer | None:
    """The printer that prints it, or printed it last; it may be packed for another one."""
    printed = [attempt["printer"] for attempt in attempts if attempt["status"] != "never"]
    return visit.api.find(printed[0]) if printed else None


def _prints(visit: PageContext, attempts: list[Attempt]) -> list[Shown]:
    """The print attempts with the names of their printers, the newest first."""
    printers = {uri: visit.api.find(uri) for uri in {row["printer"] for row in attempts}}
    return [{**shown_attempt(row), "printer": printers[row["printer"]]} for row in attempts]


def _machines(visit: PageContext, run: Run) -> list[PossiblePrinter]:
    """The printers of its type that something starts; none where all are moved by hand."""
    found = candidates(visit, run)
    return found if any("no-machine" not in row["codes"] for row in found) else []


def _can_slice(run: Run) -> bool:
    is_packed = run["status"] in ("calculated", "queued") and run["model"] is not None
    return is_packed and run["slicing"] in (None, "error")


def _is_busy(run: Run, pictures: list[str] | None) -> bool:
    """Whether something of it changes by itself; `pictures`: those that the page shows, if any."""
    packing = run["status"] in ("created", "calculating")
    young = datetime.fromisoformat(run["updated"]) > timezone.now() - RECENT
    undrawn = (
        run["model"] and pictures is not None and len(pictures) < max(1, len(run["snapshots"]))
    )
    return packing or run["slicing"] in ("queued", "processing") or bool(young and undrawn)


def _time(run: Run) -> str:
    seconds = (run["estimates"] or {}).get("print_time")
    return duration(seconds) if seconds else ""


def _report(report: Mapping[str, float]) -> list[tuple[str, str]]:
    """How it is packed: label and figure of what is known so far."""
    known = [
        (_("Height"), "height", "{} mm", 1, 1),
        (_("Packing density"), "density", "{} %", 100, 1),
        (_("Minimum clearance"), "smallest_distance", "{} mm", 1, 2),
        (_("Packing time"), "seconds", "{} s", 1, 0),
    ]
    return [
        (label, form.format(number_format(report[name] * times, digits)))
        for label, name, form, times, digits in known
        if report.get(name) is not None
    ]


def _pictures(visit: PageContext, snapshots: list[str]) -> list[str]:
    """Where the pictures of the packed plate are, as far as they are drawn."""
    found = [visit.api.find(uri) for uri in snapshots]
    return [row["content"] for row in found if row and row["content"]]


def _way_out(visit: PageContext, run: Run) -> tuple[list[Shown], list[Shown], int]:
    """The pieces in the order in which they come out, their orders, and how many are not shown."""
    path = f"{page_path(run['uri'])}unpacking/"
    found = visit.api.list("erp", path, **{"page[limit]": MAX_PIECES})
    rows = found["resources"]
    pieces = {row["uri"]: row for row in visit.all_of("piece", limit=1000, run=run["uri"])}
    items = _by_uri(visit, "line-item", [row["line_item"] for row in pieces.values()])
    orders = _by_uri(visit, "order", [row["order"] for row in items.values() if row["order"]])
    uris = [row["materials"]["base"] for row in items.values() if row["materials"]["base"]]
    materials = _by_uri(visit, "material", uris)
    colored = plate.colors([items[row["line_item"]]["order"] or "" for row in pieces.values()])
    for row in rows:
        piece = pieces.get(row["piece"])
        item = items.get(piece["line_item"]) if piece else None
        order = orders.get(item["order"] or "") if item else None
        row["piece_path"] = page_path(row["piece"])
        row["key"] = uuid_of(row["piece"])
        row["is_printed"] = piece is not None and piece["status"] == "in-progress"
        material = materials.get(item["materials"]["base"]) if item else None
        row["picture"] = item["snapshot"] if item else None
        row["material_color"] = material["color"] if material else None
        row["order"] = {**order, "path": page_path(order["uri"])} if order else None
        row["color"] = colored[item["order"] or ""] if item else plate.COLORS[-1]
    listed = [{**row, "color": colored[uri]} for uri, row in orders.items() if uri in colored]
    return rows, listed, found["meta"]["count"] - len(rows)


def _by_uri(visit: PageContext, kind: str, uris: Sequence[str]) -> Context:
    """The rows of a kind that have these URIs."""
    named = ",".join(sorted(set(uris)))
    return {row["uri"]: row for row in visit.all_of(kind, uri=named, limit=1000)} if named else {}


def _plate(
    visit: PageContext, run: Run, printer: Printer | None, out: list[JsonValue]
) -> plate.Plate | None:
    """The plate from above; None for a build that is not packed yet."""
    kind = visit.api.find(printer["printer_type"]) if printer and run["model"] else None
    if kind is None or not kind["build_volume"]:
        return None
    return plate.top_view(kind["build_volume"], out, {row["piece"]: row["color"] for row in out})

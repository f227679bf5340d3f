"""Timelines of orders and builds, and the steps of an order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.printers.printer_status import ATTEMPTS
from apps.console.domain.production_status import totals

if TYPE_CHECKING:
    from manufacturing.generated.erp import Attempt, Event, Order, Piece, Quote, Run


@dataclass(frozen=True)
class Happening:
    """What happened to an order or a build.

    tone : as of a chip; icon : its Tabler name; uri : of what it links to; note : beside the time
    """

    at: datetime
    label: str | Promise
    tone: str
    icon: str
    uri: str = ""
    note: str = ""

    @property
    def path(self) -> str:
        """The page of what it links to."""
        return urlsplit(self.uri).path


@dataclass(frozen=True)
class OrderStep:
    """A step of an order: "done", "current" or "ahead", and when it was reached."""

    label: str | Promise
    state: str
    icon: str
    at: datetime | None = None


# By the type of the event: label, tone and icon. Other events say nothing that others do not.
ORDER_EVENTS: dict[str, tuple[Promise, str, str]] = {
    "order.new": (gettext_lazy("Order reopened"), "warn", "refresh"),
    "order.confirmed": (gettext_lazy("Order confirmed"), "ok", "circle-check"),
    "order.in-progress": (gettext_lazy("Production started"), "run", "stack-2"),
    "order.complete": (gettext_lazy("Order completed"), "ok", "circle-check"),
    "order.cancelled": (gettext_lazy("Order cancelled"), "bad", "x"),
}
RUN_EVENTS: dict[str, tuple[Promise, str, str]] = {
    "run.calculating": (gettext_lazy("Packing started"), "run", "stack-2"),
    "run.calculated": (gettext_lazy("Build packed"), "ok", "circle-check"),
    "run.queued": (gettext_lazy("Added to the print queue"), "", "list-details"),
    "run.in-progress": (gettext_lazy("Build in progress"), "run", "stack-2"),
    "run.complete": (gettext_lazy("Build completed"), "ok", "circle-check"),
    "run.error": (gettext_lazy("Build failed"), "bad", "x"),
}
# By the `slicing` of an event of a build, which keeps its status while it is sliced.
SLICINGS: dict[str, tuple[Promise, str, str]] = {
    "processing": (gettext_lazy("Slicing started"), "run", "layers-intersect"),
    "processed": (gettext_lazy("Build sliced"), "ok", "circle-check"),
    "error": (gettext_lazy("Slicing failed"), "bad", "x"),
}
ENDINGS = {"done": ("ok", "circle-check"), "stopped": ("warn", "x"), "failed": ("bad", "x")}


def order_timeline(
    order: Order,
    *,
    quotes: Iterable[Quote],
    events: Iterable[Event],
    attempts: Iterable[Attempt],
    pieces: Iterable[Piece],
    names: Mapping[str, str],
) -> list[Happening]:
    """What happened to an order, the latest last.

    names : of builds and printers, by their URIs
    """
    rows = [Happening(_time(order["created"]), _("Order created"), "", "shopping-cart")]
    for quote in quotes:
        rows += _quoted(quote)
    rows += _of_types(events, ORDER_EVENTS)
    rows += attempts_timeline(attempts, names)
    rows += [
        Happening(
            _time(piece["updated"]),
            _("Piece %(number)s rejected") % {"number": piece["number"]},
            "bad",
            "x",
            piece["uri"],
            piece["notes"] or "",
        )
        for piece in pieces
        if piece["status"] == "error"
    ]
    return sorted(rows, key=lambda row: row.at)


def run_timeline(
    run: Run, *, events: Iterable[Event], attempts: Iterable[Attempt], names: Mapping[str, str]
) -> list[Happening]:
    """What happened to a build, the latest last."""
    rows = [Happening(_time(run["created"]), _("Build created"), "", "stack-2")]
    rows += _of_run(events)
    rows += attempts_timeline(attempts, names)
    return sorted(rows, key=lambda row: row.at)


def _of_run(events: Iterable[Event]) -> list[Happening]:
    """The states of a build, and of its slice: an event has both, and tells a change of one."""
    rows, state, slicing = [], "", None
    for event in sorted(events, key=lambda event: event["sequence"]):
        at, stage = _time(event["created"]), event["changes"].get("slicing")
        if event["type"] != state and event["type"] in RUN_EVENTS:
            rows.append(Happening(at, *RUN_EVENTS[event["type"]]))
        if stage != slicing and stage in SLICINGS:
            rows.append(Happening(at, *SLICINGS[stage]))
        state, slicing = event["type"], stage
    return rows


def attempts_timeline(attempts: Iterable[Attempt], names: Mapping[str, str]) -> list[Happening]:
    """Start and end of prints, each with its build and printer."""
    rows = []
    for attempt in attempts:
        place = " · ".join(
            names[uri] for uri in (attempt["run"], attempt["printer"]) if uri in names
        )
        if began := attempt["began"]:
            begin = _("Print started")
            rows.append(Happening(_time(began), begin, "run", "printer", attempt["run"], place))
        ending = ENDINGS.get(attempt["status"])
        if ending and (ended := attempt["ended"]):
            label = ATTEMPTS[attempt["status"]].words
            rows.append(Happening(_time(ended), label, *ending, attempt["run"], place))
    return rows


def steps_of(order: Order, happenings: Iterable[Happening], *, is_quoted: bool) -> list[OrderStep]:
    """The steps of an order; none of a cancelled one.

    is_quoted : whether a quote waits for its acceptance
    """
    reached = {"confirmed": 2, "in-progress": 3, "complete": 5}
    at = reached.get(order["status"], 1 if is_quoted else 0)
    if order["status"] == "cancelled":
        return []
    times = {str(row.label): row.at for row in happenings}
    steps = [
        (_("Draft"), "edit", _time(order["created"])),
        (_("Quoted"), "file-invoice", times.get(_("Quote created"))),
        (_("Confirmed"), "check", times.get(_("Order confirmed"))),
        (_("In production"), "printer", times.get(_("Production started"))),
        (_("Completed"), "circle-check", times.get(_("Order completed"))),
    ]
    return [
        OrderStep(label, _state(number, at), icon if number >= at else "check", when)
        if number <= at
        else OrderStep(label, "ahead", "circle")
        for number, (label, icon, when) in enumerate(steps)
    ]


def _state(number: int, at: int) -> str:
    return "done" if number < at else "current"


def _quoted(quote: Quote) -> list[Happening]:
    figures = totals(quote["totals"])
    amount = figures[-1][1] if figures else ""
    rows = [Happening(_time(quote["created"]), _("Quote created"), "", "file-invoice", note=amount)]
    if quote["accepted"]:
        rows.append(Happening(_time(quote["accepted"]), _("Quote accepted"), "ok", "check"))
    elif quote["status"] == "withdrawn":
        rows.append(Happening(_time(quote["updated"]), _("Quote voided"), "warn", "x"))
    return rows


def _of_types(
    events: Iterable[Event], labels: Mapping[str, tuple[Promise, str, str]]
) -> list[Happening]:
    return [
        Happening(_time(event["created"]), *labels[event["type"]])
        for event in events
        if event["type"] in labels
    ]


def _time(value: str) -> datetime:
    return datetime.fromisoformat(value)

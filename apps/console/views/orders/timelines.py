"""Timelines of orders and builds: what the API says of their events, prints and quotes."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from apps.console.domain.messages import Context
from apps.console.domain.timeline import order_timeline, run_timeline, steps_of
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path

if TYPE_CHECKING:
    from manufacturing.generated.erp import Attempt, Event, Order, Piece, Run

MAX_EVENTS = 100
MAX_ATTEMPTS = 50


def order_history(visit: PageContext, order: Order, pieces: Collection[Piece]) -> Context:
    """Timeline and steps of an order, by its events, quotes, prints and rejected pieces."""
    quotes = visit.all_of("quote", order=order["uri"])
    attempts = _attempts(visit, sorted({piece["run"] for piece in pieces if piece["run"]}))
    happenings = order_timeline(
        order,
        quotes=quotes,
        events=_events(visit, order["uri"]),
        attempts=attempts,
        pieces=pieces,
        names=_names(visit, attempts),
    )
    is_quoted = any(quote["status"] == "open" for quote in quotes)
    return {
        "happenings": happenings,
        "steps": steps_of(order, happenings, is_quoted=is_quoted),
        "zone": zone_of(visit, order["bureau"]),
    }


def run_history(visit: PageContext, run: Run) -> Context:
    """Timeline of a build, by its events and prints."""
    attempts = _attempts(visit, [run["uri"]])
    names = _names(visit, attempts)
    events = _events(visit, run["uri"])
    return {
        "happenings": run_timeline(run, events=events, attempts=attempts, names=names),
        "zone": zone_of(visit, run["bureau"]),
    }


def zone_of(visit: PageContext, shop: str) -> str:
    """The time zone of a shop, by its first working calendar; empty without one, and for UTC."""
    calendars = visit.all_of("working-calendar", limit=1, bureau=shop)
    zone = calendars[0]["time_zone"] if calendars else "UTC"
    return "" if zone == "UTC" else zone


def _events(visit: PageContext, uri: str) -> list[Event]:
    query = {"sort": "-sequence", "page[limit]": MAX_EVENTS}
    return visit.api.list("erp", f"{page_path(uri)}events/", **query)["resources"]


def _attempts(visit: PageContext, runs: list[str]) -> list[Attempt]:
    return visit.all_of("attempt", limit=MAX_ATTEMPTS, run=",".join(runs)) if runs else []


def _names(visit: PageContext, attempts: list[Attempt]) -> dict[str, str]:
    """The names of the builds and printers of prints, by their URIs."""
    names: dict[str, str] = {}
    for kind, uris in (
        ("run", {attempt["run"] for attempt in attempts}),
        ("printer", {attempt["printer"] for attempt in attempts}),
    ):
        rows = visit.all_of(kind, uri=",".join(sorted(uris))) if uris else []
        names |= {row["uri"]: row["name"] for row in rows}
    return names

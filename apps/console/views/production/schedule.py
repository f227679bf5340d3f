"""Schedule view of the production queue: builds of each printer, with predicted times."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

from apps.console.domain.messages import Context, Row
from apps.console.domain.model_report import BAD, CARE
from apps.console.domain.printers.printer_status import UPKEEP
from apps.console.domain.production_status import PRINTERS
from apps.console.domain.schedule import WIDTH, Axis, Job, Lane, Planned, assign
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path
from apps.console.views.printers.farm import print_queue, rows_of, show_printers

if TYPE_CHECKING:
    from apps.console.views.printers.farm import ShownPrinter
    from manufacturing.generated.erp import Run

MAX_TYPES = 20  # whose queues are read


def schedule_of(visit: PageContext, printers: list[ShownPrinter]) -> Context:
    """The printers with their running and queued builds, and the builds that none can print."""
    now = timezone.now().replace(second=0, microsecond=0)  # so that the page seldom changes
    show_printers(visit, printers)
    printers.sort(key=lambda row: (row["name"], row["uri"]))
    by_hand = _started_by_hand(visit, printers)
    lanes = [_lane(row, by_hand.get(row["uri"], []), now) for row in printers]
    types = sorted({row["printer_type"] for row in printers})[:MAX_TYPES]
    waiting = [row for kind in types for row in print_queue(visit, kind)]
    runs = rows_of(visit, "run", (row["run"] for row in waiting))
    why = {row["path"]: row["why"] for row in waiting}
    left = assign(lanes, (_job(runs[row["run"]]) for row in waiting if row["run"] in runs))
    axis = Axis.of(lanes, now)
    return {
        "axis": axis,
        "width": WIDTH,
        "ticks": [axis.x(moment) for moment in axis.ticks],
        "now": axis.x(now),
        "lanes": [
            {"printer": row, "bars": axis.bars(lane), "builds": lane.builds}
            for row, lane in zip(printers, lanes, strict=True)
        ],
        "left": [{"job": job, "why": why[job.path]} for job in left],
    }


def _started_by_hand(visit: PageContext, printers: Iterable[ShownPrinter]) -> dict[str, list[Run]]:
    """By printer, the builds that print without an attempt."""
    with_attempt = {row["run"]["uri"] for row in printers if row["run"]}
    bureaus = ",".join(sorted({row["bureau"] for row in printers}))
    runs = (
        visit.all_of("run", bureau=bureaus, status="in-progress", operation="printing")
        if bureaus
        else []
    )
    by_printer: dict[str, list[Run]] = {}
    for run in runs:
        if run["uri"] not in with_attempt and run["printer"]:
            by_printer.setdefault(run["printer"], []).append(run)
    return by_printer


def _lane(row: ShownPrinter, by_hand: Iterable[Run], now: datetime) -> Lane:
    """A printer with what it prints now."""
    lane = Lane(row["uri"], row["printer_type"], now)
    for run in by_hand:
        seconds, began = _seconds(run), run["actuals"]["start"]
        if seconds is None or not began:
            lane.free = None
            continue
        start = datetime.fromisoformat(began)
        lane.builds.append(_running(run, start, start + timedelta(seconds=seconds), now))
    current, end = row["run"], row["end"]
    if current and end:
        start = end - timedelta(seconds=_seconds(current) or 0)
        lane.builds.append(_running(current, start, end, now))
    unusable = row["state"] in (UPKEEP, PRINTERS["offline"]) or not row["driver"]
    under_way = current and not end and row["state"].sign not in (BAD, CARE)
    if unusable or under_way:
        lane.free = None
    elif lane.free is not None:
        lane.free = max([now, *(build.end for build in lane.builds)])
    return lane


def _running(run: Row, start: datetime, end: datetime, now: datetime) -> Planned:
    """A build that prints; one that takes longer than estimated ends now at the earliest."""
    return Planned(run["name"], page_path(run["uri"]), start, max(end, now), is_queued=False)


def _seconds(run: Row) -> float | None:
    return (run["estimates"] or {}).get("print_time")


def _job(run: Run) -> Job:
    bound = "" if run["any_of_type"] else run["printer"] or ""
    return Job(run["name"], page_path(run["uri"]), run["printer_type"] or "", bound, _seconds(run))

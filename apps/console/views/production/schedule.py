"""Schedule view of the production queue: builds of each printer, with predicted times."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone

from apps.console.domain.messages import Context, error_message
from apps.console.domain.schedule import WIDTH, Axis, PlannedBuild
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path
from apps.console.views.printers.farm import show_printers

if TYPE_CHECKING:
    from apps.console.views.printers.farm import ShownPrinter
    from manufacturing.generated.erp import Bureau, Schedule


def schedule_of(visit: PageContext, shop: Bureau, printers: list[ShownPrinter]) -> Context:
    """The printers with their running and queued builds, and the builds without a time."""
    now = timezone.now().replace(second=0, microsecond=0)  # so that the page seldom changes
    schedule: Schedule = visit.api.get(f"{shop['uri']}schedule/")
    show_printers(visit, printers)
    printers.sort(key=lambda row: (row["name"], row["uri"]))
    builds: dict[str, list[PlannedBuild]] = defaultdict(list)
    for row in schedule["prints"]:
        start, end = (datetime.fromisoformat(row[name]) for name in ("start", "end"))
        build = PlannedBuild(row["name"], page_path(row["run"]), start, end, row["queued"])
        builds[row["printer"]].append(build)
    axis = Axis.of((build for each in builds.values() for build in each), now)
    return {
        "axis": axis,
        "width": WIDTH,
        "ticks": [axis.x(moment) for moment in axis.ticks],
        "now": axis.x(now),
        "lanes": [
            {"printer": row, "bars": axis.bars(builds[row["uri"]]), "builds": builds[row["uri"]]}
            for row in printers
        ],
        "left": [
            {**row, "path": page_path(row["run"]), "why": error_message(row["reason"])}
            for row in schedule["unscheduled"]
        ],
    }

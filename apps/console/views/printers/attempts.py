"""Page of a print attempt: what happened, and the readings of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.http import HttpResponse

from apps.console.domain.messages import Shown, duration
from apps.console.domain.printers.attempt_charts import AttemptChart, attempt_chart
from apps.console.domain.printers.camera_pictures import shown_picture
from apps.console.domain.printers.printer_status import ATTEMPTS
from apps.console.domain.resources.resource_values import moment
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path, uuid_of
from apps.console.views.printers.farm import is_seen

WATCH_INTERVAL = 2000  # ms between two looks of an open page

if TYPE_CHECKING:
    from manufacturing.generated.erp import Attempt


@page("GET")
def attempt(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Show an attempt, its readings, and the reports about it."""
    row = visit.api.get(api_uri("attempt", uuid))
    printer = visit.api.find(row["printer"])
    seconds = row["printing_seconds"]
    runs = row["began"] and not row["ended"]
    watched = printer if runs and printer and is_seen(printer) else None
    if watched:
        visit.api.ask("POST", f"{watched['uri']}watch/")
    return visit.show(
        "attempt",
        attempt=shown_attempt(row),
        printer={**printer, "path": page_path(printer["uri"])} if printer else None,
        run=visit.api.find(row["run"]),
        time=duration(seconds) if seconds else "",
        estimate=duration(row["estimated_seconds"]) if row["estimated_seconds"] else "",
        mass=row["used"]["mass"] if row["used"] else None,
        chart=chart_of(visit, row),
        camera=shown_picture(watched["camera"]) if watched else None,
        watch_interval=WATCH_INTERVAL if watched else 0,
        pictures=_pictures(visit, row),
    )


def _pictures(visit: PageContext, attempt: Attempt) -> list[Shown]:
    """The pictures of the camera when an attempt paused or ended, with labels and times."""
    path = f"{page_path(attempt['uri'])}pictures/"
    rows = visit.api.list("erp", path, **{"page[limit]": 100})["resources"]
    return [
        {
            "content": row["content"],
            "state": ATTEMPTS[row["status"]],
            "at": moment(row["at"]),
        }
        for row in rows
    ]


def chart_of(visit: PageContext, attempt: Attempt) -> AttemptChart | None:
    """Return the chart of an attempt; None before there are readings."""
    if not attempt["began"]:
        return None
    return attempt_chart(visit.api.get(f"{attempt['uri']}readings/"))


def shown_attempt(attempt: Attempt) -> Shown:
    """Return an attempt with labels and times of its fields."""
    return {
        **attempt,
        "uuid": uuid_of(attempt["uri"]),
        "path": page_path(attempt["uri"]),
        "run_path": page_path(attempt["run"]),
        "state": ATTEMPTS[attempt["status"]],
        "percent": round(100 * (attempt["progress"] or 0)),
        "began": moment(attempt["began"]),
        "ended": moment(attempt["ended"]),
        "evidence": [
            {"at": moment(entry["at"]), "words": ATTEMPTS[what].words}
            for entry in attempt["evidence"]
            if (what := entry["what"].partition(":")[0]) in ATTEMPTS
        ],
    }

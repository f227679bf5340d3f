"""Page of a print attempt: what happened, its pieces, and the readings of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict
from uuid import UUID

from django.http import HttpResponse

from apps.console.domain.messages import LocalizedText, Shown, duration, error_message
from apps.console.domain.printers.attempt_charts import AttemptChart, attempt_chart
from apps.console.domain.printers.camera_pictures import shown_picture
from apps.console.domain.printers.printer_status import ATTEMPTS, exclusion_state
from apps.console.domain.resources.resource_values import moment
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path, uuid_of
from apps.console.views.printers.farm import is_seen
from core.uris import base_url
from core.web.internal_client import ApiError

MAX_PIECES = 100  # that a page shows
WATCH_INTERVAL = 2000  # ms between two looks of an open page

if TYPE_CHECKING:
    from apps.console.domain.production_status import State
    from manufacturing.generated.erp import Attempt, PrintedPiece


class ShownPiece(TypedDict):
    """A piece of a print, or an object that makes none.

    key    : of the piece, or of the object
    path   : of the piece; empty for an object
    center : of the object on the bed, mm
    why    : the machine cannot exclude it
    """

    key: str
    path: str
    name: str
    number: int | None
    object: str | None
    center: dict[str, float] | None
    state: State
    why: LocalizedText | None
    can_exclude: bool


@page("GET", "POST")
def attempt(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Show an attempt, its pieces, its readings, and the reports about it."""
    row = visit.api.get(api_uri("attempt", uuid))
    action = visit.request.POST.get("action")
    if action not in ("exclude", "timelapse"):
        return _shown(visit, row)
    try:
        if action == "timelapse":
            visit.api.ask("POST", f"{row['uri']}make-timelapse/")
        else:
            visit.api.ask("PUT", row["uri"], _excluded(visit))
    except ApiError as declined:
        return _shown(visit, row, declined)
    return visit.go(row["uri"], done="excluded" if action == "exclude" else "")


def _excluded(visit: PageContext) -> dict[str, str]:
    """What is to be excluded: a piece, or an object that makes none."""
    if key := visit.request.POST.get("object", ""):
        return {"skip_object": key}
    return {"skip": f"{base_url('erp')}/piece/{visit.request.POST.get('piece', '')}/"}


def _shown(visit: PageContext, row: Attempt, declined: ApiError | None = None) -> HttpResponse:
    printer = visit.api.find(row["printer"])
    seconds = row["printing_seconds"]
    runs = row["began"] and not row["ended"]
    watched = printer if runs and printer and is_seen(printer) else None
    if watched:
        visit.api.ask("POST", f"{watched['uri']}watch/")
    pieces, more = _pieces(visit, row)
    chosen = visit.request.GET.get("exclude", "")
    reasons = {str(one["why"] or ""): one["why"] for one in pieces if one["can_exclude"]}
    return visit.show(
        "attempt",
        declined.http_status if declined else 200,
        refused=[error_message(error) for error in declined.errors] if declined else [],
        pieces=pieces,
        more=more,
        shared=next(iter(reasons.values())) if len(reasons) == 1 else None,
        chosen=next((one for one in pieces if one["key"] == chosen and one["can_exclude"]), None),
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
        timelapse=visit.api.get(f"{row['uri']}timelapse/") if row["began"] else None,
        may_change=visit.api.may("PUT", row["uri"]),
    )


def goes_on(attempt: Attempt) -> bool:
    """Whether pieces can be excluded from the print."""
    return attempt["status"] in ("printing", "paused") and not attempt["detached"]


def _pieces(visit: PageContext, attempt: Attempt) -> tuple[list[ShownPiece], int]:
    """The pieces of a print that goes on, or those that were excluded from it; how many more."""
    may_exclude = goes_on(attempt) and visit.api.may("PUT", attempt["uri"])
    if not may_exclude and not attempt["skips"]:
        return [], 0
    path = f"{page_path(attempt['uri'])}objects/"
    answer = visit.api.list("erp", path, **{"page[limit]": MAX_PIECES})
    rows = answer["resources"]
    pieces: list[ShownPiece] = [
        {
            "key": uuid_of(row["piece"]) if row["piece"] else str(row["key"]),
            "path": page_path(row["piece"]) if row["piece"] else "",
            "name": row["name"],
            "number": row["number"],
            "object": row["object"] if row["piece"] else None,
            "center": row["center"],
            "state": exclusion_state(row),
            "why": error_message(row["reason"]) if row["reason"] else None,
            "can_exclude": may_exclude and _can_exclude(row),
        }
        for row in rows
        if may_exclude or row["skipped"]
    ]
    return pieces, answer["meta"]["count"] - len(rows)


def _can_exclude(row: PrintedPiece) -> bool:
    """Whether it can be excluded; a piece also where the machine cannot, since it is rejected."""
    if row["piece"]:
        return row["status"] == "in-progress"
    return not row["skipped"] and row["reason"] is None


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

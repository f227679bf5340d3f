"""Status labels and actions of printers and print attempts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.model_report import BAD, CARE, GOOD, WAIT
from apps.console.domain.production_status import PRINTERS, State

if TYPE_CHECKING:
    from manufacturing.generated.erp import Attempt, Printer, Run

ATTEMPTS = {
    "planned": State(CARE, _("Ready to start")),
    "sent": State(WAIT, _("File uploaded")),
    "armed": State(WAIT, _("Starting")),
    "printing": State(WAIT, _("Printing")),
    "paused": State(CARE, _("Paused")),
    "unclear": State(CARE, _("State unknown: check the printer.")),
    "never": State(BAD, _("Did not start")),
    "done": State(GOOD, _("Print finished")),
    "stopped": State(BAD, _("Print stopped")),
    "failed": State(BAD, _("Print failed")),
}
PRINTED = ("done", "stopped", "failed")
CLEAR_IT = State(CARE, _("Bed not cleared"))
LOOK = State(CARE, _("Check that the bed is empty"))
UPKEEP = State(CARE, _("In maintenance"))

# By the state of an attempt, what a person at the machine may say next: word, label, and whether
# it is the usual one, another, or bad news.
Word = tuple[str, str | Promise, str]
_ENDS: list[Word] = [
    ("done", _("Mark as finished"), ""),
    ("stopped", _("Mark as stopped"), "danger"),
    ("failed", _("Mark as failed"), "danger"),
]
WORDS: dict[str, list[Word]] = {
    "planned": [("printing", _("Mark as printing"), ""), ("never", _("Cancel print"), "second")],
    "printing": [*_ENDS[:1], ("paused", _("Mark as paused"), "second"), *_ENDS[1:]],
    "paused": [("printing", _("Mark as resumed"), ""), *_ENDS[1:]],
    "unclear": [
        ("done", _("Print succeeded"), ""),
        ("failed", _("Print failed"), "danger"),
        ("never", _("Never started"), "second"),
    ],
}


def state_of(printer: Printer, attempt: Attempt | None) -> State:
    """What a printer does, or needs.

    attempt : what it prints, or what lies on its plate
    """
    if attempt and attempt["status"] in PRINTED:
        failed = attempt["status"] == "failed"
        return State(BAD, CLEAR_IT.words) if failed else CLEAR_IT
    if attempt:
        return ATTEMPTS[attempt["status"]]
    if printer["maintenance"]:
        return UPKEEP
    if printer["driver"] and printer["plate"] != "clear":
        return LOOK
    return PRINTERS[printer["status"]]


def urgency(state: State, end: datetime | None) -> tuple[int, float]:
    """What a farm is sorted by: first what waits for a person, then what ends soonest."""
    return (
        (CARE, BAD, WAIT, GOOD).index(state.sign) // 2,
        end.timestamp() if end else float("inf"),
    )


def end_of(attempt: Attempt, run: Run | None) -> datetime | None:
    """When a print probably ends, by its gcode."""
    estimates = run["estimates"] if run else None
    seconds = (estimates or {}).get("print_time")
    if attempt["status"] != "printing" or not seconds or not attempt["began"]:
        return None
    return datetime.fromisoformat(attempt["began"]) + timedelta(seconds=seconds)

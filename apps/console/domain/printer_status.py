"""Status labels and actions of printers and print attempts."""

from datetime import datetime, timedelta
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.model_report import BAD, CARE, GOOD, WAIT
from apps.console.domain.production_status import PRINTERS, State

ATTEMPTS = {
    "planned": State(CARE, _("It waits to be started.")),
    "sent": State(WAIT, _("The printer has its file.")),
    "armed": State(WAIT, _("It is about to begin.")),
    "printing": State(WAIT, _("It prints.")),
    "paused": State(CARE, _("It is paused.")),
    "unclear": State(CARE, _("Nobody knows what became of it: look at the printer.")),
    "never": State(BAD, _("It did not begin.")),
    "done": State(GOOD, _("The print is done.")),
    "stopped": State(BAD, _("The print was stopped.")),
    "failed": State(BAD, _("The print has failed.")),
}
PRINTED = ("done", "stopped", "failed")
CLEAR_IT = State(CARE, _("A print lies on it: clear the plate."))
LOOK = State(CARE, _("Look at the plate: is it empty?"))
UPKEEP = State(CARE, _("It is in maintenance."))

# By the state of an attempt, what a person at the machine may say next: word, label, and whether
# it is the usual one, another, or bad news.
Word = tuple[str, str | Promise, str]
_ENDS: list[Word] = [
    ("done", _("It is done"), ""),
    ("stopped", _("It was stopped"), "danger"),
    ("failed", _("It has failed"), "danger"),
]
WORDS: dict[str, list[Word]] = {
    "planned": [("printing", _("It is printing now"), ""), ("never", _("Not now"), "second")],
    "printing": [*_ENDS[:1], ("paused", _("It is paused"), "second"), *_ENDS[1:]],
    "paused": [("printing", _("It goes on"), ""), *_ENDS[1:]],
    "unclear": [
        ("done", _("It is whole"), ""),
        ("failed", _("It is scrap"), "danger"),
        ("never", _("It never began"), "second"),
    ],
}


def state_of(printer: dict[str, Any], attempt: dict[str, Any] | None) -> State:
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


def end_of(attempt: dict[str, Any], run: dict[str, Any] | None) -> datetime | None:
    """When a print probably ends, by its gcode."""
    seconds = ((run or {}).get("estimates") or {}).get("print_time")
    if attempt["status"] != "printing" or not seconds or not attempt["began"]:
        return None
    return datetime.fromisoformat(attempt["began"]) + timedelta(seconds=seconds)

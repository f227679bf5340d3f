"""Status labels and actions of printers and print attempts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.model_report import BAD, CARE, GOOD, WAIT
from apps.console.domain.production_status import PIECES, PRINTERS, State

if TYPE_CHECKING:
    from manufacturing.generated.erp import Attempt, PrintedPiece, Printer, Run

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
# While the machine has not followed a request yet.
WANTED = {
    "printing": State(WAIT, _("Resuming")),
    "paused": State(WAIT, _("Pausing")),
    "stopped": State(WAIT, _("Cancelling")),
}
PRINTED = ("done", "stopped", "failed")
CLEAR_IT = State(CARE, _("Bed not cleared"))
LOOK = State(CARE, _("Check bed"))
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
# The same where an agent sees the machine: it reports what happens, and a person gives commands.
COMMANDS: dict[str, list[Word]] = {
    "planned": [("never", _("Cancel print"), "danger")],
    "sent": [("never", _("Cancel print"), "danger")],
    "printing": [("paused", _("Pause"), "second"), ("stopped", _("Cancel print"), "danger")],
    "paused": [("printing", _("Resume"), ""), ("stopped", _("Cancel print"), "danger")],
    "unclear": WORDS["unclear"],
}
# In these states of a machine a person reports what it does, and overrides its agent.
UNSEEN = ("offline", "attention", "failed")


# What became of a piece that was excluded from a print.
EXCLUSIONS = {
    None: State(WAIT, _("Being excluded")),
    "skipped": State(GOOD, _("Excluded")),
    "asked": State(CARE, _("Exclusion requested")),
    "cannot": State(BAD, _("Not excluded")),
}


def exclusion_state(piece: PrintedPiece) -> State:
    """Return what happens to an object of a print."""
    if piece["skipped"]:
        return EXCLUSIONS[piece["how"]]
    if piece["status"] in (None, "in-progress"):
        return ATTEMPTS["printing"]
    return PIECES[piece["status"]]


def machine_of(printer: Printer) -> str | None:
    """Return the state of a printer's machine; None where a person operates it."""
    if printer["driver"] in (None, "manual"):
        return None
    return printer["machine"]["state"] if printer["machine"] else "offline"


def actions_of(printer: Printer, attempt: Attempt) -> list[Word]:
    """Return what a person may report of an attempt, or may have its machine do."""
    status, machine = attempt["status"], machine_of(printer)
    choices = (WORDS if machine in (None, *UNSEEN) else COMMANDS).get(status, [])
    return [word for word in choices if word[0] != "never" or not attempt["began"]]


def state_of(printer: Printer, attempt: Attempt | None) -> State:
    """Return what a printer does, or needs from a person.

    attempt : what it prints, or what lies on its bed
    """
    if attempt and attempt["status"] in PRINTED:
        failed = attempt["status"] == "failed"
        return State(BAD, CLEAR_IT.words) if failed else CLEAR_IT
    if machine_of(printer) == "offline":
        return PRINTERS["offline"]
    if attempt:
        return WANTED.get(attempt["wanted"] or "", ATTEMPTS[attempt["status"]])
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

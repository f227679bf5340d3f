"""Plan print attempts, report by hand, clear the bed."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.erp.base.domain.events import emit_status
from apps.erp.base.domain.notifications import Kind, settle
from apps.erp.base.domain.transitions import TransitionRefused
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.domain.automatic_prints import plan_prints
from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.domain.dispatching import (
    RULES,
    candidates,
    facts_of,
    obstacles_of_run,
    printers_for,
)
from apps.erp.printing.services.exclusions import (
    PieceNotOnPlate,
    exclude_object,
    exclude_piece,
    nothing_to_exclude,
)
from apps.erp.production.domain import attempts, reservations
from apps.erp.production.domain.attempts import AttemptOpen, carry_out, plate_of
from apps.erp.production.domain.obstacles import Obstacle
from apps.erp.production.models.attempts import WISHES, Attempt
from apps.erp.production.models.runs import Run
from apps.erp.production.services import pieces, runs
from core.auth_user import Person
from core.errors import Conflict, InvalidFields, ServiceError
from machines.drivers import MachineStatus
from machines.rules import AT_WORK, Effects
from machines.states import AttemptState, PlateState

_MOVABLE = (Run.Status.CALCULATED, Run.Status.QUEUED)


class NotPrintable(InvalidFields):
    """Every reason why a run is not printed on a printer."""

    status = 409


class NoPrinterFree(Conflict):
    """None of the printers of its type takes the run."""

    code = "no-printer-free"


class PlateNotClear(Conflict):
    """Nothing is begun on a plate that may not be empty."""

    code = "plate-not-clear"


class NothingOnPlate(Conflict):
    """Pieces are rejected, or a print is repeated, where none lies on the plate."""

    code = "nothing-on-plate"


class PrintInProgress(Conflict):
    """The machine prints: it reports the end, and its bed is not empty."""

    code = "print-in-progress"


# ---------------------------------------------------------------- planning


@transaction.atomic
def create(
    *,
    actor: Person,
    run: Run,
    printer: Printer | None = None,
    status: str = AttemptState.PLANNED,
    notes: str = "",
    skip: Piece | None = None,
    skip_object: str = "",
    progress: float | None = None,
) -> Attempt:
    """Plan to print a run: on this printer, or on the first of its type that takes it."""
    if skip is not None or skip_object:
        field = "skip" if skip else "skip_object"
        raise nothing_to_exclude("An attempt that is planned", field)
    if progress is not None:
        title = "An attempt that is planned has printed nothing: report its progress when it ends."
        raise ServiceError(title, code="property-value-not-in-allowed-values", field="progress")
    if status != AttemptState.PLANNED:
        words = "An attempt is planned when it is made: change its status afterwards."
        raise ServiceError(words, code="property-value-not-in-allowed-values", field="status")
    possible = Printer.objects.filter(pk=printer.pk) if printer else printers_for(run)
    attempts.locked_printers(possible.values_list("pk", flat=True))
    run = Run.objects.select_for_update(no_key=True, of=("self",)).get(pk=run.pk)
    chosen = _chosen(run, printer)
    return _plan(actor=actor, run=run, printer=chosen, notes=notes)


def _chosen(run: Run, printer: Printer | None) -> Printer:
    """The printer that takes the run. Raises NotPrintable, or NoPrinterFree."""
    if own := list(obstacles_of_run(*facts_of([run]))):
        raise _rejection(own, "run")
    if printer is not None:
        rows = Printer.objects.prefetch_related("loaded__material", "due_maintenance__task")
        row = rows.get(pk=printer.pk)
        (found,) = candidates(run, [row])
        if found.obstacles:
            raise _rejection(found.obstacles, "printer")
        return found.printer
    every = candidates(run, printers_for(run))
    for found in every:
        if not found.obstacles:
            return found.printer
    codes = {found.printer.uri: [one.code for one in found.obstacles] for found in every[:10]}
    raise NoPrinterFree(
        f"None of {len(every)} printers takes the run now: its candidates say why.",
        details={"printers": codes},
    )


def _rejection(obstacles: list[Obstacle], field: str) -> NotPrintable:
    return NotPrintable([Conflict(title, code=code, field=field) for code, title in obstacles])


def _plan(*, actor: Person, run: Run, printer: Printer, notes: str = "") -> Attempt:
    attempt = Attempt(bureau=run.bureau, run=run, printer=printer, notes=notes, creator=actor)
    attempt.name = attempt.named()
    attempt.save()
    if run.printer_id != printer.pk:
        run.printer = printer
        run.save(update_fields=["printer", "updated"])
    reservations.reserve(run)
    if run.status == Run.Status.CALCULATED:
        runs.move(run, Run.Status.QUEUED)
    attempts.ring(printer)
    return attempt


# ---------------------------------------------------------------- a person is the machine


@transaction.atomic
def change(
    *,
    actor: Person,
    row: Attempt,
    status: str | None = None,
    notes: str | None = None,
    skip: Piece | None = None,
    skip_object: str = "",
    progress: float | None = None,
) -> None:
    """A person says what the machine does, or did; what a program drives is asked to do it.

    skip        : a piece that went wrong, to be left out of what is being printed, and replaced
    skip_object : key of an object without a piece, to be left out
    progress    : the part that a stopped or failed print had printed, 0..1, by which it used
                  material
    """
    (printer,) = attempts.locked_printers([row.printer_id])
    run = Run.objects.select_for_update(no_key=True, of=("self",)).get(pk=row.run_id)
    row = Attempt.objects.get(pk=row.pk)
    if notes is not None:
        row.notes = notes
        row.save(update_fields=["notes", "updated"])
    if skip is not None:
        exclude_piece(row, run, skip)
        row.refresh_from_db()
    if skip_object:
        exclude_object(row, skip_object)
    if status is None or (status == row.status and row.wanted is None):
        return
    if (
        printer.driven
        and AttemptState(status) in WISHES
        and row.state in (AttemptState.PRINTING, AttemptState.PAUSED)
    ):
        _wish(row, AttemptState(status), printer)
        return
    _require_known(row, AttemptState(status), printer)
    _require_unseen(row, AttemptState(status), printer)
    effects = _said(row, AttemptState(status), plate_of(printer))
    at = timezone.now()
    machine = printer.doing
    if progress is not None and AttemptState(status) in (AttemptState.STOPPED, AttemptState.FAILED):
        row.progress = progress
        row.save(update_fields=["progress", "updated"])
    carry_out(row, effects, printer=printer, at=at)
    row.note(at=at, by=actor.uri, what=f"{status}: machine {machine}" if machine else status)
    row.save(update_fields=["evidence", "updated"])
    follow(row, run, effects, at=at)


def follow(attempt: Attempt, run: Run, effects: Effects, *, at: datetime) -> None:
    """Tell of an attempt that was moved, and begin its run with it; both are locked."""
    if effects.begins and not attempt.detached and run.status in _MOVABLE:
        runs.move(run, Run.Status.IN_PROGRESS, at=at, news=[attempt])
    else:
        emit_status(attempt)


def _require_known(attempt: Attempt, word: AttemptState, printer: Printer) -> None:
    """Raise AttemptOpen where an agent may be starting what is said to have never begun."""
    asking = printer.doing not in (None, MachineStatus.OFFLINE)
    if word is AttemptState.NEVER and attempt.state is AttemptState.ARMED and asking:
        words = f"Its agent may start {attempt.name} at this moment: wait until it tells."
        raise AttemptOpen(words, field="status", details={"attempt": attempt.uri})


def _require_unseen(attempt: Attempt, word: AttemptState, printer: Printer) -> None:
    """Raise PrintInProgress where the agent sees the machine, and so reports the attempt itself."""
    machine = printer.doing
    if machine is None:
        return
    prints = attempts.prints(attempt, printer)
    if RULES.accepts(attempt.state, word, machine, prints=prints):
        return
    seen = f"{machine} {printer.job}" if printer.job else str(machine)
    raise PrintInProgress(
        f"{attempt.name} cannot be set to {word} by hand: its agent sees the machine ({seen}) and "
        "reports how the print goes on. Cancel the print, or wait for its end.",
        field="status",
        details={"attempt": attempt.uri, "machine": machine},
    )


def _wish(attempt: Attempt, word: AttemptState, printer: Printer) -> None:
    """Have the machine do it: the attempt comes to it once the machine is seen to."""
    attempt.wanted = None if word is attempt.state else word.value
    attempt.save(update_fields=["wanted", "updated"])
    attempts.ring(printer)


def _said(attempt: Attempt, word: AttemptState, plate: PlateState) -> Effects:
    """What follows from a person's word. Raises TransitionRefused, or PlateNotClear."""
    effects = RULES.said(attempt.state, word, plate)
    if word is AttemptState.NEVER and attempt.began:
        raise TransitionRefused(attempt, word, "it was seen printing: say how it ended.")
    if effects.through:
        return effects
    if RULES.said(attempt.state, word, PlateState.CLEAR).through:
        raise PlateNotClear(
            f"The plate of {attempt.printer.uri} is {plate}: clear it, then start.",
            field="status",
        )
    over = attempt.status in Attempt.ENDED
    why = "its story is over." if over else "that is not what follows, or not for people to say."
    raise TransitionRefused(attempt, word, why)


# ---------------------------------------------------------------- clearing the plate


@transaction.atomic
def clear(
    *,
    actor: Person,
    printer: Printer,
    rejected: list[tuple[Piece, str]] | None = None,
    again: bool = False,
) -> None:
    """A person has emptied the plate, and says which pieces are no good.

    rejected : left out, none of what is done, and all of what was stopped or has failed
    again    : the run is to be printed once more, since nothing of it is any good
    """
    (printer,) = attempts.locked_printers([printer.pk])
    _require_settled(printer)
    if printer.doing in AT_WORK:
        raise PrintInProgress(
            f"The machine of {printer.name} is {printer.doing} ({printer.job or 'no file name'}): "
            "its bed can be cleared once it has ended.",
            details={"machine": printer.doing},
        )
    lying = attempts.lying_on(printer)
    if lying is not None:
        lying.cleared = timezone.now()
        lying.save(update_fields=["cleared", "updated"])
    printer.plate = PlateState.CLEAR.value
    settle(printer, Kind.BED_TO_CLEAR, Kind.PRINTER_ATTENTION)
    attempts.show(printer)
    if lying is None or lying.detached:
        if rejected or again:
            words = "No print lies on this plate whose pieces could be moved: send an empty object."
            raise NothingOnPlate(words)
    elif again:
        _print_again(actor, lying, rejected)
    else:
        _book(lying, rejected)
    plan_prints(printer.bureau_id)


def _require_settled(printer: Printer) -> None:
    open_ones = Attempt.objects.filter(printer=printer, status__in=Attempt.OPEN)
    waiting = (
        AttemptState.PLANNED.value,
        AttemptState.SENT.value,
    )  # without a permit it begins nothing
    held = open_ones.exclude(status__in=waiting).first()
    if held is not None:
        words = f"The attempt {held.uri} is {held.status}: say first what became of it."
        raise AttemptOpen(words, details={"attempt": held.uri})


def _print_again(actor: Person, lying: Attempt, rejected: list[tuple[Piece, str]] | None) -> None:
    if lying.state is AttemptState.DONE or rejected is not None:
        words = "Only what was stopped or has failed is printed again, all of it: leave out again."
        raise TransitionRefused(lying, AttemptState.PLANNED, words, field="again")
    run = Run.objects.select_for_update(no_key=True, of=("self",)).get(pk=lying.run_id)
    _plan(actor=actor, run=run, printer=lying.printer)


def _book(lying: Attempt, rejected: list[tuple[Piece, str]] | None) -> None:
    """Move the pieces of a print, once: rejects are replaced, the rest is through its step."""
    run = Run.objects.select_for_update(no_key=True, of=("self",)).get(pk=lying.run_id)
    inside = Piece.objects.filter(place__run=run, status=Piece.Status.IN_PROGRESS)
    there = {piece.pk: piece for piece in inside}
    if rejected is None:
        bad = [] if lying.state is AttemptState.DONE else [(piece, "") for piece in there.values()]
    else:
        bad = rejected
    _require_there([piece for piece, _ in bad], there, run)
    complete = RULES.cleared(lying.state, rejected=len(bad), pieces=len(there))
    if not run.places.exists():  # G-code that makes no piece of an order
        complete = lying.state is AttemptState.DONE
    pieces.change_pieces(
        [(piece, {"status": Piece.Status.ERROR, **_noted(notes)}) for piece, notes in bad]
    )
    runs.move(run, Run.Status.COMPLETE if complete else Run.Status.ERROR, at=lying.ended)


def _noted(notes: str) -> pieces.PieceChange:
    return {"notes": notes} if notes else {}


def _require_there(bad: list[Piece], there: dict[Any, Piece], run: Run) -> None:
    faults: list[ServiceError] = [
        PieceNotOnPlate(
            f"{piece.uri} is not printed in {run.uri}, or was moved before.",
            field=f"rejected.{at}.piece",
        )
        for at, piece in enumerate(bad)
        if piece.pk not in there
    ]
    if faults:
        raise NotPrintable(faults)

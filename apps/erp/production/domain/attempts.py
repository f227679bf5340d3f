"""Applies state changes of print attempts: printer status, stock, excluded objects.

Whatever changes one takes its locks in one order: printers by key, then runs, and what follows.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.erp.inventory.models.lots import Stock
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import Printer
from apps.erp.production.domain import consumption
from apps.erp.production.domain.maintenance import follow_maintenance
from apps.erp.production.domain.material_usage import expect, used_by
from apps.erp.production.domain.object_exclusion import labels_of_run, obstacle_of
from apps.erp.production.domain.printer_notifications import notify_of_attempt, notify_of_status
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Place, Run
from core.errors import Conflict
from machines.drivers import ExclusionResult, ObjectLabel
from machines.rules import AT_WORK, Effects, shown
from machines.states import ENDS, PRINTED, AttemptState, PlateState

_LYING = Q(status__in=[state.value for state in PRINTED], cleared=None)
# While a machine lays down what it prints.
PRINTING = (AttemptState.PRINTING.value, AttemptState.PAUSED.value)
# Those that hold a printer: under way, or ended and still on its plate.
HOLDING = Q(status__in=Attempt.OPEN) | _LYING


class AttemptOpen(Conflict):
    """What becomes of an attempt has to be known first."""

    code = "attempt-open"


def locked_printers(keys: Iterable[UUID]) -> list[Printer]:
    """These printers, locked until the transaction ends."""
    rows = Printer.objects.filter(pk__in=set(keys)).select_related("agent")
    return list(rows.select_for_update(no_key=True, of=("self",)).order_by("pk"))


def lock_printers_of(run: Run) -> None:
    """Lock the printers that the run's attempts hold: before the run itself."""
    holding = Attempt.objects.filter(HOLDING, run=run)
    locked_printers(holding.values_list("printer", flat=True))


def lock_printers_that_print(pieces: Collection[Piece]) -> None:
    """Lock the printers that print these pieces: before their line items."""
    printing = Attempt.objects.filter(
        run__in=Place.objects.filter(piece__in=pieces).values("run"), status__in=PRINTING
    )
    locked_printers(printing.values_list("printer", flat=True))


def lying_on(printer: Printer) -> Attempt | None:
    """The attempt that has ended, and lies on the plate."""
    return Attempt.objects.filter(_LYING, printer=printer).order_by("pk").last()


def carry_out(attempt: Attempt, effects: Effects, *, printer: Printer, at: datetime) -> None:
    """Move an attempt through its states; its printer is locked, and shows it."""
    expected = attempt.wanted
    for state in effects.through:
        wanted = None if state in ENDS or state == attempt.wanted else attempt.wanted
        further = expect(attempt) if state is AttemptState.ARMED else {}
        attempt.move(state.value, wanted=wanted, **_times(attempt, state, at), **further)
        if state is AttemptState.ARMED:
            attempt.loaded.set(printer.loaded.all())
        elif state in PRINTED:
            _end(attempt, printer)
    if effects.plate is not None:
        printer.plate = effects.plate.value
    show(printer)
    if effects.through:
        notify_of_attempt(attempt, printer, is_wanted=attempt.status == expected)
    ring(printer)


def _end(attempt: Attempt, printer: Printer) -> None:
    """Tell what an attempt that has ended took, and take it from the lots in its printer."""
    attempt.used = used_by(attempt)
    for one in attempt.skips:  # what no report named by now was not left out
        one["how"] = one["how"] or ExclusionResult.CANNOT.value
    attempt.save(update_fields=["used", "skips", "updated"])
    consumption.settle(attempt, printer)
    follow_maintenance(Printer.objects.filter(pk=printer.pk))


def change_spools(printer: Printer, loaded: Collection[Stock]) -> None:
    """Other lots are put into a locked printer: what a print used by now was of those before."""
    if set(loaded) == set(printer.loaded.all()):
        return
    states = [
        state.value
        for state in (
            AttemptState.ARMED,
            AttemptState.PRINTING,
            AttemptState.PAUSED,
            AttemptState.UNCLEAR,
        )
    ]
    attempt = Attempt.objects.filter(printer=printer, status__in=states).first()
    if attempt is None:
        return
    if attempt.began:
        attempt.progress = progress_of(attempt, printer)
        attempt.save(update_fields=["progress", "updated"])
        consumption.use(attempt, printer)
    attempt.loaded.add(*loaded)


def progress_of(attempt: Attempt, printer: Printer) -> float | None:
    """How far it is, as its agent last reported, or was: a part of 1."""
    report = printer.agent.sees(printer) if printer.driven and printer.agent else {}
    live = (
        attempt.state in (AttemptState.PRINTING, AttemptState.PAUSED)
        and report.get("job") == attempt.name
    )
    found: float | None = report["progress"] if live else attempt.progress
    return found


def prints(attempt: Attempt, printer: Printer) -> bool:
    """Return whether the printer is at work on the attempt, as its agent sees it now."""
    return printer.doing in AT_WORK and printer.job == attempt.name


def leave_out(pieces: Collection[Piece]) -> None:
    """Have machines leave out pieces that went wrong while they are printed.

    Whether or not a machine can: the pieces are lost, and replaced.
    """
    places = Place.objects.filter(pk__in=[piece.place_id for piece in pieces])
    of_run = {place.piece_id: place.run_id for place in places}
    printing = Attempt.objects.filter(
        run__in=set(of_run.values()), status__in=PRINTING, detached=False
    )
    for attempt in printing.select_related("printer", "run").select_for_update(of=("self",)):
        labels = labels_of_run(attempt.run)
        for piece in pieces:
            if of_run.get(piece.pk) == attempt.run_id:
                _leave_out(attempt, piece, labels.get(piece.uri))
        attempt.save(update_fields=["skips", "evidence", "updated"])
        ring(attempt.printer)


def _leave_out(attempt: Attempt, piece: Piece, label: ObjectLabel | None) -> None:
    how = ExclusionResult.CANNOT.value if obstacle_of(label, attempt.printer) else None
    known = label._asdict() if label else {"name": None, "number": None, "firmware": None}
    attempt.skips = [*attempt.skips, {"piece": piece.uri, **known, "how": how}]
    if how:
        attempt.note(
            at=timezone.now(), by=attempt.printer.uri, what=f"leave {piece.uri} out: {how}"
        )


def leave_object_out(attempt: Attempt, label: ObjectLabel, title: str) -> None:
    """Have the machine leave out an object that makes no piece; its printer is locked."""
    row = {"piece": None, **label._asdict(), "title": title, "how": None}
    attempt.skips = [*attempt.skips, row]
    attempt.save(update_fields=["skips", "updated"])
    ring(attempt.printer)


def left_out(attempt: Attempt, reported: Mapping[str, str], *, by: str, at: datetime) -> None:
    """Keep what became of objects that were to be left out, by their names."""
    for one in attempt.skips:
        how = reported.get(one["name"])
        if how and one["how"] is None:
            one["how"] = how
            attempt.note(at=at, by=by, what=f"leave {one['piece'] or one['title']} out: {how}")
    attempt.save(update_fields=["skips", "evidence", "updated"])


def ring(printer: Printer) -> None:
    """Have the agents at its location come and look."""
    if printer.driven:
        callbacks.ring_streams(printer.location_id)


def show(printer: Printer) -> None:
    """Have a printer with a machine show what that is at, and keep what is known of its plate."""
    printer.save(update_fields=["plate", "updated"])
    holding = Attempt.objects.filter(HOLDING, printer=printer).order_by("pk").last()
    status = shown(holding.state if holding else None, printer.doing)
    if printer.driver and printer.status != status:
        before = printer.status
        printer.move(status)
        notify_of_status(printer, before=before, holding=holding)


def show_all(printers: QuerySet[Printer]) -> None:
    """Have those of these printers show what they are at that do not."""
    printers = printers.select_related("agent")
    holding = Attempt.objects.filter(HOLDING, printer__in=printers).order_by("pk")
    states = {key: AttemptState(status) for key, status in holding.values_list("printer", "status")}
    changed = [one.pk for one in printers if shown(states.get(one.pk), one.doing) != one.status]
    if changed:
        with transaction.atomic():
            for printer in locked_printers(changed):
                show(printer)


def let_go(run: Run) -> None:
    """A person moves a run: its attempt changes nothing more, or never began.

    Raises AttemptOpen where a machine prints it, or may be about to start it.
    """
    for attempt in Attempt.objects.filter(HOLDING, run=run, detached=False):
        if attempt.state is AttemptState.PLANNED:
            effects = Effects((AttemptState.NEVER,))
            carry_out(attempt, effects, printer=attempt.printer, at=attempt.updated)
        elif attempt.state in (AttemptState.SENT, AttemptState.ARMED):
            raise AttemptOpen(
                f"The attempt {attempt.uri} is {attempt.status}: the machine may be about to start "
                "it. Wait until that is known.",
                details={"attempt": attempt.uri},
            )
        elif prints(attempt, attempt.printer):
            raise AttemptOpen(
                f"The machine prints {attempt.name}: cancel the print {attempt.uri}, or wait for "
                "its end.",
                details={"attempt": attempt.uri},
            )
        else:
            attempt.detached = True
            attempt.save(update_fields=["detached", "updated"])


def forget_attempts(run: Run) -> None:
    """Delete the attempts of a run that is deleted since it never began."""
    for attempt in Attempt.objects.filter(run=run):
        if attempt.status in Attempt.OPEN and attempt.state is not AttemptState.PLANNED:
            words = f"The attempt {attempt.uri} is {attempt.status}: say first what became of it."
            raise AttemptOpen(words, details={"attempt": attempt.uri})
        callbacks.cancel_pending(uri=attempt.uri)
    Attempt.objects.filter(run=run).delete()


def _times(attempt: Attempt, state: AttemptState, at: datetime) -> dict[str, Any]:
    times: dict[str, Any] = {}
    if state is AttemptState.PRINTING:
        times = {"began": attempt.began or at, "printing_since": at}
    elif attempt.printing_since is not None:
        times = {"printing_seconds": attempt.seconds_printed(at), "printing_since": None}
    return times | ({"ended": at} if state in PRINTED else {})


def plate_of(printer: Printer) -> PlateState:
    """What lies on its bed, as the rules know it."""
    return PlateState(printer.plate)

"""Predicted schedule of a bureau: what its printers print now and next, and until when."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.utils import timezone

from apps.erp.automation.domain.attendance import (
    MAX_RUNS,
    active_hours_of,
    attendance_of,
    calendar_of_bureau,
    durations_of,
    jobs_of,
)
from apps.erp.base.models.bureaus import Bureau
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.printing.domain.dispatching import Candidate, candidates_of_runs
from apps.erp.printing.domain.print_queue import queue_of
from apps.erp.production.domain.obstacles import Obstacle
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Run
from machines.drivers import MachineStatus
from machines.schedule import ScheduledPrinter, predict
from machines.states import PlateState
from pricing.working_days import Calendar

MAX_PRINTERS = 1000
MAX_QUEUED = 200  # runs of all types that are scheduled
# Obstacles that end by themselves, once a print has ended and its bed is cleared.
PASSING = frozenset({"printer-busy", "plate-not-clear", "machine-not-idle"})
# What a person who starts a print changes first.
LOADED = frozenset({"other-material", "too-little-material"})
UNKNOWN_TIME = Obstacle("unknown-print-time", "Its print time is unknown: slice it.")
NO_PRINTER = Obstacle("no-printer", "There is no printer of its type.")


class PrintTime(NamedTuple):
    """A run on a printer, from when to when.

    attempt : that prints it; None where it is queued, or was started without one
    """

    run: Run
    printer: Printer
    attempt: Attempt | None
    start: datetime
    end: datetime
    is_queued: bool


@dataclass
class Schedule:
    """Running and predicted prints by their starts, and queued runs without a time, each with the
    reason."""

    prints: list[PrintTime] = field(default_factory=list)
    unscheduled: list[tuple[Run, Obstacle]] = field(default_factory=list)


def schedule_of(bureau: Bureau) -> Schedule:
    """Predict when the queued runs of a bureau are printed, and on which printers.

    Printers in maintenance, offline or without a driver print nothing more, and so do those whose
    print has an unknown time. No more than `MAX_QUEUED` runs are scheduled.
    """
    now = timezone.now().replace(second=0, microsecond=0)
    calendar = calendar_of_bureau(bureau)
    schedule, printers = Schedule(), _printers(bureau)
    running = _running(bureau, now)
    schedule.prints += [row for rows in running.values() for row in rows if row is not None]
    left = MAX_QUEUED
    queued = Run.objects.filter(bureau=bureau, status=Run.Status.QUEUED)
    types = PrinterType.objects.filter(bureau=bureau, pk__in=queued.values("printer_type"))
    for printer_type in types.order_by("pk"):
        queue = list(queue_of(printer_type)[: min(MAX_RUNS, left)])
        left -= len(queue)
        if queue:
            own = printers.get(printer_type.pk, [])
            free = [
                row
                for printer in own
                if (row := _free(printer, running, calendar, now)) is not None
            ]
            _schedule(schedule, queue, own, free)
    schedule.prints.sort(key=lambda row: (row.start, row.run.pk))
    return schedule


def _printers(bureau: Bureau) -> dict[UUID, list[Printer]]:
    """The printers of a bureau by their types."""
    rows = Printer.objects.filter(bureau=bureau).order_by("name", "pk")
    rows = rows.select_related("location", "printer_type", "bureau", "agent")
    rows = rows.prefetch_related("loaded__material", "due_maintenance__task")
    by_type: dict[UUID, list[Printer]] = defaultdict(list)
    for printer in rows[:MAX_PRINTERS]:
        by_type[printer.printer_type_id].append(printer)
    return by_type


def _running(bureau: Bureau, now: datetime) -> dict[UUID, list[PrintTime | None]]:
    """By printer, what it prints now; None is a print of an unknown time."""
    open_ones = Attempt.objects.filter(bureau=bureau, status__in=Attempt.OPEN)
    attempts = list(open_ones.select_related("run", "printer"))
    by_hand = Run.objects.filter(
        bureau=bureau, status=Run.Status.IN_PROGRESS, operation=Run.Operation.PRINTING
    ).exclude(attempts__status__in=Attempt.OPEN)
    runs = list(by_hand.select_related("printer"))
    durations = durations_of([*(attempt.run for attempt in attempts), *runs])
    running: dict[UUID, list[PrintTime | None]] = defaultdict(list)
    for attempt in attempts:
        printed, start = attempt.seconds_printed(now) or 0.0, attempt.began or now
        seconds = durations.get(attempt.run_id)
        row = _print(attempt.run, attempt.printer, start, seconds, now, printed=printed)
        running[attempt.printer_id].append(row and row._replace(attempt=attempt))
    for run in runs:
        if run.printer is not None:
            start = run.started or now
            printed = (now - start).total_seconds()
            row = _print(run, run.printer, start, durations.get(run.pk), now, printed=printed)
            running[run.printer.pk].append(row)
    return running


def _print(
    run: Run,
    printer: Printer,
    start: datetime,
    seconds: float | None,
    now: datetime,
    *,
    printed: float,
) -> PrintTime | None:
    """A print under way; one that takes longer than estimated ends now at the earliest."""
    if seconds is None:
        return None
    end = now + timedelta(seconds=max(seconds - printed, 0.0))
    return PrintTime(run, printer, None, min(start, now), end, is_queued=False)


def _free(
    printer: Printer,
    running: dict[UUID, list[PrintTime | None]],
    calendar: Calendar,
    now: datetime,
) -> ScheduledPrinter | None:
    """A printer for the planner; None where it prints nothing more, or ends at an unknown time."""
    rows = running.get(printer.pk, [])
    blocked = any(due.task.blocks for due in printer.due_maintenance.all())
    if printer.maintenance or blocked or not printer.driver or None in rows:
        return None
    if printer.doing is MachineStatus.OFFLINE:
        return None
    attendance = attendance_of(printer.location, calendar)
    is_clear = printer.plate == PlateState.CLEAR.value and not rows
    end = max([now, *(row.end for row in rows if row is not None)])
    return ScheduledPrinter(
        str(printer.pk),
        now if is_clear else attendance.next_attended(end),
        attendance,
        active_hours_of(printer.location, calendar),
        printer.auto_start and printer.driven,
    )


def _schedule(
    schedule: Schedule,
    queue: Sequence[Run],
    printers: Sequence[Printer],
    free: Sequence[ScheduledPrinter],
) -> None:
    """Add the queued runs of a type to a schedule."""
    runs = {str(run.pk): run for run in queue}
    by_key = {str(printer.pk): printer for printer in printers}
    automatic = {row.key for row in free if row.is_automatic}
    every = candidates_of_runs(queue, printers)
    durations = durations_of(queue)
    printers_of = {
        str(run.pk): {
            str(each.printer.pk) for each in every[run.pk] if not _lasting(each, automatic)
        }
        for run in queue
    }
    jobs = jobs_of([run for run in queue if run.pk in durations])
    predicted = predict(free, jobs, printers_of)
    schedule.prints += [
        PrintTime(runs[row.job], by_key[row.printer], None, row.start, row.end, is_queued=True)
        for row in predicted
    ]
    with_time = {row.job for row in predicted}
    schedule.unscheduled += [
        (run, _main_reason(every[run.pk]) if run.pk in durations else UNKNOWN_TIME)
        for key, run in runs.items()
        if key not in with_time
    ]


def _lasting(candidate: Candidate, automatic: Iterable[str]) -> list[Obstacle]:
    """What keeps a run from a printer also once it is free, or a person has loaded it."""
    by_hand = str(candidate.printer.pk) not in automatic
    passing = PASSING | LOADED if by_hand else PASSING
    return [obstacle for obstacle in candidate.obstacles if obstacle.code not in passing]


def _main_reason(every: Sequence[Candidate]) -> Obstacle:
    """The commonest obstacle of a run on the printers of its type."""
    named = Counter(
        (_lasting(candidate, {str(candidate.printer.pk)}) or candidate.obstacles)[0]
        for candidate in every
        if candidate.obstacles
    )
    return max(named, key=named.__getitem__, default=NO_PRINTER)

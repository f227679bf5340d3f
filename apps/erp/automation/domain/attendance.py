"""Printers that start prints automatically, when people attend them, and what they can print."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from apps.erp.base.models.bureaus import Bureau, Location
from apps.erp.orders.domain.prices.price_lists import calendar_of, list_for
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.printing.domain.dispatching import candidates_of_runs
from apps.erp.production.domain.material_needs import contents_of
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Run
from machines.controller import READY
from machines.start_planning import Attendance, Job
from machines.states import PlateState
from pricing.working_days import Calendar

MAX_RUNS = 40  # of a queue that are looked at in one pass
UNKNOWN_SECONDS = 4 * 3600.0  # of a run without an estimate


def ready_printers() -> QuerySet[Printer]:
    """Printers that start prints automatically and have an empty bed and no print."""
    busy = Attempt.objects.filter(status__in=Attempt.OPEN).values("printer")
    return Printer.objects.filter(
        ~Q(driver=None) & ~Q(driver=Printer.Machine.MANUAL),
        auto_start=True,
        maintenance=False,
        plate=PlateState.CLEAR.value,
    ).exclude(pk__in=busy)


def idle_printers(bureau: Bureau) -> dict[PrinterType, list[Printer]]:
    """Return the printers of a bureau whose machines can start a print now, by their types."""
    rows = ready_printers().filter(bureau=bureau).order_by("pk")
    rows = rows.select_related("location", "printer_type", "bureau", "agent")
    by_type: dict[PrinterType, list[Printer]] = defaultdict(list)
    for printer in rows.prefetch_related("loaded__material"):
        if printer.doing in READY:
            by_type[printer.printer_type].append(printer)
    return by_type


def calendar_of_bureau(bureau: Bureau) -> Calendar:
    """Return the working calendar of the bureau's default price list."""
    row = list_for(bureau, None)
    return calendar_of(row)[0] if row else Calendar()


def attendance_of(location: Location, calendar: Calendar) -> Attendance:
    """Return when people are at a location; always where it has no hours."""
    opens, closes = location.attended_from, location.attended_until
    if opens is None or closes is None or opens == closes:
        return Attendance()
    return Attendance(opens, closes, ZoneInfo(calendar.time_zone), calendar.works_on)


def active_hours_of(location: Location, calendar: Calendar) -> Attendance:
    """Return when prints start automatically at a location: in all but its quiet hours."""
    if location.quiet_from is None or location.quiet_until is None:
        return Attendance()
    return Attendance(location.quiet_until, location.quiet_from, ZoneInfo(calendar.time_zone))


def printable(printers: Collection[Printer], queue: Collection[Run]) -> dict[UUID, list[Run]]:
    """Return the runs of a queue that each printer can print now, in their order."""
    runs: dict[UUID, list[Run]] = {printer.pk: [] for printer in printers}
    every = candidates_of_runs(queue, printers)
    for run in queue:
        for candidate in every[run.pk]:
            if not candidate.obstacles:
                runs[candidate.printer.pk].append(run)
    return runs


def jobs_of(runs: Collection[Run]) -> list[Job]:
    """Return runs of `queue_of` as jobs of the planner."""
    seconds = durations_of(runs)
    return [
        Job(
            str(run.pk),
            seconds.get(run.pk, UNKNOWN_SECONDS),
            getattr(run, "due", None),
            getattr(run, "position", None) is not None,
        )
        for run in runs
    ]


def durations_of(runs: Collection[Run]) -> dict[UUID, float]:
    """Return the estimated print times of runs by their keys, s, as far as there are any."""
    seconds = {run.pk: (run.estimates or {}).get("print_time") for run in runs}
    files = contents_of([run for run in runs if seconds[run.pk] is None])
    seconds |= {key: file.seconds for key, file in files.items()}
    return {key: float(each) for key, each in seconds.items() if each is not None}


def free_times(
    printers: QuerySet[Printer], now: datetime, attendance: Attendance
) -> list[datetime]:
    """Return when each of these printers that prints now can start its next job."""
    open_ones = Attempt.objects.filter(printer__in=printers, status__in=Attempt.OPEN)
    attempts = list(open_ones.select_related("run"))
    durations, times = durations_of([attempt.run for attempt in attempts]), []
    for attempt in attempts:
        duration = durations.get(attempt.run_id, UNKNOWN_SECONDS)
        seconds = duration - (attempt.seconds_printed(now) or 0.0)
        times.append(attendance.next_attended(now + timedelta(seconds=max(seconds, 0.0))))
    return times

"""Automatic starts of queued runs on free printers.

A printer takes part where its owner has set `auto_start`, its agent is online and its bed is clear.
`machines.start_planning` says which of the runs that fit it is started. At a location prints start
one after another (`START_INTERVAL`), so that printers do not heat up at the same moment.
"""

import logging
from datetime import timedelta

from django.utils import timezone

from apps.erp.automation.domain.attendance import (
    MAX_RUNS,
    active_hours_of,
    attendance_of,
    calendar_of_bureau,
    free_times,
    idle_printers,
    jobs_of,
    printable,
)
from apps.erp.base.models.bureaus import Bureau
from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.domain.print_queue import queue_of
from apps.erp.printing.services import attempts
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Run
from core.errors import ServiceError
from machines.start_planning import choose

logger = logging.getLogger(__name__)

START_INTERVAL = timedelta(seconds=20)  # between two starts at a location


def start_prints(bureau: Bureau) -> bool:
    """Start the queued runs that fit a free printer of the bureau, one at each location.

    Returns whether one was started: others of its location can start after `START_INTERVAL`.
    """
    now, calendar = timezone.now(), calendar_of_bureau(bureau)
    recent = Attempt.objects.filter(printer__bureau=bureau, created__gt=now - START_INTERVAL)
    busy = set(recent.values_list("printer__location", flat=True))
    is_started = False
    for printer_type, printers in idle_printers(bureau).items():
        runs = printable(printers, list(queue_of(printer_type)[:MAX_RUNS]))
        others = Printer.objects.filter(bureau=bureau, printer_type=printer_type)
        begun: set[str] = set()  # keys of runs
        for printer in printers:
            location = printer.location
            fitting = {str(run.pk): run for run in runs[printer.pk] if str(run.pk) not in begun}
            hours = active_hours_of(location, calendar)
            if not fitting or location.pk in busy or hours.next_attended(now) > now:
                continue
            attendance = attendance_of(location, calendar)
            jobs = jobs_of(fitting.values())
            job = choose(jobs, now, attendance, free_times(others, now, attendance))
            if job is not None and _start(fitting[job.key], printer):
                is_started = True
                busy.add(location.pk)
                begun.add(job.key)
    return is_started


def _start(run: Run, printer: Printer) -> bool:
    """Whether the print could be planned: something may have changed since the printer was read."""
    try:
        attempts.create(actor=run.creator, run=run, printer=printer, notes="Started automatically.")
    except ServiceError as error:
        logger.info("%s does not start %s: %s", printer.uri, run.uri, error)
        return False
    return True

"""Maintenance of printers: what was used since each task was done, and which tasks are due."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Count, FloatField, QuerySet, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.utils import timezone

from apps.erp.base.domain.notifications import Kind, Work, notify, settle
from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.maintenance import MaintenanceTask
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.maintenance import DueMaintenance, MaintenanceEntry
from machines.states import PRINTED

DECIMALS = 3  # of hours and grams
MAX_NAMED = 3  # tasks in a notification


class Counters(NamedTuple):
    """What a printer has printed in all prints that ended: done, stopped or failed."""

    hours: float = 0
    grams: float = 0
    jobs: int = 0


class Measure(NamedTuple):
    """An interval of a task, and what of it is used."""

    interval: float
    used: float

    @property
    def remaining(self) -> float:
        """Until the task is due; below 0 where it is overdue."""
        return round(self.interval - self.used, DECIMALS)


class TaskState(NamedTuple):
    """A task of a printer; last: its newest entry in the log."""

    task: MaintenanceTask
    last: MaintenanceEntry | None
    measures: Mapping[str, Measure]

    @property
    def is_due(self) -> bool:
        """Whether one of its intervals is used up."""
        return any(measure.remaining <= 0 for measure in self.measures.values())


def counters_of(printers: Collection[UUID]) -> dict[UUID, Counters]:
    """Return the counters of printers that have printed: one statement."""
    ended = Attempt.objects.filter(
        printer__in=printers, status__in=[state.value for state in PRINTED]
    )
    rows = (
        ended.order_by()
        .values_list("printer")
        .annotate(
            seconds=Sum("printing_seconds", default=0.0),
            grams=Sum(Cast(KT("used__mass"), FloatField()), default=0.0),
            jobs=Count("pk"),
        )
    )
    return {
        key: Counters(round(seconds / 3600, DECIMALS), round(grams, DECIMALS), jobs)
        for key, seconds, grams, jobs in rows
    }


def task_states(
    printers: Collection[Printer], *, now: datetime
) -> dict[UUID, tuple[Counters, list[TaskState]]]:
    """Return the counters and tasks of printers that have a plan: three statements.

    A task that is in no log entry counts from the printer's first print, and days from when the
    printer was created.
    """
    plans: dict[UUID, list[MaintenanceTask]] = defaultdict(list)
    types = {printer.printer_type_id for printer in printers}
    for task in MaintenanceTask.objects.filter(printer_type__in=types).order_by("pk"):
        plans[task.printer_type_id].append(task)
    planned = [printer for printer in printers if printer.printer_type_id in plans]
    if not planned:
        return {}
    counters = counters_of([printer.pk for printer in planned])
    entries = MaintenanceEntry.objects.filter(printer__in=planned, task__isnull=False)
    newest = entries.order_by("printer", "task", "-uuid").distinct("printer", "task")
    last = {(entry.printer_id, entry.task_id): entry for entry in newest}
    result = {}
    for printer in planned:
        own = counters.get(printer.pk, Counters())
        states = [
            _state(task, last.get((printer.pk, task.pk)), printer, own, now)
            for task in plans[printer.printer_type_id]
        ]
        result[printer.pk] = (own, states)
    return result


def _state(
    task: MaintenanceTask,
    last: MaintenanceEntry | None,
    printer: Printer,
    counters: Counters,
    now: datetime,
) -> TaskState:
    since = last.created if last else printer.created
    used = {
        "hours": counters.hours - (last.hours if last else 0),
        "grams": counters.grams - (last.grams if last else 0),
        "jobs": counters.jobs - (last.jobs if last else 0),
        "days": (now - since) / timedelta(days=1),
    }
    measures = {
        measure: Measure(interval, round(max(used[measure], 0), DECIMALS))
        for measure, interval in task.intervals.items()
    }
    return TaskState(task, last, measures)


def follow_maintenance(printers: QuerySet[Printer]) -> None:
    """Write which tasks of printers are due, and notify of those that have become due, once each.

    Printers whose tasks change are locked.
    """
    now = timezone.now()
    changed = _changes(list(printers), now)
    if not changed:
        return
    with transaction.atomic():
        rows = Printer.objects.filter(pk__in=changed).order_by("pk")
        locked = list(rows.select_for_update(no_key=True))
        changes = _changes(locked, now)
        for printer in locked:
            if change := changes.get(printer.pk):
                _write(printer, change, now)


def forget_task(task: MaintenanceTask) -> None:
    """Delete what is due of a task that is about to be deleted."""
    for row in DueMaintenance.objects.filter(task=task).select_related("printer"):
        _write(row.printer, _Change(new=[], gone={task.pk}, due=[]), timezone.now())


class _Change(NamedTuple):
    """Tasks of a printer that have become due, keys of those that no longer are, and all due."""

    new: list[MaintenanceTask]
    gone: set[UUID]
    due: list[MaintenanceTask]


def _changes(printers: Collection[Printer], now: datetime) -> dict[UUID, _Change]:
    """Return the changes of printers that have any, by their keys."""
    states = task_states(printers, now=now)
    stored: dict[UUID, set[UUID]] = defaultdict(set)
    for printer, task in DueMaintenance.objects.filter(printer__in=printers).values_list(
        "printer", "task"
    ):
        stored[printer].add(task)
    changes = {}
    for key in {*states, *stored}:
        _counters, own = states.get(key, (Counters(), []))
        due = [state.task for state in own if state.is_due]
        new = [task for task in due if task.pk not in stored[key]]
        gone = stored[key] - {task.pk for task in due}
        if new or gone:
            changes[key] = _Change(new, gone, due)
    return changes


def _write(printer: Printer, change: _Change, now: datetime) -> None:
    rows = DueMaintenance.objects.filter(printer=printer)
    rows.filter(task__in=change.gone).delete()
    DueMaintenance.objects.bulk_create(
        DueMaintenance(printer=printer, task=task, since=now) for task in change.new
    )
    if change.new:
        names = [task.name for task in change.due]
        data = {
            "printer": printer.name,
            "tasks": ", ".join(names[:MAX_NAMED]),
            "more": len(names[MAX_NAMED:]),
        }
        notify(Kind.MAINTENANCE_DUE, printer, Work.PRODUCTION, includes_caller=True, **data)
    elif not rows.exists():
        settle(printer, Kind.MAINTENANCE_DUE)

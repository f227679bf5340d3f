"""Change maintenance plans, and add entries to the maintenance log of a printer."""

from django.db import transaction
from django.db.models import QuerySet

from apps.erp.base.services import resources
from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.maintenance import MaintenanceTask
from apps.erp.production.domain.attempts import locked_printers
from apps.erp.production.domain.maintenance import (
    Counters,
    counters_of,
    follow_maintenance,
    forget_task,
)
from apps.erp.production.models.maintenance import MaintenanceEntry
from core.auth_user import Person
from core.errors import ServiceError

_INTERVALS = tuple(MaintenanceTask.GROUPS["interval"].values())


@transaction.atomic
def create_task(*, actor: Person, **values: object) -> MaintenanceTask:
    """Create a task of a printer type. Raises ServiceError where it has no interval."""
    _require_interval([values.get(name) for name in _INTERVALS])
    task: MaintenanceTask = resources.create(actor=actor, kind=MaintenanceTask, **values)
    follow_maintenance(_printers_of(task))
    return task


@transaction.atomic
def change_task(*, actor: Person, row: MaintenanceTask, **values: object) -> None:
    """Change a task. Raises ServiceError where it would have no interval."""
    _require_interval([values.get(name, getattr(row, name)) for name in _INTERVALS])
    resources.change(actor=actor, row=row, **values)
    follow_maintenance(_printers_of(row))


@transaction.atomic
def delete_task(*, row: MaintenanceTask) -> None:
    """Delete a task; its log entries keep its name."""
    forget_task(row)
    resources.delete(row=row)


@transaction.atomic
def create_entry(
    *,
    actor: Person,
    printer: Printer,
    task: MaintenanceTask | None = None,
    name: str = "",
    notes: str = "",
) -> MaintenanceEntry:
    """Log work on a printer, with its counters of now; a task that was done is due no longer.

    Raises ServiceError for a task of another printer type, or without a task and a name.
    """
    (printer,) = locked_printers([printer.pk])
    if task is not None and task.printer_type_id != printer.printer_type_id:
        title = f"{task.uri} is a task of another printer type than {printer.uri}: send one of its."
        raise ServiceError(title, code="property-value-not-in-allowed-values", field="task")
    if task is None and not name:
        title = "Send the task that was done, or the name of other work."
        raise ServiceError(title, code="missing-parameter", field="task")
    counters = counters_of([printer.pk]).get(printer.pk, Counters())
    values = {"name": name or str(task), "notes": notes, **counters._asdict()}
    entry: MaintenanceEntry = resources.create(
        actor=actor, kind=MaintenanceEntry, printer=printer, task=task, **values
    )
    follow_maintenance(Printer.objects.filter(pk=printer.pk))
    return entry


def _printers_of(task: MaintenanceTask) -> QuerySet[Printer]:
    return Printer.objects.filter(printer_type=task.printer_type_id)


def _require_interval(intervals: list[object]) -> None:
    if all(interval is None for interval in intervals):
        title = "A maintenance task has an interval: send interval with hours, grams, jobs or days."
        raise ServiceError(title, code="missing-parameter", field="interval")

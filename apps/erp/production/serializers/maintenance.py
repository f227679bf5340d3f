"""Maintenance plan and log of a printer, as JSON and back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, TypedDict

from apps.erp.base.serializers.resources import serializer_of
from apps.erp.organisation.models.equipment import Printer
from apps.erp.production.domain.maintenance import Counters, Measure, TaskState
from apps.erp.production.models.maintenance import MaintenanceEntry
from core.api.fields import StrictText
from core.api.openapi.response_types import Uri

# Without a name an entry has that of its task.
MaintenanceEntrySerializer = serializer_of(
    MaintenanceEntry, name=StrictText(max_length=200, allow_blank=True, required=False)
)


class CountersAnswer(TypedDict):
    """What a printer has printed, in prints that ended."""

    hours: Annotated[float, "Print time without pauses, h."]
    grams: Annotated[float, "Material of prints whose usage is known, g."]
    jobs: Annotated[int, "Number of prints that ended: done, stopped or failed."]


class MeasureAnswer(TypedDict):
    """An interval of a task, and what of it is used."""

    interval: Annotated[float, "Interval of the task."]
    used: Annotated[float, "Used since the task was done last."]
    remaining: Annotated[float, "Left until the task is due; negative: overdue."]


class TaskStateAnswer(TypedDict):
    """A task of a printer."""

    task: Uri
    name: str
    notes: str | None
    blocks: bool
    due: Annotated[bool, "Whether one of its intervals is used up."]
    last: Annotated[Uri | None, "Last log entry of the task; null if never done."]
    done: Annotated[datetime | None, "Time of the last log entry; null if never done."]
    hours: Annotated[MeasureAnswer | None, "By print time, h; null: no such interval."]
    grams: Annotated[MeasureAnswer | None, "By material, g; null: no such interval."]
    jobs: Annotated[MeasureAnswer | None, "By ended prints; null: no such interval."]
    days: Annotated[MeasureAnswer | None, "By time, days; null: no such interval."]


class MaintenanceAnswer(TypedDict):
    """Maintenance plan of a printer."""

    printer: Uri
    counters: CountersAnswer
    tasks: Annotated[list[TaskStateAnswer], "Tasks of its printer type, due ones first."]


def maintenance_resource(
    printer: Printer, counters: Counters, states: list[TaskState]
) -> MaintenanceAnswer:
    """Return the maintenance plan of a printer as JSON."""
    states = sorted(states, key=lambda state: not state.is_due)
    return {
        "printer": printer.uri,
        "counters": {"hours": counters.hours, "grams": counters.grams, "jobs": counters.jobs},
        "tasks": [_task(state) for state in states],
    }


def _task(state: TaskState) -> TaskStateAnswer:
    task, last = state.task, state.last
    return {
        "task": task.uri,
        "name": task.name,
        "notes": task.notes or None,
        "blocks": task.blocks,
        "due": state.is_due,
        "last": last.uri if last else None,
        "done": last.created if last else None,
        "hours": _measure(state.measures, "hours"),
        "grams": _measure(state.measures, "grams"),
        "jobs": _measure(state.measures, "jobs"),
        "days": _measure(state.measures, "days"),
    }


def _measure(measures: Mapping[str, Measure], name: str) -> MeasureAnswer | None:
    measure = measures.get(name)
    if measure is None:
        return None
    return {
        "interval": measure.interval,
        "used": measure.used,
        "remaining": measure.remaining,
    }

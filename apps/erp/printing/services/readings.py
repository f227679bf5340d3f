"""Record the readings of machines during print attempts."""

from collections.abc import Mapping
from datetime import timedelta
from typing import NotRequired, TypedDict
from uuid import UUID

from django.utils import timezone

from apps.erp.printing.models.agents import Agent
from apps.erp.printing.models.readings import FIRST_INTERVAL, AttemptReadings, Reading
from apps.erp.production.models.attempts import Attempt
from machines.controller import PRINTING
from machines.states import AttemptState

NOZZLES, BEDS = ("extruder", "nozzle", "tool0"), ("heater_bed", "bed")
MIN_TEMPERATURE, MAX_TEMPERATURE = -300, 2000  # °C
MAX_SECONDS = 2**31 - 1


class Heater(TypedDict):
    """Temperature of a heater, °C."""

    heater: str
    actual: float


class MachineReport(TypedDict):
    """The columns of `Agent.machines` that are recorded."""

    state: str
    job: str | None
    progress: float | None
    temperatures: NotRequired[list[Heater]]


def record_readings(agent: Agent) -> None:
    """Record what the machines of an agent report of their attempts, once an interval."""
    machines: Mapping[str, MachineReport] = agent.machines
    at_work = {key: row for key, row in machines.items() if row["state"] in PRINTING}
    due = _due(at_work) if at_work else {}
    if not due:
        return
    stored = {row.attempt_id: row for row in AttemptReadings.objects.filter(attempt__in=due)}
    rows = [stored.get(key) or AttemptReadings(attempt_id=key) for key in due]
    for row in rows:
        row.add(due[row.attempt_id])
    AttemptReadings.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["attempt"],
        update_fields=["interval", "last", "rows"],
    )


def readings_of(attempt: Attempt) -> AttemptReadings:
    """Return the readings of an attempt; none before the first one."""
    return AttemptReadings.objects.filter(attempt=attempt).first() or AttemptReadings(
        attempt=attempt
    )


def _due(machines: Mapping[str, MachineReport]) -> dict[UUID, Reading]:
    """Return the readings of running attempts whose last one is an interval ago."""
    now = timezone.now()
    attempts = Attempt.objects.filter(
        printer__in=list(machines),
        status__in=(AttemptState.PRINTING, AttemptState.PAUSED),
        began__isnull=False,
    )
    columns = ("pk", "printer_id", "name", "began", "readings__last", "readings__interval")
    due = {}
    for key, printer, name, began, last, interval in attempts.values_list(*columns):
        machine = machines[str(printer)]
        seconds = min(max((now - began) // timedelta(seconds=1), 0), MAX_SECONDS)
        if machine["job"] == name and (
            last is None or seconds >= last + (interval or FIRST_INTERVAL)
        ):
            due[key] = _reading(machine, seconds)
    return due


def _reading(machine: MachineReport, seconds: int) -> Reading:
    heaters = {row["heater"]: row["actual"] for row in machine.get("temperatures", ())}
    progress = machine["progress"]
    return Reading(
        seconds,
        None if progress is None else round(min(max(progress, 0.0), 1.0), 4),
        _degrees(heaters, NOZZLES),
        _degrees(heaters, BEDS),
    )


def _degrees(heaters: Mapping[str, float], names: tuple[str, ...]) -> float | None:
    for name in names:
        if name in heaters:
            return round(min(max(heaters[name], MIN_TEMPERATURE), MAX_TEMPERATURE), 1)
    return None

"""Predicted schedule of a bureau, as JSON."""

from datetime import datetime
from typing import Annotated, TypedDict

from apps.erp.automation.domain.schedule import MAX_QUEUED, Schedule
from apps.erp.printing.serializers.attempts import ReasonAnswer, reason_of
from core.api.openapi.response_types import Uri


class ScheduledPrintAnswer(TypedDict):
    """A run on a printer."""

    run: Uri
    name: Annotated[str, "Name of the run."]
    printer: Uri
    attempt: Annotated[Uri | None, "Attempt that prints it; null: queued, or started without one."]
    start: Annotated[datetime, "Start of the print; predicted where the run is queued."]
    end: Annotated[datetime, "Predicted end of the print."]
    queued: Annotated[bool, "Whether it has not started."]


class RunWithoutTimeAnswer(TypedDict):
    """A queued run without a predicted time."""

    run: Uri
    name: Annotated[str, "Name of the run."]
    reason: Annotated[ReasonAnswer, "Commonest obstacle on the printers of its type."]


class ScheduleAnswer(TypedDict):
    """What the printers of a bureau print now and next."""

    prints: Annotated[list[ScheduledPrintAnswer], "Running and queued runs, by their starts."]
    unscheduled: Annotated[
        list[RunWithoutTimeAnswer],
        f"Queued runs without a time, of the first {MAX_QUEUED} in the print queues.",
    ]


def schedule_resource(schedule: Schedule) -> ScheduleAnswer:
    """Return a schedule as JSON."""
    return {
        "prints": [
            {
                "run": row.run.uri,
                "name": row.run.name,
                "printer": row.printer.uri,
                "attempt": row.attempt.uri if row.attempt else None,
                "start": row.start,
                "end": row.end,
                "queued": row.is_queued,
            }
            for row in schedule.prints
        ],
        "unscheduled": [
            {
                "run": run.uri,
                "name": run.name,
                "reason": reason_of(reason),
            }
            for run, reason in schedule.unscheduled
        ],
    }

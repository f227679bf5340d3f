"""Predicted schedule of printers: which queued job each prints next, from when to when.

An event simulation. The printer that is free first takes its next job; then its bed is cleared in
the attended hours, and it is free again. A printer that starts prints automatically takes the job
of `start_planning.choose` and waits in its quiet hours; at any other a person starts the first job
of the queue, in the attended hours.
"""

import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from machines.start_planning import Attendance, Job, choose


@dataclass(frozen=True)
class ScheduledPrinter:
    """A printer of the type.

    free_at      : when its next job can start: its print has ended, and its bed is cleared
    attendance   : when people are at its location
    active_hours : when prints may start automatically; all others are quiet
    is_automatic : whether it starts prints by itself
    """

    key: str
    free_at: datetime
    attendance: Attendance = Attendance()
    active_hours: Attendance = Attendance()
    is_automatic: bool = False


class PredictedPrint(NamedTuple):
    """A job on a printer."""

    job: str
    printer: str
    start: datetime
    end: datetime


def predict(
    printers: Sequence[ScheduledPrinter],
    queue: Sequence[Job],
    printers_of: Mapping[str, Collection[str]],
) -> list[PredictedPrint]:
    """Return the jobs of a queue with their printers and times, by their starts.

    Jobs that none of the printers can print are left out.

    Parameters
    ----------
    printers : of two that are free at the same time, the first takes its job first
    queue : jobs in the order of the queue
    printers_of : keys of the printers that can print a job, by the key of the job
    """
    free = [(printer.free_at, at) for at, printer in enumerate(printers)]
    heapq.heapify(free)
    waiting, predicted = list(queue), []
    while free and waiting:
        now, at = heapq.heappop(free)
        printer = printers[at]
        jobs = [job for job in waiting if printer.key in printers_of.get(job.key, ())]
        if not jobs:
            continue
        hours = printer.active_hours if printer.is_automatic else printer.attendance
        if (start := hours.next_attended(now)) > now:
            heapq.heappush(free, (start, at))
            continue
        others = [moment for moment, _ in free]
        by_turn = choose(jobs, now, printer.attendance, others) if printer.is_automatic else None
        job = by_turn or jobs[0]
        waiting.remove(job)
        end = now + timedelta(seconds=job.seconds)
        predicted.append(PredictedPrint(job.key, printer.key, now, end))
        heapq.heappush(free, (printer.attendance.next_attended(end), at))
    return predicted

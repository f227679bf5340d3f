"""Schedule of the printers: predicted times of queued builds, and the bars that show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

WIDTH = 1000  # of a strip; the browser stretches it
MIN_SPAN, MAX_SPAN = timedelta(hours=8), timedelta(days=7)
MAX_TICKS = 8
STEPS = [timedelta(hours=hours) for hours in (1, 2, 3, 4, 6, 12, 24)]


class Job(NamedTuple):
    """A build in a print queue.

    printer : that must print it; empty where any of its type may
    seconds : that it prints, estimated; None where that is not known
    """

    name: str
    path: str
    printer_type: str
    printer: str
    seconds: float | None


class Planned(NamedTuple):
    """A build on a printer, from its start to its end.

    is_queued : whether it has not started
    """

    name: str
    path: str
    start: datetime
    end: datetime
    is_queued: bool


@dataclass
class Lane:
    """A printer and its builds.

    free : when it can start the next build; None where that is not known
    """

    uri: str
    printer_type: str
    free: datetime | None
    builds: list[Planned] = field(default_factory=list)


def assign(lanes: Sequence[Lane], jobs: Iterable[Job]) -> list[Job]:
    """Put queued builds, in their order, on the printers that are free first; return the others."""
    left = []
    for job in jobs:
        free = [
            (lane.free, at)
            for at, lane in enumerate(lanes)
            if lane.free and job.printer_type == lane.printer_type and job.printer in ("", lane.uri)
        ]
        if not free or job.seconds is None:
            left.append(job)
            continue
        start, at = min(free)
        end = start + timedelta(seconds=job.seconds)
        lanes[at].free = end
        lanes[at].builds.append(Planned(job.name, job.path, start, end, is_queued=True))
    return left


class TimeBar(NamedTuple):
    """A bar of a strip."""

    x: int
    width: int
    is_queued: bool
    title: str


class Axis(NamedTuple):
    """The time that strips show, and its ticks."""

    start: datetime
    end: datetime
    ticks: list[datetime]

    @classmethod
    def of(cls, lanes: Iterable[Lane], now: datetime) -> Axis:
        """Return an axis from this hour on that shows the builds of a week at most."""
        start = now.replace(minute=0, second=0, microsecond=0)
        last = max((build.end for lane in lanes for build in lane.builds), default=now)
        span = min(max(last - start, MIN_SPAN), MAX_SPAN)
        step = next((step for step in STEPS if span <= step * MAX_TICKS), STEPS[-1])
        count = -(-span // step)
        return cls(start, start + count * step, [start + at * step for at in range(count)])

    def x(self, moment: datetime) -> int:
        """Return where a moment is; what is outside is at the edge."""
        share = (moment - self.start) / (self.end - self.start)
        return round(WIDTH * min(max(share, 0), 1))

    def bars(self, lane: Lane) -> list[TimeBar]:
        """Return the bars of a printer."""
        return [
            TimeBar(x, max(self.x(build.end) - x, 4), build.is_queued, build.name)
            for build in lane.builds
            if (x := self.x(build.start)) < WIDTH
        ]

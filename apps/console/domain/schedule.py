"""Schedule of the printers: builds with their times, and the bars that show them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

WIDTH = 1000  # of a strip; the browser stretches it
MIN_SPAN, MAX_SPAN = timedelta(hours=8), timedelta(days=7)
MAX_TICKS = 8
STEPS = [timedelta(hours=hours) for hours in (1, 2, 3, 4, 6, 12, 24)]


class PlannedBuild(NamedTuple):
    """A build on a printer, from its start to its end.

    is_queued : whether it has not started
    """

    name: str
    path: str
    start: datetime
    end: datetime
    is_queued: bool


class TimeBar(NamedTuple):
    """A bar of a strip."""

    x: int
    width: int
    is_queued: bool


class Axis(NamedTuple):
    """The time that strips show, and its ticks."""

    start: datetime
    end: datetime
    ticks: list[datetime]

    @classmethod
    def of(cls, builds: Iterable[PlannedBuild], now: datetime) -> Axis:
        """Return an axis from this hour on that shows the builds of a week at most."""
        start = now.replace(minute=0, second=0, microsecond=0)
        last = max((build.end for build in builds), default=now)
        span = min(max(last - start, MIN_SPAN), MAX_SPAN)
        step = next((step for step in STEPS if span <= step * MAX_TICKS), STEPS[-1])
        count = -(-span // step)
        return cls(start, start + count * step, [start + at * step for at in range(count)])

    def x(self, moment: datetime) -> int:
        """Return where a moment is; what is outside is at the edge."""
        share = (moment - self.start) / (self.end - self.start)
        return round(WIDTH * min(max(share, 0), 1))

    def bars(self, builds: Iterable[PlannedBuild]) -> list[TimeBar]:
        """Return the bars of a printer's builds."""
        return [
            TimeBar(x, max(self.x(build.end) - x, 4), build.is_queued)
            for build in builds
            if (x := self.x(build.start)) < WIDTH
        ]

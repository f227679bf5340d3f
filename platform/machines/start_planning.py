"""Planning of automatic starts: which queued job a free printer starts next.

A printer whose print has ended waits until a person clears its bed, and people are there in the
attended hours only. A job that ends in the night blocks its printer until the morning, so short
jobs are started during the day, and long ones before people leave. The rule, for one printer:

1. A job that a person has put first by hand is started first.
2. Otherwise the job with the smallest share of idle time between its start and the moment at which
   its bed can be cleared; of equal ones the first of the queue.
3. No due date is lost by that: a job that is taken out of turn must not make one late that would
   be in time if the first of the queue were started. This is tried by list scheduling of the queue
   on all printers of the type (Graham, 1969), in the order of the queue.
"""

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

HOURS_A_DAY = 24
MAX_DAYS_CLOSED = 31  # without a working day in so long, people are regarded as always there
MAX_TRIED = 8  # jobs that are tried out of turn
MAX_PLANNED = 60  # jobs of the queue that are scheduled to see which are in time
SAME_SHARE = 0.02  # shares of idle time that differ by less are equal


@dataclass(frozen=True)
class Job:
    """A queued print.

    seconds : expected duration
    due     : by which it should have been printed; None: no due date
    pinned  : whether its place in the queue was set by hand
    """

    key: str
    seconds: float
    due: datetime | None = None
    pinned: bool = False


@dataclass(frozen=True)
class Attendance:
    """When people are at a location.

    opens, closes : hours of the local day, 0..24; a span may pass midnight, equal ones are all day
    works_on      : whether a day is a working day; a night belongs to the day of its evening
    """

    opens: int = 0
    closes: int = 0
    zone: ZoneInfo = ZoneInfo("UTC")
    works_on: Callable[[date], bool] = lambda day: True

    def next_attended(self, moment: datetime) -> datetime:
        """Return the first moment at or after this one at which people are there."""
        here = moment.astimezone(self.zone)
        if self.opens == self.closes or self._covers(here):
            return moment
        for ahead in range(MAX_DAYS_CLOSED):
            day = here.date() + timedelta(days=ahead)
            opening = datetime.combine(day, time(self.opens % HOURS_A_DAY), self.zone)
            if opening >= here and self.works_on(day):
                return opening.astimezone(moment.tzinfo)
        return moment

    def _covers(self, here: datetime) -> bool:
        after_midnight = self.opens > self.closes and here.hour < self.closes
        day = here.date() - timedelta(days=after_midnight)
        return is_within(here.hour, self.opens, self.closes) and self.works_on(day)


def is_within(hour: int, start: int, end: int) -> bool:
    """Whether an hour is in a daily span, which may pass midnight; none where both are equal."""
    return start <= hour < end if start <= end else hour >= start or hour < end


def choose(
    queue: Sequence[Job], now: datetime, attendance: Attendance, free_at: Iterable[datetime] = ()
) -> Job | None:
    """Return the job that a free printer starts now; None where the queue is empty.

    Parameters
    ----------
    queue : jobs that the printer can start, in the order of the queue
    now : aware datetime
    attendance : when the beds of its location are cleared
    free_at : when the other printers of its type can start their next job
    """
    if not queue:
        return None
    first, others = queue[0], list(free_at)
    if first.pinned:
        return first
    shares = {id(job): _idle_share(job, now, attendance) for job in queue}
    order = sorted(queue, key=lambda job: round(shares[id(job)] / SAME_SHARE))  # a stable sort
    by_turn = None
    for job in order[:MAX_TRIED]:
        if job is first or shares[id(job)] >= shares[id(first)]:
            return first
        if by_turn is None:
            by_turn = _in_time(first, queue, now, attendance, others)
        if by_turn <= _in_time(job, queue, now, attendance, others):
            return job
    return first


def _idle_share(job: Job, now: datetime, attendance: Attendance) -> float:
    """Share of the time until its bed is cleared in which the printer does nothing."""
    seconds = max(job.seconds, 1.0)
    end = now + timedelta(seconds=seconds)
    idle = (attendance.next_attended(end) - end).total_seconds()
    return idle / (idle + seconds)


def _in_time(
    started: Job,
    queue: Sequence[Job],
    now: datetime,
    attendance: Attendance,
    others: Sequence[datetime],
) -> set[int]:
    """Return which jobs are in time where this one is started and the queue follows."""
    free = [*others, now]
    heapq.heapify(free)
    in_time = set()
    rest = [job for job in queue[:MAX_PLANNED] if job is not started]
    for job in [started, *rest]:
        start = now if job is started else max(heapq.heappop(free), now)
        if job is started:
            free.remove(now)
            heapq.heapify(free)
        end = start + timedelta(seconds=job.seconds)
        if job.due is None or end <= job.due:
            in_time.add(id(job))
        heapq.heappush(free, attendance.next_attended(end))
    return in_time

"""The choice of the job that a free printer starts, and a week of twenty printers by it."""

import heapq
import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from machines.start_planning import Attendance, Job, choose, is_within

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
DAY = Attendance(8, 18, works_on=lambda day: day.weekday() < 5)
HOUR = timedelta(hours=1)


def at(hour: float, day: int = 0) -> datetime:
    return MONDAY + timedelta(days=day) + hour * HOUR


def job(key: str, hours: float, **fields) -> Job:
    return Job(key, hours * 3600, **fields)


def chosen(now: datetime, *queue: Job, others: tuple[datetime, ...] = ()) -> object:
    started = choose(queue, now, DAY, others)
    return started and started.key


def test_people_are_there_in_the_attended_hours_of_working_days():
    assert DAY.next_attended(at(9)) == at(9)
    assert DAY.next_attended(at(19)) == at(8, day=1)
    assert DAY.next_attended(at(3)) == at(8)
    assert DAY.next_attended(at(19, day=4)) == at(8, day=7)
    assert Attendance().next_attended(at(3)) == at(3)


def test_hours_are_those_of_the_time_zone_also_when_its_clock_changes():
    berlin = Attendance(8, 18, ZoneInfo("Europe/Berlin"))
    assert berlin.next_attended(at(20)) == at(7, day=1)
    summer = datetime(2026, 3, 28, 20, tzinfo=UTC)  # the clock goes forward in this night
    assert berlin.next_attended(summer) == datetime(2026, 3, 29, 6, tzinfo=UTC)


def test_night_shift_passes_midnight():
    night = Attendance(22, 6, works_on=lambda day: day.weekday() < 5)
    assert night.next_attended(at(23)) == at(23)
    assert night.next_attended(at(5, day=5)) == at(5, day=5)  # of Friday's shift
    assert night.next_attended(at(23, day=5)) == at(22, day=7)
    assert night.next_attended(at(12)) == at(22)


@pytest.mark.parametrize(
    ("span", "inside"),
    [((8, 18), [8, 17]), ((22, 6), [22, 23, 0, 5]), ((7, 7), []), ((0, 24), [0])],
)
def test_quiet_hours_may_pass_midnight(span, inside):
    hours = [hour for hour in range(24) if is_within(hour, *span)]
    assert set(inside) <= set(hours)
    assert len(hours) == (span[1] - span[0]) % 24 or span == (0, 24)


def test_nothing_starts_where_nothing_waits():
    assert chosen(at(9)) is None


def test_order_of_the_queue_is_followed_during_the_day():
    assert chosen(at(9), job("first", 2), job("second", 1)) == "first"


def test_short_job_goes_first_in_the_morning_and_a_long_one_before_people_leave():
    queue = job("long", 14.5), job("short", 2)
    assert chosen(at(9), *queue) == "short"
    assert chosen(at(17), *queue) == "long"


def test_job_that_was_put_first_by_hand_is_started():
    assert chosen(at(9), job("long", 14.5, pinned=True), job("short", 2)) == "long"


def test_job_whose_due_date_would_be_lost_keeps_its_turn():
    queue = job("due", 14, due=at(24)), job("short", 2)
    assert chosen(at(9), *queue) == "due"
    assert chosen(at(9), *queue, others=(at(9.5),)) == "short"  # another printer makes it in time


def simulate(rule, seed: int, printers: int = 20, days: int = 7) -> tuple[float, set, int]:
    """Idle hours of a week with always enough to do, the late jobs, and how many were printed."""
    chance = random.Random(seed)  # noqa: S311
    start, end = at(8), at(8, day=days)
    incoming = []
    for key in range(600):
        hours = min(30.0, max(0.5, chance.lognormvariate(1.3, 0.9)))
        arrival = start if key < 60 else at(8 + 10 * chance.random(), day=chance.choice(range(5)))
        due = arrival + hours * HOUR + timedelta(days=chance.choice([2, 3, 4, 6]))
        incoming.append((arrival, Job(f"{key:03}", hours * 3600, due)))
    incoming.sort(key=lambda each: (each[0], each[1].key), reverse=True)
    free = [(start, printer) for printer in range(printers)]
    free_at = dict.fromkeys(range(printers), start)
    queue: list[Job] = []
    ended: dict[object, datetime] = {}
    idle = timedelta()
    while free[0][0] < end:
        now, printer = heapq.heappop(free)
        while incoming and incoming[-1][0] <= now:
            queue.append(incoming.pop()[1])
        queue.sort(key=lambda each: each.due)
        others = [moment for key, moment in free_at.items() if key != printer]
        started = rule(queue, now, DAY, others)
        queue.remove(started)
        ended[started.key] = done = now + timedelta(seconds=started.seconds)
        free_at[printer] = cleared = DAY.next_attended(done)
        idle += min(cleared, end) - min(done, end)
        heapq.heappush(free, (cleared, printer))
    late = {each.key for each in queue if each.due < end}
    return idle / HOUR, late, len(ended)


def test_a_week_of_twenty_printers_has_a_fifth_less_idle_hours_than_first_come():
    for seed in range(3):
        by_turn = simulate(lambda queue, *rest: queue[0], seed)
        planned = simulate(choose, seed)

        print(f"idle {by_turn[0]:.0f} -> {planned[0]:.0f} h, jobs {by_turn[2]} -> {planned[2]}")
        assert planned[0] < 0.8 * by_turn[0]
        assert planned[1] <= by_turn[1]
        assert planned[2] > by_turn[2]

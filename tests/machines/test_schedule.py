"""Predicted schedule of printers: attended and quiet hours, order of the queue."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from machines.schedule import PredictedPrint, ScheduledPrinter, predict
from machines.start_planning import Attendance, Job

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
DAY = Attendance(8, 18, works_on=lambda day: day.weekday() < 5)


def at(hour: float, day: int = 0) -> datetime:
    return MONDAY + timedelta(days=day, hours=hour)


def job(key: str, hours: float, **fields) -> Job:
    return Job(key, hours * 3600, **fields)


def schedule(printers: list[ScheduledPrinter], *queue: Job, **only: set[str]):
    every = {printer.key for printer in printers}
    predicted = predict(printers, queue, {each.key: only.get(each.key, every) for each in queue})
    return [(print_.job, print_.printer, print_.start, print_.end) for print_ in predicted]


def test_jobs_go_in_their_order_to_the_printer_that_is_free_first():
    printers = [ScheduledPrinter("a", at(10)), ScheduledPrinter("b", at(9))]

    predicted = schedule(printers, job("one", 3), job("two", 1), job("three", 1))

    assert predicted == [
        ("one", "b", at(9), at(12)),
        ("two", "a", at(10), at(11)),
        ("three", "a", at(11), at(12)),
    ]


def test_bed_of_a_print_that_ends_at_night_is_cleared_in_the_morning():
    printer = ScheduledPrinter("a", at(17), DAY, is_automatic=True)

    predicted = schedule([printer], job("long", 14, pinned=True), job("short", 1))

    assert predicted == [("long", "a", at(17), at(7, 1)), ("short", "a", at(8, 1), at(9, 1))]


def test_long_job_is_left_for_the_night_where_prints_start_automatically():
    queue = job("long", 14.5), job("short", 2)
    automatic = ScheduledPrinter("a", at(9), DAY, is_automatic=True)
    by_hand = ScheduledPrinter("a", at(9), DAY)

    assert [row[0] for row in schedule([automatic], *queue)] == ["short", "long"]
    assert [row[0] for row in schedule([by_hand], *queue)] == ["long", "short"]


def test_prints_start_by_hand_in_attended_hours_and_automatically_outside_of_quiet_ones():
    by_hand = ScheduledPrinter("hand", at(20), DAY)
    automatic = ScheduledPrinter("auto", at(20), DAY, Attendance(6, 19), is_automatic=True)

    assert schedule([by_hand], job("one", 1))[0][2] == at(8, 1)
    assert schedule([automatic], job("one", 1))[0][2] == at(6, 1)


def test_job_that_no_printer_can_print_is_left_out_and_holds_up_none():
    printers = [ScheduledPrinter("a", at(9)), ScheduledPrinter("b", at(9))]

    predicted = schedule(printers, job("none", 1), job("b", 1), job("a", 1), none=set(), b={"b"})

    assert predicted == [("a", "a", at(9), at(10)), ("b", "b", at(9), at(10))]


@pytest.mark.parametrize("seed", range(40))
def test_each_job_is_printed_once_and_no_printer_prints_two_at_a_time(seed):
    chance = random.Random(seed)
    is_automatic = chance.random() < 0.5
    printers = [
        ScheduledPrinter(str(key), at(chance.randint(0, 200)), DAY, Attendance(5, 22), is_automatic)
        for key in range(chance.randint(1, 4))
    ]
    queue = [job(str(key), chance.uniform(0.1, 60)) for key in range(chance.randint(0, 15))]

    predicted = predict(printers, queue, {each.key: {"0", "1"} for each in queue})

    assert sorted(row.job for row in predicted) == sorted(each.key for each in queue)
    for printer in printers:
        own = [row for row in predicted if row.printer == printer.key]
        assert all(row.start >= printer.free_at for row in own)
        assert all(_follows(first, then) for first, then in zip(own, own[1:], strict=False))


def _follows(first: PredictedPrint, then: PredictedPrint) -> bool:
    """Whether a print begins once the bed of the one before is cleared."""
    return then.start >= DAY.next_attended(first.end)

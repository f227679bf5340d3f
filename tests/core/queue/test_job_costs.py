"""Costs: what a job is expected to take is corrected by what such jobs took."""

import dramatiq
import pytest
from django.db import connection

from core.models import JobPace
from core.queue import fair_queueing, job_costs
from core.queue.job_costs import CostCalibration, calibration

QUEUE = "meshes"


@dramatiq.actor(queue_name=QUEUE, cost=lambda word: 0.5 * len(word))
def weighed(word: str) -> None:
    """A job whose cost its actor tells."""


@pytest.fixture(autouse=True)
def _nothing_known(db):
    calibration.keep(connection.cursor())
    JobPace.objects.all().delete()
    calibration.forget()
    yield
    calibration.forget()


def ended(seconds: float, *, times: int = 1, by: CostCalibration = calibration, **options) -> None:
    """So many jobs have taken so long."""
    message = weighed.message("x").copy(options={"told": 1.0, **options})
    for _ in range(times):
        by.note(message, seconds)


def stored(by: CostCalibration = calibration) -> tuple[float, float]:
    with connection.cursor() as cursor:
        by.keep(cursor)
    calibration.forget()
    return JobPace.objects.values_list("told", "taken").get(actor="weighed")


def test_cost_is_declared_by_actor_and_overridden_by_sender():
    assert weighed.send("four").options["cost"] == 2.0
    assert weighed.send_with_options(args=("four",), cost=3.0).options["cost"] == 3.0
    assert weighed.send("").options["cost"] == job_costs.MIN_SECONDS


def test_calibrated_cost_moves_job_to_slow_queue():
    assert weighed.send("four").queue_name == QUEUE
    ended(3.0, times=600)

    assert stored() == (600.0, 1800.0)

    again = weighed.send("four")
    assert again.options["told"] == 2.0
    assert again.options["cost"] == pytest.approx(2.0 * 1860 / 660)
    assert again.queue_name == fair_queueing.slow_queue(QUEUE)


def test_requeued_message_keeps_its_cost():
    first = weighed.send("four")
    ended(3.0, times=600)
    stored()

    again = dramatiq.get_broker().enqueue(first)

    assert again.options["cost"] == 2.0


def test_calibration_factor_is_damped_and_bounded_by_ten():
    ended(1000.0)
    stored()
    assert calibration.factor("weighed") == pytest.approx((10 + 60) / (1 + 60))

    ended(1000.0, times=5000)
    stored()

    assert calibration.factor("weighed") == pytest.approx(10, rel=0.2)


def test_calibration_forgets_old_jobs():
    ended(3.0, times=3600)
    stored()

    ended(1.0, times=3600)

    assert stored() == (3600.0, 3600.0)


def test_calibration_of_two_processes_is_summed():
    other = CostCalibration()
    ended(2.0)
    ended(4.0, by=other)
    stored()

    told, taken = stored(other)

    assert (told, taken) == pytest.approx((2.0, 6.0), rel=1e-3)


def test_calibration_ignores_short_slow_lane_and_undeclared_jobs():
    ended(0.05)
    calibration.note(
        weighed.message("x").copy(
            queue_name=fair_queueing.slow_queue(QUEUE), options={"told": 1.0}
        ),
        9.0,
    )
    calibration.note(weighed.message("x"), 9.0)  # of a canary's kind: nobody told anything of it

    assert not calibration._noted


def test_declared_cost_is_at_most_one_day():
    told = [
        job_costs.declared_cost(weighed.message("x").copy(options={"cost": cost}), weighed)
        for cost in (1e90, float("inf"))
    ]

    assert told == [86_400.0, 86_400.0]

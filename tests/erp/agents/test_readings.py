"""Readings of a print attempt: thinned, bounded, deleted after a year."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.actors import prune_attempt_readings
from apps.erp.models import Attempt, AttemptReadings
from apps.erp.printing.models.readings import MAX_SAMPLES, Reading
from tests.erp.agents.conftest import report

HEATERS = [
    {"heater": "extruder", "actual": 209.84, "target": 210.0},
    {"heater": "heater_bed", "actual": 1e9, "target": None},
]


@pytest.fixture
def readings(agent, see, machine, attempt) -> str:
    """The path of the readings of an attempt that began a minute ago; there are none yet."""
    see(machine, "idle", report(attempt, "sent", boot="b"))
    assert agent.post("/agent/permit/", {"name": attempt["name"]}).status_code == 200
    see(machine, "printing", report(attempt, "printing"), job=attempt["name"])
    AttemptReadings.objects.all().delete()
    Attempt.objects.update(began=timezone.now() - timedelta(seconds=60))
    return f"{attempt['uri']}readings/"


def test_readings_of_a_print_are_recorded_once_an_interval(erp, see, machine, attempt, readings):
    for _ in range(3):
        see(machine, "printing", job=attempt["name"], progress=0.25, temperatures=HEATERS)
    Attempt.objects.update(began=timezone.now() - timedelta(seconds=120))
    see(machine, "paused", job=attempt["name"])

    answer = erp.get(readings).json()

    first, second = answer.pop("seconds")
    assert 60 <= first < 90
    assert 120 <= second < 150
    assert answer == {
        "interval": 10,
        "progress": [0.25, None],
        "nozzle": [209.8, None],
        "bed": [2000, None],
    }


def test_print_of_another_file_is_not_recorded(erp, see, machine, readings):
    see(machine, "printing", job="theirs.gcode", temperatures=HEATERS)

    assert erp.get(readings).json()["seconds"] == []


def test_readings_need_the_right_to_read_the_bureau(client_of, stranger, readings):
    assert client_of("erp", stranger).get(readings).status_code == 404


def test_readings_are_bounded_and_span_the_print():
    readings, interval = AttemptReadings(), 5

    for at in range(0, 100_000, interval):
        if readings.last is None or at >= readings.last + readings.interval:
            readings.add(Reading(at, 0.5, 210.0, 60.0))

    assert MAX_SAMPLES / 2 <= len(readings.rows) <= MAX_SAMPLES
    assert readings.rows[0][0] == 0
    assert readings.rows[-1][0] >= 100_000 - 2 * readings.interval


def test_readings_are_deleted_a_year_after_the_end_of_the_print(see, machine, attempt, readings):
    see(machine, "printing", job=attempt["name"], temperatures=HEATERS)
    Attempt.objects.update(ended=timezone.now() - timedelta(days=364))
    prune_attempt_readings()
    assert AttemptReadings.objects.count() == 1
    Attempt.objects.update(ended=timezone.now() - timedelta(days=366))

    prune_attempt_readings()

    assert AttemptReadings.objects.count() == 0
    assert Attempt.objects.count() == 1

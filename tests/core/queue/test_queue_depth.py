"""What waits in a queue, as those see it who decide how many workers there are to be."""

import json

import dramatiq
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core.queue.depth import Depth, depths


@dramatiq.actor(queue_name="slices")
def measured_job() -> None:
    """What waits."""


@pytest.fixture
def waiting(db) -> None:
    """Two quick jobs, of which one is at work, a slow one, and one whose time has not come."""
    first = measured_job.send_with_options(cost=2.5)
    measured_job.send_with_options(cost=7.5)
    measured_job.send_with_options(cost=90.0)
    measured_job.send_with_options(cost=5.0, delay=60_000)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE dramatiq.queue SET state = 'consumed' WHERE message_id = %s",
            (first.message_id,),
        )


def said(capsys, *words: str) -> str:
    call_command("queue_depth", *words)
    return capsys.readouterr().out


def test_queue_depth_excludes_delayed_messages(waiting):
    found = depths()

    assert found == {
        "slices": Depth(ready=1, at_work=1, seconds=10.0, oldest=found["slices"].oldest),
        "slices_slow": Depth(ready=1, at_work=0, seconds=90.0, oldest=found["slices_slow"].oldest),
    }


def test_queue_depth_command_lists_every_queue(waiting, capsys):
    told = json.loads(said(capsys))

    assert told["slices_slow"]["seconds"] == 90.0
    assert told["meshes"] == {"ready": 0, "at_work": 0, "seconds": 0.0, "oldest": 0.0}


def test_queue_depth_command_prints_sum_of_seconds_for_given_queues(waiting, capsys):
    assert said(capsys, "--queue", "slices,slices_slow", "--seconds") == "100.0\n"


def test_queue_depth_command_rejects_unknown_queue(db):
    with pytest.raises(CommandError, match="no queue 'slice'"):
        call_command("queue_depth", "--queue", "slice")

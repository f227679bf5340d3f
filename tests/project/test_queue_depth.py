"""How much waits in each queue, for whoever adds workers."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.warehouse.actors.verdicts import analyse_model

KEY = "01900000-0000-7000-8000-000000000001"


def told(capsys, *words: str) -> str:
    capsys.readouterr()
    call_command("queue_depth", *words)
    return capsys.readouterr().out.strip()


def test_what_waits_is_counted_with_the_seconds_that_it_is(db, capsys):
    for cost in (1.0, 2.5):
        analyse_model.send_with_options(args=(KEY,), cost=cost)
    analyse_model.send_with_options(args=(KEY,), cost=1.0, delay=60_000)

    found = json.loads(told(capsys))

    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(cost) FROM dramatiq.queue WHERE available_at <= now()")
        (seconds,) = cursor.fetchone()
    assert (found["meshes"]["waiting"], found["meshes"]["at_work"]) == (2, 0)
    assert found["meshes"]["seconds"] == round(seconds, 1) > 0
    assert found["slices"] == {"waiting": 0, "at_work": 0, "oldest": 0.0, "seconds": 0.0}
    assert json.loads(told(capsys, "--queue", "meshes"))["waiting"] == 2
    assert float(told(capsys, "--queue", "meshes", "--seconds")) == round(seconds, 1)


def test_a_queue_that_is_none_is_named(db):
    with pytest.raises(CommandError, match="There is no queue 'mesh': there are .*meshes"):
        call_command("queue_depth", "--queue", "mesh")

"""Of equal slices one is made; messages that come twice do no harm."""

import json
import threading

import dramatiq
import pytest
from django.conf import settings
from django.db import close_old_connections, connection
from dramatiq.middleware import CurrentMessage

from apps.callbacks.models import Delivery
from apps.slicing.actors import slice_model
from apps.slicing.actors.slices import WAITING
from apps.slicing.engines.prusaslicer import PrusaSlicer
from apps.slicing.models import Slice

pytestmark = [pytest.mark.django_db, pytest.mark.engine]
# What is sent once a slice has come to its end.
SETTLED = settings.EVENT_HOOKS["slice.settled"]


def row_of(made: dict) -> Slice:
    return Slice.objects.get(pk=made["uri"].split("/")[-2])


def taken_up(made: dict, job: str) -> Slice:
    """The slice as it is while the worker with this message slices it."""
    row = row_of(made)
    message = dramatiq.Message("slices", "slice_model", (str(row.pk),), {}, {}, message_id=job)
    middleware = CurrentMessage()
    middleware.before_process_message(None, message)

    def stop(*arguments, **options):
        raise InterruptedError

    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PrusaSlicer, "slice", stop)
            with pytest.raises(InterruptedError):
                slice_model.fn(str(row.pk))
    finally:
        middleware.after_process_message(None, message)
    row.refresh_from_db()
    return row


def test_second_equal_slice_waits_and_reuses_the_gcode(
    slicing, order, config, part, run_jobs, queued
):
    first, second = order(part, config), order(part, config)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM dramatiq.queue")
    assert taken_up(first, "11111111-0000-0000-0000-000000000000").status == "processing"

    slice_model.fn(str(row_of(second).pk))

    waiting = slicing.get(second["uri"]).json()
    assert (waiting["status"], waiting["stage"]) == ("queued", WAITING)
    assert queued() == []

    Slice.objects.filter(pk=row_of(first).pk).update(status="processing", job="")
    slice_model.fn(str(row_of(first).pk))

    assert sorted(run_jobs()) == sorted(["slice_model", *SETTLED, *SETTLED])
    first, second = slicing.get(first["uri"]).json(), slicing.get(second["uri"]).json()
    assert (first["status"], second["status"]) == ("processed", "processed")
    assert second["figures"] == first["figures"]
    assert row_of(second).content_id == row_of(first).content_id


def test_waiting_equal_slices_are_each_enqueued_once(slicing, order, config, part, run_jobs):
    first, *others = [order(part, config) for _ in range(6)]
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM dramatiq.queue")
    taken_up(first, "11111111-0000-0000-0000-000000000000")
    for other in others:
        slice_model.fn(str(row_of(other).pk))

    Slice.objects.filter(pk=row_of(first).pk).update(job="")
    slice_model.fn(str(row_of(first).pk))

    assert run_jobs().count("slice_model") == len(others)
    assert set(Slice.objects.values_list("status", flat=True)) == {"processed"}


def test_waiting_slice_starts_when_the_first_is_deleted(slicing, order, config, part, run_jobs):
    first, second = order(part, config), order(part, config)
    row = taken_up(first, "11111111-0000-0000-0000-000000000000")
    slice_model.fn(str(row_of(second).pk))
    assert row_of(second).stage == WAITING

    slicing.delete(first["uri"])
    Slice.objects.filter(pk=row.pk).update(job="")
    slice_model.fn(str(row.pk))
    run_jobs()

    assert slicing.get(second["uri"]).json()["status"] == "processed"


def test_duplicate_message_leaves_a_running_slice_alone(order, config, part, monkeypatch):
    made = order(part, config)
    row = taken_up(made, "11111111-0000-0000-0000-000000000000")

    monkeypatch.setattr(PrusaSlicer, "slice", None)
    slice_model.fn(str(row.pk))

    row.refresh_from_db()
    assert row.status == "processing"


def test_redelivered_message_of_a_dead_worker_resumes_the_slice(slicing, order, config, part):
    made = order(part, config)
    job = "11111111-0000-0000-0000-000000000000"
    row = taken_up(made, job)
    middleware = CurrentMessage()
    again = dramatiq.Message("slices", "slice_model", (str(row.pk),), {}, {}, message_id=job)

    middleware.before_process_message(None, again)
    slice_model.fn(str(row.pk))
    middleware.after_process_message(None, again)

    assert slicing.get(made["uri"]).json()["status"] == "processed"


def test_slice_reusing_gcode_emits_every_status(
    slicing, order, config, part, run_jobs, monkeypatch
):
    order(part, config)
    run_jobs()
    callback = {"url": "https://receiver.example/hook", "method": "POST"}

    body = {"model": part["uri"], "config": config["uri"], "callback": callback}
    made = slicing.post("/slice/", body).json()
    assert sorted(run_jobs()) == sorted(["slice_model", *SETTLED])

    bodies = Delivery.objects.order_by("seq").values_list("event__body", flat=True)
    told = [json.loads(body) for body in bodies]
    assert [one["status"] for one in told] == ["processing", "processed"]
    assert {one["uri"] for one in told} == {made["uri"]}
    assert told[1]["slice_time"] == slicing.get(made["uri"]).json()["slice_time"]


@pytest.mark.django_db(transaction=True)
def test_concurrent_messages_of_one_slice_run_the_engine_once(
    slicing, order, config, part, monkeypatch
):
    made = order(part, config)
    uuid = str(row_of(made).pk)
    runs, real = [], PrusaSlicer.slice
    monkeypatch.setattr(PrusaSlicer, "slice", lambda *a, **o: (runs.append(1), real(*a, **o))[1])
    faults: list[BaseException] = []

    def worker(job):
        message = dramatiq.Message("slices", "slice_model", (uuid,), {}, {}, message_id=job)
        middleware = CurrentMessage()
        middleware.before_process_message(None, message)
        try:
            slice_model.fn(uuid)
        except BaseException as fault:
            faults.append(fault)
        finally:
            middleware.after_process_message(None, message)
            close_old_connections()
            connection.close()

    threads = [threading.Thread(target=worker, args=(f"{n}" * 36,)) for n in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert faults == []
    assert len(runs) == 1
    assert slicing.get(made["uri"]).json()["status"] == "processed"

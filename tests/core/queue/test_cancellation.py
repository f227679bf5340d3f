"""Work that nobody wants any more is ended at once, also while it runs."""

import socket
import subprocess
import threading
import time

import dramatiq
import pytest
from django.db import connection, transaction

from core.models import JobStart
from core.outbound import http
from core.process import cancellation
from core.process.cancellation import Cancelled, cancellable
from core.queue import fair_queueing, job_costs, job_monitor
from core.queue.job_costs import calibration
from core.queue.row_jobs import cancel_jobs
from core.sandbox.sandbox import BOOT_TIME, JobInputError, JobInternalError, Sandbox
from tests.core.worker_thread import working
from tests.waiting import wait_for

ended: list[str] = []


@dramatiq.actor(queue_name="test_cancelling", max_retries=0)
def endless(word: str) -> None:
    """Waits for a child that outlives every wait of a test."""
    child = subprocess.Popen(["sleep", "150"])
    ended.append(f"begun {word}")
    try:
        with cancellable(child.kill):
            child.wait()
    except Cancelled:
        ended.append(f"cancelled {word}")
    finally:
        child.kill()
        child.wait()


@dramatiq.actor(queue_name="test_cancelling", max_retries=0)
def looping(sandbox: str) -> None:
    """Takes the processor in a child, and does not end."""
    ended.append("begun")
    try:
        _sandboxes[sandbox].run("tests.core.hostile_jobs:loop")
    except Cancelled:
        ended.append("cancelled")


_sandboxes: dict[str, Sandbox] = {}


@dramatiq.actor(queue_name="test_cancelling", max_retries=0)
def brief(word: str) -> None:
    """Ends by itself."""
    subprocess.run(["sleep", "0.1"], check=True)


@pytest.fixture
def worker(transactional_db, monkeypatch):
    ended.clear()
    with working("test_cancelling") as worker:
        yield worker


def in_queue() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT subject FROM dramatiq.queue ORDER BY position")
        return [subject for (subject,) in cursor.fetchall()]


def is_listening(worker) -> bool:
    """Whether the worker hears notifications: from up to a second after its first job on."""
    return job_monitor.CANCEL_CHANNEL in worker.broker.notifier.listening


def test_running_job_is_cancelled_and_worker_starts_the_next(worker, monkeypatch):
    monkeypatch.setattr(job_monitor, "LOOK_AGAIN", 3600)  # so that the notification alone does it
    wait_for(lambda: worker.consumers and is_listening(worker))
    endless.send("one")
    endless.send("two")
    wait_for(lambda: ended == ["begun one"])

    with transaction.atomic():
        cancel_jobs(endless, on=["one"])

    wait_for(lambda: ended[1:] == ["cancelled one", "begun two"])
    assert in_queue() == ["two"]
    cancel_jobs(endless, on=["two"])
    wait_for(lambda: ended[3:] == ["cancelled two"])
    wait_for(lambda: not JobStart.objects.exists())
    assert in_queue() == []


def test_job_duration_is_calibrated_unless_the_job_was_cancelled(worker):
    endless.send("one")
    wait_for(lambda: ended == ["begun one"])
    cancel_jobs(endless, on=["one"])

    brief.send("two")
    wait_for(lambda: "brief" in calibration._noted)

    told, taken = calibration._noted["brief"]
    assert told == job_costs.USUAL
    assert taken >= 0.1
    assert "endless" not in calibration._noted


def test_running_job_is_cancelled_when_notification_is_lost(worker):
    endless.send("one")
    wait_for(lambda: ended == ["begun one"])

    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM dramatiq.queue")

    wait_for(lambda: ended == ["begun one", "cancelled one"])


def test_queued_job_is_cancelled_within_the_transaction(db):
    endless.send("kept")
    endless.send("gone")
    with pytest.raises(RuntimeError), transaction.atomic():
        cancel_jobs(endless, on=["kept"])
        raise RuntimeError

    cancel_jobs(endless, on=["gone"])
    cancel_jobs("another_actor", on=["kept"])

    assert in_queue() == ["kept"]


@pytest.fixture
def task():
    """This thread does a job, as in a worker."""
    cancellation.register("01a1fe00-0000-7000-8000-0000000000ff")
    yield cancellation.running_jobs()[0]
    cancellation.unregister()


def test_cancel_stops_sandboxed_job_and_sandbox_stays_usable(task):
    sandbox = Sandbox("tests.core.hostile_jobs")
    beginning = threading.Thread(
        target=lambda: (wait_for(lambda: task.stop and sandbox._busy), cancellation.cancel([task]))
    )
    beginning.start()

    with pytest.raises(Cancelled):
        sandbox.run("tests.core.hostile_jobs:loop")

    beginning.join()
    with pytest.raises(Cancelled):  # nothing more of this job is begun
        sandbox.run("tests.core.hostile_jobs:loop")
    task.unwanted = False
    with pytest.raises(JobInputError):
        sandbox.run("tests.core.hostile_jobs:refuse")
    sandbox.close()


def test_cancel_stops_job_that_waits_for_sandbox_warm_up(task):
    sandbox = Sandbox("tests.core.hanging_import")

    def warm() -> None:
        with pytest.raises(JobInternalError):
            sandbox.warm()

    def end() -> None:
        wait_for(lambda: task.stop)
        cancellation.cancel([task])

    warming, ending = threading.Thread(target=warm), threading.Thread(target=end)
    warming.start()
    wait_for(lambda: sandbox._child)
    ending.start()
    begun = time.monotonic()

    with pytest.raises(Cancelled):
        sandbox.run("tests.core.hostile_jobs:add", a=1, b=2)

    assert time.monotonic() - begun < BOOT_TIME / 2
    warming.join()
    ending.join()


def test_cancel_aborts_http_request_to_provider(task):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        ending = threading.Thread(
            target=lambda: (
                silent.accept(),
                wait_for(lambda: task.stop),
                cancellation.cancel([task]),
            )
        )
        ending.start()

        with pytest.raises(Cancelled):
            http.request("GET", url, headers={}, timeout=600, own=True)

        ending.join()


def test_cancel_stops_nothing_outside_of_a_worker():
    with cancellable(lambda: pytest.fail("called")):
        cancellation.cancel(cancellation.running_jobs())


# ---------------------------------------------------------------- quick and slow


def queues() -> list[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT queue_name, state::text FROM dramatiq.queue ORDER BY position")
        return cursor.fetchall()


def test_job_cost_selects_fast_or_slow_queue(db, monkeypatch):
    monkeypatch.setitem(fair_queueing.QUICK, "test_cancelling", 10.0)

    endless.send_with_options(args=("short",), cost=10.0)
    endless.send_with_options(args=("long",), cost=10.1)
    endless.send_with_options(args=("later",), cost=10.1, delay=60_000)

    assert [queue for queue, _ in queues()] == [
        "test_cancelling",
        "test_cancelling_slow",
        "test_cancelling_slow.DQ",
    ]


def test_overdue_fast_job_moves_to_slow_lane_and_frees_its_worker(worker, monkeypatch, caplog):
    monkeypatch.setitem(fair_queueing.QUICK, "test_cancelling", 0.5)
    monkeypatch.setitem(fair_queueing.LATE, "test_cancelling", 1.5)
    monkeypatch.setattr(job_costs, "USUAL", 0.1)
    endless.send("liar")

    wait_for(lambda: ended == ["begun liar", "cancelled liar"])
    wait_for(lambda: not cancellation.running_jobs())

    assert queues() == [("test_cancelling_slow", "queued")]
    assert "requeued as slow" in caplog.text


def test_fast_job_beyond_eight_times_its_cost_is_moved_and_charged(worker, monkeypatch, caplog):
    monkeypatch.setitem(fair_queueing.QUICK, "test_cancelling", 0.5)
    monkeypatch.setitem(fair_queueing.LATE, "test_cancelling", 600.0)
    monkeypatch.setattr(fair_queueing, "MIN_LATE", 0.5)
    monkeypatch.setattr(fair_queueing, "MIN_CHARGE", 0.1)
    with transaction.atomic():
        for word in ("first", "second"):
            endless.send_with_options(args=(word,), cost=0.2)
        before = turn_of("second")

    wait_for(lambda: "cancelled first" in ended)

    wait_for(lambda: turn_of("second") > before + 1.0)  # 8 x 0.2 s at least, less its cost
    assert "exceeded 1.6 s in the fast lane" in caplog.text
    cancel_jobs(endless, on=["second"])


def turn_of(subject: str) -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT turn FROM dramatiq.queue WHERE subject = %s", [subject])
        (turn,) = cursor.fetchone()
    return turn


def test_fast_job_moves_to_slow_lane_when_cpu_limit_is_exceeded(worker, monkeypatch, caplog):
    monkeypatch.setitem(fair_queueing.QUICK, "test_cancelling", 0.5)
    monkeypatch.setitem(fair_queueing.LATE, "test_cancelling", 600.0)
    monkeypatch.setitem(fair_queueing.LATE_CPU, "test_cancelling", 0.5)
    monkeypatch.setattr(job_costs, "USUAL", 0.1)
    sandbox = Sandbox("tests.core.hostile_jobs", resident=True)
    monkeypatch.setitem(_sandboxes, "one", sandbox)
    try:
        looping.send("one")

        wait_for(lambda: ended == ["begun", "cancelled"])
        wait_for(lambda: not cancellation.running_jobs())
    finally:
        sandbox.close()

    assert queues() == [("test_cancelling_slow", "queued")]
    assert "exceeded 0.5 s of CPU time" in caplog.text

"""The queue: messages live and die with the rows, and poison is given up."""

import threading
import time

import dramatiq
import pytest
from django.db import connection, transaction
from dramatiq_postgres.broker import QUERIES

from core.models import JobStart
from core.queue.broker import MAX_STARTS, PoisonMessageGuard, claim_slot
from core.queue.wakeup import QueueWakeUp, WakeUp
from tests.core.worker_thread import working
from tests.waiting import TIMEOUT, wait_for

POLL = 5  # seconds

done: list[str] = []
given_up: list[tuple[str, dict]] = []


@dramatiq.actor(queue_name="test", on_retry_exhausted="hear_of_it", max_retries=0)
def note(word: str) -> None:
    done.append(word)


@dramatiq.actor(queue_name="test")
def hear_of_it(message: dict, reason: dict) -> None:
    given_up.append((message["args"][0], reason))


@pytest.fixture(autouse=True)
def _empty():
    done.clear()
    given_up.clear()


def in_queue() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM dramatiq.queue")
        return cursor.fetchone()[0]


def test_message_is_discarded_when_its_transaction_rolls_back(db):
    with pytest.raises(RuntimeError), transaction.atomic():
        note.send("never")
        assert in_queue() == 1
        raise RuntimeError

    assert in_queue() == 0


def test_savepoint_rollback_discards_only_its_own_messages(db):
    with transaction.atomic():
        note.send("kept")
        with pytest.raises(RuntimeError), transaction.atomic():
            note.send("lost")
            raise RuntimeError

    assert in_queue() == 1


def test_upstream_enqueue_statement_has_the_expected_form():
    assert "INSERT INTO" in QUERIES.ENQUEUE
    assert QUERIES.ENQUEUE.count("%s") == 4
    assert "pg_notify" in QUERIES.ENQUEUE


@pytest.fixture
def worker(transactional_db):
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE dramatiq.queue, dramatiq.worker")
    with working("test", worker_timeout=POLL * 1000) as worker:
        yield worker


def test_committed_message_is_processed_without_polling_delay(worker):
    wait_for(lambda: worker.consumers)
    waits = []
    for number in range(20):
        begun = time.monotonic()
        with transaction.atomic():
            note.send(str(number))
        wait_for(lambda number=number: len(done) > number)
        waits.append(time.monotonic() - begun)

    assert done == [str(number) for number in range(20)]
    assert sorted(waits)[15] < POLL / 2  # by the poll alone it would be POLL


def test_poison_message_fails_permanently_with_reason(worker):
    message = note.message("poison")
    JobStart.objects.create(message=message.message_id, starts=MAX_STARTS)

    with transaction.atomic():
        dramatiq.get_broker().enqueue(message)
        note.send("neighbour")

    wait_for(lambda: given_up and done)
    assert given_up == [("poison", {"reason": "worker-died", "starts": MAX_STARTS})]
    assert done == ["neighbour"]
    wait_for(lambda: not JobStart.objects.exists())


def test_worker_slot_requeues_jobs_of_its_previous_process(worker):
    worker.stop()
    broker = dramatiq.get_broker()
    with transaction.atomic():
        note.send("held")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE dramatiq.queue SET state = 'consumed', worker_id = %s", (broker.worker_id,)
        )

    claim_slot()

    with connection.cursor() as cursor:
        cursor.execute("SELECT state::text, worker_id FROM dramatiq.queue")
        assert cursor.fetchall() == [("queued", None)]


def test_consumed_job_is_requeued_when_database_connections_are_lost(worker):
    wait_for(lambda: worker.consumers)
    broker = dramatiq.get_broker()
    note.send("first")
    wait_for(lambda: done == ["first"])  # its connections are open
    with transaction.atomic():
        note.send("back")
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE dramatiq.queue SET state = 'consumed', worker_id = %s", (broker.worker_id,)
            )

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'dramatiq-postgres'"
        )

    wait_for(lambda: done == ["first", "back"])
    wait_for(lambda: in_queue() == 0)


def test_wake_up_before_wait_is_not_lost():
    wake = WakeUp()
    wake.set()

    wake.clear()  # what the package does between looking and waiting

    assert wake.wait(0)
    assert not wake.wait(0)


def test_wake_up_ends_a_wait():
    wake = WakeUp()
    threading.Timer(0.05, wake.set).start()

    assert wake.wait(TIMEOUT)


def test_poison_message_guard_clears_job_start_after_python_exception(db):
    message = note.message("fine")
    guard, broker = PoisonMessageGuard(), dramatiq.get_broker()

    guard.before_process_message(broker, message)
    assert JobStart.objects.get().starts == 1
    guard.after_process_message(broker, message, exception=ValueError())

    assert not JobStart.objects.exists()


def answers_of(wake: QueueWakeUp, rings: int) -> int:
    """How often of so many rings it wakes its worker before its time."""
    woken = 0
    for _ in range(rings):
        wake.set()
        woken += wake.wait(0.002)
    return woken


def test_wake_up_reaches_only_a_few_of_many_idle_workers():
    wake = QueueWakeUp()
    wake.idle = 8
    assert answers_of(wake, 50) == 50

    wake.idle = 80  # 4 of them answer, 1 ring in 20
    assert 1 <= answers_of(wake, 400) <= 60


def test_freed_worker_is_woken_regardless_of_idle_worker_count():
    wake = QueueWakeUp()
    wake.idle = 10_000

    wake.free()

    assert wake.wait(TIMEOUT)


def test_queue_bottom_is_received_without_wake_up_until_it_is_stale(monkeypatch):
    wake = QueueWakeUp()
    assert wake.bottom() is None

    wake.hear("17.5 42")

    assert wake.bottom() == (17.5, 42)
    assert not wake.wait(0)
    monkeypatch.setattr("core.queue.wakeup.FRESH", 0.0)
    assert wake.bottom() is None

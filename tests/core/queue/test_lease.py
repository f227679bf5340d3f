"""The lease of a worker: who has none gives back what they held, and nobody else does."""

import uuid
from collections.abc import Iterator

import dramatiq
import psycopg
import pytest
from django.db import connection

from core.postgres import connections
from core.process.cancellation import Task
from core.queue import lease
from core.queue.broker import create_broker
from core.queue.job_monitor import JobMonitor
from core.queue.lease import LeaseListener, SlotTaken, key_of, requeue_expired
from core.queue.wakeup import QueueWakeUp
from tests.core.worker_thread import close
from tests.waiting import wait_for

ONE, OTHER = str(uuid.UUID(int=1)), str(uuid.UUID(int=1 << 100))


@dramatiq.actor(queue_name="test_lease")
def leased_job() -> None:
    """What workers hold, or do not."""


@pytest.fixture
def line(transactional_db) -> Iterator[psycopg.Connection]:
    with psycopg.connect(**connections.session_parameters(), autocommit=True) as line:
        yield line


@pytest.fixture
def listener(line) -> Iterator:
    """`listener(worker)`: one that listens to nothing yet, and ends with the test."""
    made = []

    def make(worker: str = ONE) -> LeaseListener:
        made.append(LeaseListener(lambda: worker))
        return made[-1]

    yield make
    for one in made:
        one.stop()
        if one.started_once:
            one.join()
        one.drop_conn()


def held_by(worker: str) -> str:
    """The message of a job that a worker is at."""
    message = leased_job.send()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE dramatiq.queue SET state = 'consumed', worker_id = %s WHERE message_id = %s",
            (worker, message.message_id),
        )
    return message.message_id


def states() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT message_id::text, state::text FROM dramatiq.queue")
        return dict(cursor.fetchall())


def test_jobs_are_requeued_only_when_their_worker_lost_its_lease(listener, line):
    here, gone = listener(ONE), listener(OTHER)
    for one in (here, gone):
        one.take()
    kept, lost = held_by(ONE), held_by(OTHER)
    assert requeue_expired(line) == []

    gone.drop_conn()

    # The server frees the lock once it has seen that the connection is closed.
    given = wait_for(lambda: requeue_expired(line))
    assert [str(message) for message in given] == [lost]
    assert states() == {kept: "consumed", lost: "queued"}
    assert requeue_expired(line) == []


def test_jobs_of_worker_version_without_lease_are_not_requeued(line):
    line.execute("INSERT INTO dramatiq.worker (worker_id, heartbeat_at) VALUES (%s, now())", (ONE,))
    kept = held_by(ONE)

    assert requeue_expired(line) == []
    assert states() == {kept: "consumed"}


def test_heartbeat_records_lease_only_while_it_is_held(listener, line):
    one = listener(ONE)

    line.execute(*lease.heartbeat(one, ONE))
    assert line.execute("SELECT lease FROM dramatiq.worker").fetchall() == [(None,)]

    one.take()
    line.execute(*lease.heartbeat(one, ONE))
    assert line.execute("SELECT lease FROM dramatiq.worker").fetchall() == [(key_of(ONE),)]


def test_late_heartbeat_does_not_clear_recorded_lease(listener, line):
    one = listener(ONE)
    late = lease.heartbeat(one, ONE)

    one.take()
    line.execute(*late)

    assert line.execute("SELECT lease FROM dramatiq.worker").fetchall() == [(key_of(ONE),)]


def test_second_process_cannot_take_an_occupied_worker_slot(listener, monkeypatch):
    monkeypatch.setattr(lease, "TIMEOUT", 0.5)
    first, second = listener(), listener()
    first.take()

    with pytest.raises(SlotTaken, match="host name of its own"):
        second.take()

    first.drop_conn()
    second.take()
    assert second.held


def test_any_live_worker_becomes_lease_leader_and_requeues_lost_jobs(listener, line):
    class WakeUp:
        """What is subscribed with; nobody waits for it."""

        def set(self) -> None:
            """Nothing."""

    first, second, third = listener(ONE), listener(OTHER), listener(str(uuid.uuid4()))
    for one in (first, second, third):
        one.subscribe("test_lease", WakeUp())
        wait_for(lambda one=one: one.held)
    keeper = wait_for(lambda: next((one for one in (first, second, third) if one._keeps), None))
    other = next(one for one in (first, second, third) if one is not keeper)

    for gone in (other, keeper):
        lost = held_by(gone._worker())
        gone.stop()
        gone.conn.close()
        wait_for(lambda lost=lost: states()[lost] == "queued")


def test_lease_leader_publishes_the_bottom_of_each_queue(listener, line):
    wake, other = QueueWakeUp(), QueueWakeUp()
    one = listener()
    one.subscribe("dramatiq.begins.enqueue", wake)
    one.subscribe("dramatiq.empty.enqueue", other)
    for turn in (7.25, 3.5):
        line.execute(
            "INSERT INTO dramatiq.queue (message_id, queue_name, state, turn, message)"
            " VALUES (gen_random_uuid(), 'begins', 'queued', %s, '{}')",
            (turn,),
        )

    (found,) = line.execute("SELECT turn, position FROM dramatiq.queue ORDER BY turn LIMIT 1")

    assert wait_for(wake.bottom) == found
    assert other.bottom() is None
    assert one.queues() == ["begins", "empty"]


def test_idle_worker_count_excludes_busy_workers_and_other_queues(listener, line):
    for worker in (ONE, OTHER):
        one = listener(worker)
        one.subscribe("dramatiq.counted.enqueue", QueueWakeUp())
        wait_for(lambda one=one: one.held)
        line.execute(*lease.heartbeat(one, worker))
    assert line.execute(lease.IDLE_WORKERS_SQL, ("counted", "counted")).fetchone() == (2,)
    assert line.execute(lease.IDLE_WORKERS_SQL, ("uncounted", "uncounted")).fetchone() == (0,)

    line.execute(
        "INSERT INTO dramatiq.queue (message_id, queue_name, state, worker_id, message)"
        " VALUES (gen_random_uuid(), 'counted', 'consumed', %s, '{}')",
        (ONE,),
    )

    assert line.execute(lease.IDLE_WORKERS_SQL, ("counted", "counted")).fetchone() == (1,)


def test_worker_claims_no_job_before_it_holds_its_lease(line):
    broker = create_broker()
    leased_job.send()
    line.execute("SELECT pg_advisory_lock(%s)", (key_of(broker.worker_id),))
    hand = broker.consume("test_lease", prefetch=1)
    assert next(hand) is None
    assert [*states().values()] == ["queued"]

    line.execute("SELECT pg_advisory_unlock_all()")

    assert wait_for(lambda: next(hand)).actor_name == "leased_job"
    hand.close()
    close(broker, "test_lease")


def test_lease_listener_reconnects_when_its_session_is_terminated(listener, line):
    class WakeUp:
        rung = False

        def set(self) -> None:
            self.rung = True

    one, wake = listener(), WakeUp()
    one.subscribe("test_lease", wake)
    wait_for(lambda: one.held)
    wake.rung = False

    line.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'worker_lease' AND datname = current_database()"
    )

    wait_for(lambda: not one.held)
    wait_for(lambda: one.held)
    assert wake.rung  # who waited without a lease
    wake.rung = False
    wait_for(lambda: line.execute("NOTIFY test_lease") and wake.rung)


def test_running_job_is_cancelled_when_another_worker_holds_it(line, monkeypatch):
    broker = dramatiq.get_broker()
    mine, theirs = held_by(broker.worker_id), held_by(OTHER)
    tasks = [Task(mine), Task(theirs)]
    ended = []
    monkeypatch.setattr("core.queue.job_monitor.cancellation.running_jobs", lambda: tasks)
    monkeypatch.setattr(
        "core.queue.job_monitor.cancellation.cancel", lambda tasks: ended.extend(tasks)
    )
    monkeypatch.setattr("core.queue.job_monitor.transaction", lambda pool: connection.cursor())

    JobMonitor()._look(broker)

    assert [task.message for task in ended] == [theirs]


def test_keepalives_apply_only_to_network_connections():
    assert not connections.over_network({"host": "/run/postgresql"})
    assert not connections.over_network({"dbname": "platform"})
    assert connections.over_network({"host": "10.0.0.5"})
    assert lease.session_options() == {}  # of the tests' own, which is a socket

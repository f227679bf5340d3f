"""Queue probes: a no-op job per queue twice a minute proves that its workers consume."""

from collections.abc import Iterable
from uuid import NAMESPACE_URL, uuid5

import dramatiq
from django.db import connection, transaction

from core.queue import job_costs

INTERVAL = 30_000  # milliseconds between two of the same queue
ALARM = 90.0  # seconds after which a queue whose slots are free, and where none ended, is broken

# An account of its own, with the most weight: it measures the queue, and does not wait in it behind
# what else the platform has to do.
_TURN = {
    "account": str(uuid5(NAMESPACE_URL, "canaries")),
    "weight": 10.0,
    "cost": job_costs.MIN_SECONDS,
}

_UNDER_WAY = """
    SELECT queue_name FROM dramatiq.queue
    WHERE message_id = ANY(%s::uuid[]) AND state IN ('queued', 'consumed')
"""
_RELEASE = """
    INSERT INTO core_canary (queue, sent) VALUES (%s, now())
    ON CONFLICT (queue) DO UPDATE SET sent = now()
"""
_AGES = """
    SELECT queue, extract(epoch FROM now() - coalesce(ended, sent))::float8 FROM core_canary
"""
_LATE = """
    SELECT queue_name FROM dramatiq.queue
    WHERE message_id = ANY(%s::uuid[]) AND state = 'queued'
        AND available_at < now() - make_interval(secs => %s)
"""
_RECORD = "UPDATE core_canary SET ended = now(), worker = %s WHERE queue = %s"


@transaction.atomic
def send_probes(actor: dramatiq.Actor, queues: Iterable[str]) -> None:
    """Send each queue its canary, but where the last one is still under way."""
    with connection.cursor() as cursor:
        cursor.execute(_UNDER_WAY, [[_number(queue) for queue in queues]])
        for queue in sorted(set(queues) - {queue for (queue,) in cursor.fetchall()}):
            cursor.execute(_RELEASE, [queue])
            message = actor.message(queue)
            own = {"queue_name": queue, "message_id": _number(queue), "options": _TURN}
            actor.broker.enqueue(message.copy(**own))


def record_probe(queue: str, worker: str) -> None:
    """The canary of `queue` was heard by `worker`."""
    with connection.cursor() as cursor:
        cursor.execute(_RECORD, (worker, queue))


def probe_ages() -> dict[str, float]:
    """Seconds since a canary ended, by queue."""
    with connection.cursor() as cursor:
        cursor.execute(_AGES)
        return dict(cursor.fetchall())


def late_queues(*, seconds: float) -> set[str]:
    """The queues whose canary has been waiting for longer."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT queue FROM core_canary")
        numbers = [_number(queue) for (queue,) in cursor.fetchall()]
        cursor.execute(_LATE, (numbers, seconds))
        return {queue for (queue,) in cursor.fetchall()}


def _number(queue: str) -> str:
    """The one message of its kind in its queue."""
    return str(uuid5(NAMESPACE_URL, f"canary/{queue}"))

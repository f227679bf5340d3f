"""Dramatiq broker on PostgreSQL: transactional enqueue (outbox), poison-message guard."""

import logging
import os
import time
from collections.abc import Iterable
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import dramatiq
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.utils.module_loading import autodiscover_modules
from dramatiq.common import current_millis, dq_name
from dramatiq.middleware import (
    AgeLimit,
    CurrentMessage,
    Middleware,
    ShutdownNotifications,
    SkipMessage,
    TimeLimit,
)
from dramatiq_postgres.broker import PostgresBroker
from dramatiq_postgres.django.middleware import DbConnectionsMiddleware
from dramatiq_postgres.utils import tidy4json, transaction
from psycopg.types.json import Jsonb

from core.files import blobs
from core.files.disk_space import DiskSpaceGate
from core.models import JobStart
from core.postgres import connections
from core.postgres.pool import ReconnectingPool
from core.queue import fair_queueing, job_costs, lease, quotas
from core.queue.consumer import QueueConsumer
from core.queue.job_monitor import JobMonitor
from core.queue.storage_retries import StorageOutageRetries
from core.request_context import request_context

logger = logging.getLogger(__name__)

# A message may begin this often without ending before it is given up as poison.
MAX_STARTS = 3
# Seconds between two attempts to reach a database that has gone away.
PAUSE = 0.5
# Letters of what a message is about: a UUID, a hash, or a URI.
MAX_KEY_LENGTH = 200

# The statistics of a queue are always old: what they call small, and read as a whole, may be full.
BY_INDEX = {"enable_seqscan": "off", "enable_bitmapscan": "off"}

# A claim and an end do not wait for the disk: one that a crash takes back has the job done twice,
# as any may be. What is sent, on Django's connection, does.
NOT_AWAITED = {"synchronous_commit": "off"}

TAKE_BACK = """
    UPDATE dramatiq.queue
    SET state = 'queued', worker_id = NULL, consumed_at = NULL, mtime = now()
    WHERE worker_id = %s AND queue_name LIKE %s AND state = 'consumed'
        AND message_id <> ALL(%s::uuid[])
    RETURNING message_id, pg_notify('dramatiq.' || queue_name || '.enqueue', '')
"""


# What is at work is taken out, too: by that its worker knows.
CANCEL = """
    WITH cancelled AS (
        DELETE FROM dramatiq.queue
        WHERE subject = ANY(%s) AND message->>'actor_name' = ANY(%s) AND state <> 'rejected'
        RETURNING 1
    )
    SELECT pg_notify('dramatiq.cancel', '') WHERE EXISTS (SELECT 1 FROM cancelled)
"""


class TransactionalBroker(PostgresBroker):
    """Sends a message on Django's own connection, in the transaction of its rows.

    Options of a message beside Dramatiq's, which it keeps over retries:

    owner   : key of the user whose work it is; by default the sender
    cost    : expected seconds; on the first send it is corrected by recent run times
              (core.queue.job_costs), and `told` keeps the original
    account, weight : its flow (core.queue.fair_queueing), set on the first send
    """

    pool: ReconnectingPool

    def __init__(self, **options: Any):
        super().__init__(listen=False, **options)
        self.notifier = lease.LeaseListener(lambda: self.worker_id, **BY_INDEX)
        # By queue, what this process has claimed and not ended: it outlives the consumers.
        self.held: dict[str, set[str]] = {}

    def close(self) -> None:
        super().close()
        self.pool.close()

    def maybe_heartbeat(self, conn: Any) -> None:
        """Send the package's heartbeat, which also records whether there is a lease."""
        now = time.monotonic()
        with self._heartbeat_lock:
            if self._heartbeat_at and now - self._heartbeat_at < self.heartbeat_interval:
                return
            self._heartbeat_at: float = now
        with transaction(conn) as cursor:
            cursor.execute(*lease.heartbeat(self.notifier, self.worker_id))

    def enqueue(self, message: dramatiq.Message, *, delay: int | None = None) -> dramatiq.Message:
        """Put `message` into the queue as part of the current transaction.

        Outside of one it waits for an unavailable database: a worker that requeues a failed job
        would lose it otherwise.
        """
        self.emit_before("enqueue", message, delay)
        caller = request_context().caller
        if caller is not None and not delay and CurrentMessage.get_current_message() is None:
            quotas.require_queue_quota(message.queue_name, caller)
        message = self._with_turn(message)
        message = message.copy(queue_name=_queue_of(message))
        if delay:
            message = message.copy(queue_name=dq_name(message.queue_name))
            message.options["eta"] = current_millis() + delay
        row = _row(message, delay or 0)
        while True:
            try:
                with connection.cursor() as cursor:
                    cursor.execute(fair_queueing.ENQUEUE, row)
                break
            except (InterfaceError, OperationalError):
                if connection.in_atomic_block:
                    raise
                logger.warning("%s: database unavailable, retry in %g s.", message, PAUSE)
                connection.close()
                time.sleep(PAUSE)
        self.emit_after("enqueue", message, delay)
        return message

    def _with_turn(self, message: dramatiq.Message) -> dramatiq.Message:
        if "account" in message.options:
            return message
        owner = message.options.get("owner")
        flow = fair_queueing.flow_of_owner(UUID(owner)) if owner else fair_queueing.current_flow()
        declared = job_costs.declared_cost(message, self.get_actor(message.actor_name))
        own = {"account": str(flow.account), "weight": flow.weight, "told": declared}
        return message.copy(
            options={**own, "cost": declared * job_costs.calibration.factor(message.actor_name)}
        )

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 30000):
        """A consumer of `queue_name` that misses no wake-up."""
        return QueueConsumer(broker=self, queue_name=queue_name, prefetch=prefetch, timeout=timeout)

    def take_back(self, queue_name: str, held: Iterable[str] = ()) -> None:
        """Requeue messages that the queue assigns to this worker and that it does not hold."""
        with transaction(self.pool) as cursor:
            cursor.execute(TAKE_BACK, (self.worker_id, queue_name, list(held)))
            for message_id, _ in cursor.fetchall():
                logger.warning("Requeued %s: worker lost.", message_id)


def _queue_of(message: dramatiq.Message) -> str:
    """Of a queue with two classes, the one that the message's cost belongs to."""
    name = message.queue_name
    quick = fair_queueing.QUICK.get(name)
    costly = quick is not None and message.options.get("cost", job_costs.USUAL) > quick
    return fair_queueing.slow_queue(name) if costly else name


def _row(message: dramatiq.Message, delay: int) -> dict[str, Any]:
    """The parameters of `turns.ENQUEUE`."""
    cost = max(job_costs.MIN_SECONDS, message.options.get("cost", job_costs.USUAL))
    return {
        "queue": message.queue_name,
        "id": message.message_id,
        "message": Jsonb(tidy4json(message)),
        "delay": delay,
        "account": message.options["account"],
        "cost": cost,
        "step": cost / message.options["weight"],
        "subject": _subject(message),
    }


def _subject(message: dramatiq.Message) -> str | None:
    """Return the key or URI that a message is about."""
    first = next(iter(message.args), None)
    return first if isinstance(first, str) and len(first) <= MAX_KEY_LENGTH else None


class PoisonMessageGuard(Middleware):
    """Counts a job's starts before it runs; gives up one that kills its worker each time.

    The count is reset when the job ends in any way that Python sees. A job that is given up goes to
    the actor of its `on_retry_exhausted`, so that its row ends in `error`.
    """

    def before_process_message(self, broker, message) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO core_jobstart (message, starts, last) VALUES (%s, 1, now())"
                " ON CONFLICT (message) DO UPDATE"
                " SET starts = core_jobstart.starts + 1, last = now() RETURNING starts",
                (message.message_id,),
            )
            (starts,) = cursor.fetchone()
        if starts <= MAX_STARTS:
            return
        logger.error(
            "Poison message %s: worker crashed %d times, not retried.", message, MAX_STARTS
        )
        name = broker.get_actor(message.actor_name).options.get("on_retry_exhausted")
        if name:
            reason = {"reason": "worker-died", "starts": MAX_STARTS}
            broker.get_actor(name).send(message.asdict(), reason)
        self._forget(message)
        raise SkipMessage("poison")

    def after_process_message(self, broker, message, *, result=None, exception=None) -> None:
        self._forget(message)

    def before_worker_shutdown(self, broker, worker) -> None:
        # What is cut off by an orderly stop has done nothing wrong.
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM core_jobstart WHERE message IN"
                " (SELECT message_id FROM dramatiq.queue WHERE worker_id = %s)",
                (broker.worker_id,),
            )

    def _forget(self, message) -> None:
        JobStart.objects.filter(message=message.message_id).delete()


def create_broker() -> TransactionalBroker:
    """The broker of this process."""
    broker = TransactionalBroker(
        pool=ReconnectingPool(
            **connections.session_parameters(**BY_INDEX, **NOT_AWAITED),
            application_name="dramatiq-postgres",
        ),
        results=False,
        heartbeat_interval=3.0,
        heartbeat_ttl=15.0,
        maintenance_interval=5.0,
        middleware=[
            DbConnectionsMiddleware(),
            AgeLimit(),
            TimeLimit(time_limit=3_600_000),  # the sandboxes' own limits come first
            ShutdownNotifications(),
            DiskSpaceGate(),
            PoisonMessageGuard(),
            StorageOutageRetries(max_retries=3, min_backoff=1000, max_backoff=60_000),
            CurrentMessage(),
            JobMonitor(),
        ],
    )
    for queue in fair_queueing.QUICK:
        broker.declare_queue(fair_queueing.slow_queue(queue))
    return broker


def claim_slot() -> None:
    """Be the process of this one's slot: requeue what the last one held when it died, and remove
    its litter.

    Raises core.queue.lease.SlotTaken.
    """
    broker = dramatiq.get_broker()
    if isinstance(broker, TransactionalBroker):
        if slot := os.environ.get("WORKER_SLOT"):
            broker.worker_id = str(slot_id(slot))
        broker.notifier.take()
        broker.take_back("%")
    blobs.remove_stale()


def slot_id(slot: str) -> UUID:
    """The queue's name for whatever process fills `slot` of this installation's machine."""
    return uuid5(NAMESPACE_URL, f"{os.uname().nodename}/{settings.DATA_DIR}/{slot}")


def enqueue_by_name(
    name: str, *args: Any, delay: int | None = None, owner: str | None = None
) -> None:
    """Send the actor called `name`, which the sender's own module may not import.

    delay : milliseconds
    owner : key of the account on whose share the job is
    """
    broker = dramatiq.get_broker()
    if name not in broker.actors:
        autodiscover_modules("actors")  # this process had no use for its app so far
    broker.get_actor(name).send_with_options(args=args, delay=delay, owner=owner)

"""Worker leases (advisory locks); an elected worker requeues jobs of expired leases.

A lock shows that the worker is alive. When a process is killed, its session closes and the lock is
free within milliseconds; for a machine that vanished, a stalled network or a stopped process, the
server ends the session after `LEASE`. The worker that holds the keeper's lock checks each second
for workers without a lock, and requeues what they held. The queue's heartbeat stays beneath, for
workers of versions without a lease and for a keeper that hangs.
"""

import logging
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
from dramatiq_postgres.broker import Notifier
from psycopg import sql

from core.postgres import connections
from core.queue.wakeup import QueueWakeUp

logger = logging.getLogger(__name__)

# Seconds without a word after which the server ends a session that comes over a network.
LEASE = 5.0
HEARTBEAT_INTERVAL = 1.0  # seconds between two words
RETRY_DELAY = 1.0  # seconds after which a lost session is opened anew
# Seconds that a slot's process waits for its predecessor's session to end, however that ended.
TIMEOUT = 20.0
LEADER_LOCK = 0x6B65657065720001  # an advisory lock
_TRY = "SELECT pg_try_advisory_lock(%s)"
# A sign of life that was begun before the lease was taken does not take it from the row.
_SIGN = """
    INSERT INTO dramatiq.worker (worker_id, heartbeat_at, lease, queues, clock, machine)
    VALUES (%s, now(), %s, %s, %s, %s)
    ON CONFLICT (worker_id) DO UPDATE
    SET heartbeat_at = now(), lease = COALESCE(EXCLUDED.lease, worker.lease),
        queues = EXCLUDED.queues, clock = EXCLUDED.clock, machine = EXCLUDED.machine
"""
# How many workers of a queue have nothing to do; fewer than that where one does several at once.
IDLE_WORKERS_SQL = """
    SELECT (SELECT count(*) FROM dramatiq.worker
            WHERE lease IS NOT NULL AND heartbeat_at > now() - interval '15 s'
                AND %s = ANY (queues))
        - (SELECT count(*) FROM dramatiq.queue WHERE queue_name = %s AND state = 'consumed')
"""
# Where each queue begins: who claims from there on walks over nothing that has ended before, which
# a held snapshot keeps in the index.
_BOTTOMS = """
    WITH RECURSIVE bottoms AS (
        (SELECT queue_name, turn, position FROM dramatiq.queue WHERE state = 'queued'
            ORDER BY queue_name, turn, position LIMIT 1)
        UNION ALL
        SELECT next.* FROM bottoms, LATERAL (
            SELECT queue_name, turn, position FROM dramatiq.queue
            WHERE state = 'queued' AND queue_name > bottoms.queue_name
            ORDER BY queue_name, turn, position LIMIT 1) AS next
    )
    SELECT pg_notify('dramatiq.' || queue_name || '.enqueue', turn || ' ' || position)
    FROM bottoms WHERE queue_name NOT LIKE '%.DQ'
"""
_DEAD = """
    UPDATE dramatiq.worker SET lease = NULL
    WHERE lease IS NOT NULL AND lease <> ALL (ARRAY(
        SELECT classid::bigint << 32 | objid::bigint FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1 AND granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())))
    RETURNING worker_id
"""
_GIVE_BACK = """
    UPDATE dramatiq.queue
    SET state = 'queued', worker_id = NULL, consumed_at = NULL, mtime = now()
    WHERE state = 'consumed' AND worker_id = ANY(%s)
    RETURNING message_id, pg_notify('dramatiq.' || queue_name || '.enqueue', '')
"""


class SlotTaken(Exception):
    """Another process, perhaps of another machine, does the work of this slot."""


def key_of(worker: str) -> int:
    """The number of a worker's lock."""
    return int.from_bytes(UUID(worker).bytes[:8], signed=True)


def session_options() -> dict[str, str]:
    """The settings of a session that is to end soon after its client is out of reach."""
    far = connections.over_network(connections.session_parameters())
    return {"idle_session_timeout": f"{LEASE:g}s"} if far else {}


class LeaseListener(Notifier):
    """The package's listener, whose connection is the worker's lease as well.

    worker    : the worker's identity in the queue
    held      : whether this process holds the lease
    listening : the channels that it listens to
    """

    conn: psycopg.Connection[Any] | None

    def __init__(self, worker: Callable[[], str], **settings: str):
        super().__init__(None)
        self._worker = worker
        self._settings = settings
        self.held = False
        self.listening: list[str] = []
        self._keeps = False
        self._word = 0.0  # when the server heard from us last, on the monotonic clock

    def take(self) -> None:
        """Take the lease before anything is done under it.

        Raises SlotTaken where a session has it that does not end, psycopg.Error.
        """
        deadline = time.monotonic() + TIMEOUT
        while not self.held:
            self._open()
            if not self.held:
                if time.monotonic() > deadline:
                    raise SlotTaken(
                        "The work of this slot is done by another process, perhaps on a machine "
                        "of the same name: give each machine a host name of its own, and start "
                        "each slot once."
                    )
                time.sleep(HEARTBEAT_INTERVAL / 4)

    def run(self) -> None:
        """Listen and send heartbeats until stopped."""
        while not self.stopping.is_set():
            try:
                connection = self.ensure_conn()
                for notice in connection.notifies(timeout=HEARTBEAT_INTERVAL):
                    with self.lock:
                        events = set(self.subscriptions.get(notice.channel, ()))
                    for event in events:
                        if notice.payload and isinstance(event, QueueWakeUp):
                            event.hear(notice.payload)
                        else:
                            event.set()
                    if self.stopping.is_set() or self.dirty.is_set() or self._is_due():
                        break
                if self._is_due():
                    self._beat(connection)
            except psycopg.Error as error:
                if not self.stopping.is_set():
                    logger.warning("Worker lease lost, re-acquiring: %s", error)
                self.drop_conn()
                self.stopping.wait(RETRY_DELAY)
            except Exception:
                logger.exception("The listener failed.")
                self.drop_conn()
                self.stopping.wait(RETRY_DELAY)
        self.drop_conn()

    def ensure_conn(self) -> psycopg.Connection[Any]:
        """The connection, listening to all that is subscribed to."""
        connection = self._open()
        if self.dirty.is_set():
            self.dirty.clear()
            with self.lock:
                channels = list(self.subscriptions)
            connection.execute("UNLISTEN *")
            for channel in channels:
                connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
            self.listening = channels
        return connection

    def drop_conn(self) -> None:
        """Close the connection; the lease ends."""
        connection, self.conn = self.conn, None
        self.held = self._keeps = False
        self.listening = []
        self.dirty.set()
        if connection is not None:
            connection.close()

    def _open(self) -> psycopg.Connection[Any]:
        if self.conn is None:
            self.conn = psycopg.connect(
                **connections.session_parameters(**self._settings, **session_options()),
                autocommit=True,
                application_name="worker_lease",
            )
            self.dirty.set()
        if not self.held:
            self._sign(self.conn)
        return self.conn

    def _sign(self, connection: psycopg.Connection[Any]) -> None:
        """Take the lock, and record that a worker without it is gone."""
        self._word = time.monotonic()
        key = key_of(self._worker())
        if connection.execute(_TRY, (key,)).fetchone() == (True,):
            connection.execute(_SIGN, (self._worker(), key, self.queues(), *_clock()))
            self.held = True
            self._ring()

    def _ring(self) -> None:
        """Wake the consumers, which claim nothing without a lease."""
        with self.lock:
            for event in set().union(*self.subscriptions.values()):
                event.set()

    def queues(self) -> list[str]:
        """Those that it listens to."""
        with self.lock:
            channels = list(self.subscriptions)
        names = [name.removeprefix("dramatiq.") for name in channels if name.endswith(".enqueue")]
        return [name.removesuffix(".enqueue") for name in names]

    def _is_due(self) -> bool:
        return time.monotonic() - self._word >= HEARTBEAT_INTERVAL

    def _beat(self, connection: psycopg.Connection[Any]) -> None:
        """Say a word to the server: as the keeper, what the dead held; else, whether to be it."""
        self._word = time.monotonic()
        if not self._keeps:
            (self._keeps,) = connection.execute(_TRY, (LEADER_LOCK,)).fetchone() or (False,)
        if self._keeps:
            requeue_expired(connection)
            connection.execute(_BOTTOMS)


def requeue_expired(connection: psycopg.Connection[Any]) -> list[UUID]:
    """Requeue and return the messages of workers whose lease has ended."""
    with connection.transaction():
        dead = [worker for (worker,) in connection.execute(_DEAD)]
        found = list(connection.execute(_GIVE_BACK, (dead,))) if dead else []
    for message, _ in found:
        logger.warning("Requeued %s: worker lost.", message)
    return [message for message, _ in found]


def heartbeat(listener: Any, worker: str) -> tuple[str, tuple[Any, ...]]:
    """Return the heartbeat's statement, which also marks whether there is a lease to check."""
    held = isinstance(listener, LeaseListener) and listener.held
    queues = listener.queues() if isinstance(listener, LeaseListener) else None
    return _SIGN, (worker, key_of(worker) if held else None, queues, *_clock())


def _clock() -> tuple[datetime, str]:
    """What this machine's clock says, and the machine's name."""
    return datetime.now(UTC), socket.gethostname()

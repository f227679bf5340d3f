"""Queue consumer: claims jobs by fair-queueing order (SKIP LOCKED), wakes on NOTIFY.

A worker with RESERVED_SLOT in its environment takes only cheap jobs of accounts that have none at
work in its queue: however many jobs an account sends, the others find a free slot.
"""

import os
import random
import time
from datetime import datetime
from operator import itemgetter
from typing import Any

import dramatiq
from django.conf import settings
from dramatiq_postgres.broker import PostgresConsumer
from dramatiq_postgres.utils import raise_connection_error, transaction

from core.queue import fair_queueing, lease
from core.queue.wakeup import QueueWakeUp

# Seconds after which a worker looks below its floor: what was taken back lies there.
LOOK_BELOW = 1.0
# Below every turn.
QUEUE_START = (0.0, 0)
COUNT = 5.0  # seconds, about, after which an idle worker counts the others


class QueueConsumer(PostgresConsumer):
    """The package's consumer with a wake-up that loses no notification, and with lasting state.

    Dramatiq creates a new one when the database was unavailable, or it gets a new connection by
    itself. Messages claimed without receiving them, and completions that a crash rolled back, would
    stay assigned to this worker for ever: messages that it does not hold are requeued each time.
    """

    wakeup: QueueWakeUp

    def __init__(self, **options: Any):
        super().__init__(**options)
        self.broker.notifier.unsubscribe(self.channel, self.wakeup)
        self.wakeup = QueueWakeUp()
        self.broker.notifier.subscribe(self.channel, self.wakeup)
        self.in_processing = self.broker.held.setdefault(self.queue_name, set())
        if self.queue_name in self.broker.delay_queues:
            self.in_processing.clear()  # Dramatiq forgets them together with the consumer
        self._claimed: dict[str, datetime] = {}  # when, of what lies in the buffer
        self._floor = QUEUE_START
        self._below = 0.0  # when it looked below the floor last
        self._newest = 0  # position of the last newcomer's job
        self._was_newcomer = False  # whether that was its last one
        self._count = 0.0  # when to count the idle workers
        self._reserved = bool(os.environ.get("RESERVED_SLOT"))
        self._take_back()

    @raise_connection_error
    def _take_back(self) -> None:
        buffered = [message.message_id for message in self.buffer]
        self.broker.take_back(self.queue_name, [*self.in_processing, *buffered])

    def get_consume_conn(self) -> Any:
        """As the package's; on a new connection, requeue messages that are not held."""
        before = self._consume_conn
        connection = super().get_consume_conn()
        if before is not None and connection is not before:
            self._take_back()
        return connection

    def __next__(self) -> Any:
        message = super().__next__()
        if message is not None:
            message.claimed = self._claimed.pop(message.message_id, None)
        return message

    def claim(self, limit: int) -> None:
        """Claim up to `limit` messages: every second time a new flow's, else the smallest turns.

        Delayed messages are claimed by the package, by time: they have no turn.

        Without a lease it claims nothing: if a machine vanished right after a reconnect, only the
        heartbeat would notice, three times as late.
        """
        if not self.broker.notifier.held:
            return
        if self.queue_name in self.broker.delay_queues:
            super().claim(limit)
            return
        most = self._slots_per_account()
        while limit > 0 and self._claim_next(1 if most else limit):
            limit -= 1 if most else limit
        if not self.buffer:
            self._count_idle()

    def _slots_per_account(self) -> int:
        return 1 if self._reserved else settings.SLOTS_PER_ACCOUNT

    def _claim_next(self, limit: int) -> bool:
        """Claim from the reported start of the queue or the last claim on, else from all of it."""
        now = time.monotonic()
        floor = self.wakeup.bottom()
        if floor is None and now - self._below < LOOK_BELOW:
            floor = self._floor
        if floor is not None and self._claim(limit, floor):
            return True
        self._below = now
        return self._claim(limit, QUEUE_START)

    @raise_connection_error
    def _claim(self, limit: int, floor: tuple[float, int]) -> bool:
        queue, worker, most = self.queue_name, self.broker.worker_id, self._slots_per_account()
        newcomer_sql, turn_sql = self._statements()
        may = (queue, most) if most else ()
        with transaction(self.get_consume_conn()) as cursor:
            if most:
                cursor.execute(fair_queueing.ONE_AT_A_TIME, (queue,))
            new = []
            if not self._was_newcomer:
                stands = (queue, queue, *floor)
                cursor.execute(newcomer_sql, (queue, self._newest, *may, 1, *stands, worker))
                new = cursor.fetchall()
            rows = []
            if len(new) < limit:
                cursor.execute(turn_sql, (queue, *floor, *may, limit - len(new), worker))
                rows = sorted(cursor.fetchall(), key=itemgetter(1, 2))
        self._was_newcomer = bool(new)
        for content, _, position, claimed in new:
            self._newest = position
            self._keep(content, claimed)
        for content, turn, position, claimed in rows:
            self._floor = turn, position
            self._keep(content, claimed)
        return bool(new or rows)

    def _statements(self) -> tuple[str, str]:
        """How this worker claims a newcomer's job, and one by its turn."""
        if self._reserved:
            return fair_queueing.CLAIM_NEWCOMER_RESERVED, fair_queueing.CLAIM_RESERVED
        if settings.SLOTS_PER_ACCOUNT:
            return fair_queueing.CLAIM_NEWCOMER_SHARED, fair_queueing.CLAIM_SHARED
        return fair_queueing.CLAIM_NEWCOMER, fair_queueing.CLAIM

    def _keep(self, content: str, claimed: datetime) -> None:
        message = dramatiq.Message.decode(content.encode())
        self.buffer.append(message)
        self._claimed[message.message_id] = claimed

    @raise_connection_error
    def _count_idle(self) -> None:
        now = time.monotonic()
        if now >= self._count:
            self._count = now + COUNT * random.uniform(0.75, 1.25)  # noqa: S311
            with transaction(self.get_consume_conn()) as cursor:
                cursor.execute(lease.IDLE_WORKERS_SQL, (self.queue_name, self.queue_name))
                (self.wakeup.idle,) = cursor.fetchone()

    @raise_connection_error
    def ack(self, message: Any) -> None:
        """Delete a message that has ended; as the package does it, but for `turns.ACK`."""
        channel = f"dramatiq.{message.queue_name}.ack"
        key = message.message_id
        claim = (self.broker.worker_id, getattr(message, "claimed", None))
        with transaction(self.pool) as cursor:
            cursor.execute(fair_queueing.ACK, (key, message.queue_name, *claim, channel, key))
        self.in_processing.discard(key)
        self.wakeup.free()

    def nack(self, message: Any) -> None:
        """As the package's."""
        super().nack(message)
        self.wakeup.free()

"""Monitors running jobs: cancels revoked ones, moves overlong fast jobs to the slow queue."""

import logging
import threading
import time
from typing import Any

import dramatiq
from django.db import connection
from dramatiq.middleware import Middleware
from dramatiq_postgres.broker import PostgresBroker
from dramatiq_postgres.utils import transaction

from core.process import cancellation
from core.queue import fair_queueing, job_costs
from core.queue.wakeup import WakeUp

logger = logging.getLogger(__name__)

# Seconds after which a worker looks whether what it does is still wanted.
LOOK_AGAIN = 1.0
CANCEL_CHANNEL = "dramatiq.cancel"

# Also what was given back, since this worker could not be reached, and is another's now.
REVOKED_SQL = """
    SELECT message_id::text FROM unnest(%s::uuid[]) AS held(message_id)
    WHERE NOT EXISTS (SELECT 1 FROM dramatiq.queue q
        WHERE q.message_id = held.message_id AND q.worker_id = %s)
"""


class JobMonitor(Middleware):
    """Ends this worker's jobs whose messages were cancelled (`core.queue.row_jobs.cancel_jobs`).

    It is notified, and polls once a second besides: a lost notification costs a second. A quick job
    that takes several times its cost, or longer than any quick job may, restarts as a slow one, so
    that a wrong cost delays no quick job. The run times of the others calibrate the costs, and an
    account is charged for the seconds that its jobs took beyond their costs.
    """

    def __init__(self) -> None:
        self._messages: dict[str, dramatiq.Message] = {}
        self._wakeup = WakeUp()
        self._ending = threading.Event()

    @property
    def actor_options(self) -> set[str]:
        return {"cost"}

    def after_worker_boot(self, broker, worker) -> None:
        self._ending.clear()
        broker.notifier.subscribe(CANCEL_CHANNEL, self._wakeup)
        threading.Thread(target=self._watch, args=(broker,), name="watch", daemon=True).start()

    def before_worker_shutdown(self, broker, worker) -> None:
        self._ending.set()
        broker.notifier.unsubscribe(CANCEL_CHANNEL, self._wakeup)
        self._wakeup.set()

    def before_process_message(self, broker, message) -> None:
        self._messages[message.message_id] = message
        cancellation.register(message.message_id)

    def after_process_message(self, broker, message, *, result=None, exception=None) -> None:
        task = cancellation.unregister()
        self._messages.pop(message.message_id, None)
        if task is None:
            return
        seconds = time.monotonic() - task.begun
        if not task.unwanted and exception is None:
            job_costs.calibration.note(message, seconds)
        self._charge(broker, message, seconds)

    def after_skip_message(self, broker, message) -> None:
        cancellation.unregister()
        self._messages.pop(message.message_id, None)

    def _charge(self, broker: PostgresBroker, message: dramatiq.Message, seconds: float) -> None:
        """Have the account pay, by its next turns, for what a job took beyond its cost."""
        beyond = seconds - message.options.get("cost", seconds)
        if beyond < fair_queueing.MIN_CHARGE or not fair_queueing.has_classes(message.queue_name):
            return
        step = beyond / message.options.get("weight", 1.0)
        try:
            with transaction(broker.pool) as cursor:
                account = message.options["account"]
                cursor.execute(fair_queueing.CHARGE, (step, message.queue_name, account))
        except Exception:
            logger.warning("%s: not charged for %.1f s.", message, beyond, exc_info=True)

    def _watch(self, broker: Any) -> None:
        while not self._ending.is_set():
            self._wakeup.wait(LOOK_AGAIN)
            try:
                self._look(broker)
                self._learn(broker)
            except Exception:
                logger.warning("Checking running jobs for cancellation failed.", exc_info=True)

    def _look(self, broker: Any) -> None:
        tasks = cancellation.running_jobs()
        if not tasks:
            return
        with transaction(broker.pool) as cursor:
            cursor.execute(REVOKED_SQL, ([task.message for task in tasks], broker.worker_id))
            gone = {key for (key,) in cursor.fetchall()}
        late = []
        for task in tasks:
            why = None if task.unwanted else self._lateness(task)
            if why:
                self._send_as_slow(broker, task, why)
                late.append(task)
        cancellation.cancel(task for task in tasks if task.message in gone or task in late)

    def _learn(self, broker: Any) -> None:
        if job_costs.calibration.is_due():
            with transaction(broker.pool) as cursor:
                job_costs.calibration.keep(cursor)

    def _lateness(self, task: cancellation.Task) -> str | None:
        """Return which limit a quick job has exceeded, in words; None where it has not."""
        message = self._messages.get(task.message)
        if message is None:
            return None
        cost = message.options.get("cost", job_costs.USUAL)
        late = fair_queueing.time_limit(message.queue_name, cost)
        most = fair_queueing.LATE_CPU.get(message.queue_name)
        if late is not None and time.monotonic() - task.begun > late:
            return f"{late:g} s"
        spent = task.spent
        if most is not None and spent is not None and spent() > most:
            return f"{most:g} s of CPU time"
        return None

    def _send_as_slow(self, broker: Any, task: cancellation.Task, why: str) -> None:
        message = self._messages[task.message]
        logger.warning("%s exceeded %s in the fast lane: requeued as slow.", message, why)
        try:
            broker.enqueue(message.copy(options={"cost": fair_queueing.LATE[message.queue_name]}))
        finally:
            connection.close()  # this thread's own

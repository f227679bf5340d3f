"""A worker in the test's own process, on the database of the tests."""

from collections.abc import Iterator
from contextlib import contextmanager

import dramatiq
from django.db import connection
from dramatiq import Worker

from core.queue.broker import TransactionalBroker, create_broker


@contextmanager
def working(queue: str, **options) -> Iterator[Worker]:
    """A worker of one queue while it lasts."""
    broker = dramatiq.get_broker()
    # The broker's pool was made for the database of the settings, not for the tests'.
    fresh = create_broker()
    fresh.worker_id = broker.worker_id  # whose lease its listener holds
    own = broker.pool, broker.notifier
    broker.pool, broker.notifier = fresh.pool, fresh.notifier
    # Its sign of life was deleted with the last test's rows: a worker that shows none within three
    # seconds is thought dead, and what it does is begun once more.
    broker._heartbeat_at = 0.0
    worker = Worker(broker, queues={queue}, worker_threads=1, **options)
    worker.start()
    yield worker
    for thread in worker.consumers.values():
        thread.consumer.wakeup.set()  # or it would end with its next poll
    worker.stop()
    close(fresh, queue)
    broker.pool, broker.notifier = own


def close(broker: TransactionalBroker, queue: str) -> None:
    """Close it at once: what listens for it looks only every two seconds whether it shall end."""
    broker.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, '')", [f"dramatiq.{queue}.enqueue"])
    broker.notifier.join()

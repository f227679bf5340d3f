"""The parts of dramatiq-postgres that the queue's classes override or read, some of them private.

A failure after an update of the package: read its new source, adapt `core.queue.broker`,
`core.queue.consumer` or `core.queue.lease`, then the lists here.
"""

import inspect
from types import SimpleNamespace

import pytest
from dramatiq_postgres.broker import Notifier, PostgresBroker, PostgresConsumer

from core.queue.broker import TransactionalBroker
from core.queue.consumer import QueueConsumer
from core.queue.lease import LeaseListener

OVERRIDDEN = {
    (PostgresBroker, TransactionalBroker): {
        "close": "(self)",
        "consume": "(self, queue_name, prefetch=1, timeout=30000)",
        "enqueue": "(self, message, *, delay=None)",
        "maybe_heartbeat": "(self, conn)",
    },
    (PostgresConsumer, QueueConsumer): {
        "__next__": "(self)",
        "ack": "(self, message)",
        "claim": "(self, limit)",
        "get_consume_conn": "(self)",
        "nack": "(self, message)",
    },
    (Notifier, LeaseListener): {
        "drop_conn": "(self)",
        "ensure_conn": "(self)",
        "run": "(self)",
    },
}
INHERITED = {
    PostgresBroker: {
        "_heartbeat_at",
        "_heartbeat_lock",
        "delay_queues",
        "heartbeat_interval",
        "maybe_maintenance",
        "notifier",
        "pool",
        "worker_id",
    },
    PostgresConsumer: {
        "_consume_conn",
        "broker",
        "buffer",
        "channel",
        "in_processing",
        "pool",
        "queue_name",
        "wakeup",
    },
    Notifier: {"conn", "dirty", "lock", "stopping", "subscribe", "subscriptions", "unsubscribe"},
}


def parameters(function: object) -> list[tuple[str, object]]:
    """Names and defaults; our own functions are annotated, the package's are not."""
    return [(each.name, each.default) for each in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize(("base", "own"), OVERRIDDEN)
def test_overridden_methods_have_the_expected_signatures(base, own):
    expected = OVERRIDDEN[base, own]

    assert {name: str(inspect.signature(getattr(base, name))) for name in expected} == expected
    assert [
        name
        for name in expected
        if parameters(getattr(own, name)) != parameters(getattr(base, name))
    ] == []


@pytest.mark.parametrize(("base", "own"), OVERRIDDEN)
def test_every_override_is_listed(base, own):
    shared = {name for name in vars(own) if inspect.isfunction(vars(own)[name])} & set(dir(base))

    assert shared - {"__init__"} == set(OVERRIDDEN[base, own])


def test_attributes_that_are_read_exist():
    broker = PostgresBroker(pool=SimpleNamespace(), results=False, listen=False)
    consumer = PostgresConsumer(broker=broker, queue_name="default", prefetch=1, timeout=1)
    listener = Notifier(broker.pool)

    for base, one in (
        (PostgresBroker, broker),
        (PostgresConsumer, consumer),
        (Notifier, listener),
    ):
        assert [name for name in sorted(INHERITED[base]) if not hasattr(one, name)] == []

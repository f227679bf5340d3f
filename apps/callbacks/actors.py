"""Retention: prunes old deliveries, events and sinks."""

from datetime import timedelta
from typing import Any

import dramatiq
from django.db import connection
from django.utils import timezone

from apps.callbacks.models import Sink
from core.keys import first_key

BATCH = 1000
# Times since it was delivered or cancelled; since its lifetime began; since it happened.
DELIVERED, EXPIRED, HAPPENED = timedelta(days=7), timedelta(days=30), timedelta(days=30)

# A key's order is that of creation, so what may be old enough is where the keys begin. Whoever
# sends again or records at this moment is left to it.
_PRUNE_DELIVERIES = """
WITH past AS (
    SELECT uuid FROM callbacks_delivery
    WHERE uuid < %(key)s AND (
        state = 'delivered' AND delivered_at < %(delivered)s
        OR state = 'cancelled' AND since < %(delivered)s
        OR state = 'expired' AND since < %(expired)s
    )
    ORDER BY uuid LIMIT %(batch)s FOR UPDATE SKIP LOCKED
), outcomes AS (
    DELETE FROM callbacks_outcome WHERE delivery_id IN (SELECT uuid FROM past)
)
DELETE FROM callbacks_delivery WHERE uuid IN (SELECT uuid FROM past)
"""
# A resource's newest event stays, for the next one's number; and of the others none goes before
# an older one, so that what is left has no gaps.
_PRUNE_EVENTS = """
DELETE FROM callbacks_event WHERE uuid IN (
    SELECT uuid FROM callbacks_event AS it
    WHERE uuid < %(key)s AND created < %(happened)s
        AND EXISTS (SELECT 1 FROM callbacks_event WHERE uri = it.uri AND seq > it.seq)
        AND NOT EXISTS (
            SELECT 1 FROM callbacks_event AS other WHERE uri = it.uri AND seq <= it.seq
                AND (created >= %(happened)s OR EXISTS (
                    SELECT 1 FROM callbacks_delivery WHERE event_id = other.uuid)))
    ORDER BY uuid LIMIT %(batch)s
)
"""


@dramatiq.actor(queue_name="default", max_retries=0)
def prune_callbacks() -> None:
    """Delete old deliveries that wait for nothing, old events, and sinks that are over."""
    now = timezone.now()
    delivered, expired, happened = now - DELIVERED, now - EXPIRED, now - HAPPENED
    _in_batches(_PRUNE_DELIVERIES, key=first_key(delivered), delivered=delivered, expired=expired)
    _in_batches(_PRUNE_EVENTS, key=first_key(happened), happened=happened)
    Sink.objects.filter(expires__lt=now).delete()


def _in_batches(statement: str, **values: Any) -> None:
    """Repeat a step until nothing is left, one transaction each, so that locks are held shortly."""
    while True:
        with connection.cursor() as cursor:
            cursor.execute(statement, {**values, "batch": BATCH})
            if cursor.rowcount < BATCH:
                return

"""Consistency checks: every change has an event, every event its deliveries."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection

# Younger than what is deleted, by a day.
EVENTS_KEPT, DELIVERIES_KEPT = timedelta(days=29), timedelta(days=6)

# Sentence -> rows that break it; each names itself in its first column.
CHECKS = {
    "An account's counter is its newest event's position": """
        SELECT owner_id FROM callbacks_eventcounter AS c WHERE last <> coalesce(
            (SELECT max(position) FROM callbacks_event WHERE owner_id = c.owner_id), 0)
    """,
    "A bureau's counter is its newest event's position": """
        SELECT bureau FROM callbacks_bureaucounter AS c WHERE last <> coalesce(
            (SELECT max(bureau_position) FROM callbacks_event WHERE bureau = c.bureau), 0)
    """,
    "The positions of a bureau's events have no gaps": """
        SELECT bureau FROM callbacks_event
        WHERE created > now() - %(events)s AND bureau IS NOT NULL
        GROUP BY 1 HAVING max(bureau_position) - min(bureau_position) + 1 <> count(*)
    """,
    "The positions of an account's events have no gaps": """
        SELECT owner_id FROM callbacks_event WHERE created > now() - %(events)s
        GROUP BY 1 HAVING max(position) - min(position) + 1 <> count(*)
    """,
    "The sequence of a resource's events has no gaps": """
        SELECT uri FROM callbacks_event WHERE created > now() - %(events)s
        GROUP BY 1 HAVING max(seq) - min(seq) + 1 <> count(*)
    """,
    # Whoever subscribed while the event was written may have missed it.
    "An event has a delivery for each subscription that it concerns": """
        SELECT e.uri || ' ' || e.seq FROM callbacks_event AS e
        JOIN callbacks_subscription AS s ON s.enabled AND s.deleted IS NULL
            AND s.updated < e.created - interval '1 minute'
            AND (s.resource = e.uri OR s.resource IS NULL AND s.owner_id = e.owner_id
                AND s.events && ARRAY[e.type, split_part(e.type, '.', 1) || '.*', '*']::varchar[])
        WHERE e.created > now() - %(deliveries)s AND NOT EXISTS (
            SELECT 1 FROM callbacks_delivery WHERE event_id = e.uuid AND subscription_id = s.uuid)
    """,
    "A delivery is its event's and its subscription's": """
        SELECT d.uuid FROM callbacks_delivery AS d
        JOIN callbacks_event AS e ON e.uuid = d.event_id
        JOIN callbacks_subscription AS s ON s.uuid = d.subscription_id
        WHERE d.seq <> e.seq OR d.owner_id <> s.owner_id
            OR d.state = 'pending' AND d.origin_id <> s.origin_id
    """,
    "What waits is due within an interval": """
        SELECT uuid FROM callbacks_delivery
        WHERE state = 'pending' AND next_at > now() + %(interval)s
    """,
    "What is delivered was answered with 2xx": """
        SELECT uuid FROM callbacks_delivery AS d
        WHERE state = 'delivered' AND (delivered_at IS NULL OR NOT EXISTS (
            SELECT 1 FROM callbacks_outcome WHERE delivery_id = d.uuid AND outcome LIKE '2__'))
    """,
    "What expired was tried for its lifetime": """
        SELECT uuid FROM callbacks_delivery
        WHERE state = 'expired' AND since > now() - %(lifetime)s
    """,
}


def broken_rules() -> list[str]:
    """A sentence for each rule that some row breaks: how many do, and one of them."""
    values: dict[str, Any] = {
        "events": EVENTS_KEPT,
        "deliveries": DELIVERIES_KEPT,
        # A second more, for what was written while we looked.
        "interval": timedelta(seconds=settings.CALLBACK_INTERVAL + 1),
        "lifetime": timedelta(seconds=settings.CALLBACK_LIFETIME),
    }
    broken = []
    with connection.cursor() as cursor:
        for rule, rows in CHECKS.items():
            count = f"SELECT count(*), min(it.name::text) FROM ({rows}) AS it (name)"  # noqa: S608
            cursor.execute(count, values)
            number, example = cursor.fetchone()
            if number:
                broken.append(f"{rule}: not so for {number}, {example} for one.")
    return broken

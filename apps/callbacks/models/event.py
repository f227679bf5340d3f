"""What happened, whether or not anybody wants to be told."""

import json
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import connection, models
from django.db.models.functions import Now

from core.keys import uuid7

EVENT_CHANNEL = "events"  # notified at commit, with the key of the account that had an event

# The account's counter stays locked until the transaction ends. What comes after is a statement
# of its own, so that it sees what those wrote who held the lock before.
_COUNT = """
WITH counted AS (
    INSERT INTO callbacks_eventcounter AS c (owner_id, last) VALUES (%(owner)s, %(count)s)
    ON CONFLICT (owner_id) DO UPDATE SET last = c.last + excluded.last RETURNING last
)
SELECT last, pg_notify(%(channel)s, %(owner)s::text) FROM counted
"""
_WRITE = """
INSERT INTO callbacks_event (uuid, owner_id, position, seq, uri, type, body)
SELECT e.uuid, %(owner)s, %(before)s + e.at,
    coalesce((SELECT max(seq) FROM callbacks_event WHERE uri = e.uri), 0)
        + row_number() OVER (PARTITION BY e.uri ORDER BY e.at),
    e.uri, e.type, e.body
FROM unnest(%(uuids)s::uuid[], %(uris)s::varchar[], %(types)s::varchar[], %(bodies)s::text[])
    WITH ORDINALITY AS e (uuid, uri, type, body, at)
RETURNING uuid, seq
"""


class EventCounter(models.Model):
    """How many events an account has had.

    Whoever counts an event holds this row until the commit, so that events of an account become
    visible in the order of their numbers: a reader who has seen one has missed none before it.
    """

    owner = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, primary_key=True, related_name="+"
    )
    last = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.last)


class Event(models.Model):
    """A change of state of a resource, written by the transaction that makes it."""

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    # 1, 2, 3 ... of its owner's events, and of its resource's.
    position = models.BigIntegerField()
    seq = models.IntegerField()
    uri = models.CharField(max_length=500)
    # The resource's kind and its new state: slice.processed.
    type = models.CharField(max_length=64)
    # The JSON that is told, `uri` and the changed properties: the same bytes at each attempt.
    body = models.TextField()
    created = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "position"], name="event_position"),
            models.UniqueConstraint(fields=["uri", "seq"], name="event_sequence"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.uri}"

    @property
    def changes(self) -> dict[str, Any]:
        """The changed properties; a nested one is named with dots."""
        return {name: value for name, value in json.loads(self.body).items() if name != "uri"}

    @classmethod
    def write(cls, events: Sequence["Event"]) -> None:
        """Give the next events of one account their numbers, and keep them.

        The account has no others before this transaction ends.
        """
        owner = events[0].owner_id
        with connection.cursor() as cursor:
            counted: dict[str, Any] = {
                "owner": owner,
                "count": len(events),
                "channel": EVENT_CHANNEL,
            }
            cursor.execute(_COUNT, counted)
            before = cursor.fetchone()[0] - len(events)
            values: dict[str, Any] = {
                "owner": owner,
                "before": before,
                "uuids": [event.uuid for event in events],
                "uris": [event.uri for event in events],
                "types": [event.type for event in events],
                "bodies": [event.body for event in events],
            }
            cursor.execute(_WRITE, values)
            numbers = dict(cursor.fetchall())
        for at, event in enumerate(events, 1):
            event.position, event.seq = before + at, numbers[event.uuid]

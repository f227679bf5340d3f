"""Event: a state change, numbered per account."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, models
from django.db.models.functions import Now

from core.keys import uuid7

EVENT_CHANNEL = "events"  # notified at commit, with the key of who had one: account or bureau

# A counter stays locked until the transaction ends. What comes after is a statement
# of its own, so that it sees what those wrote who held the lock before.
_COUNT = """
WITH counted AS (
    INSERT INTO {table} AS c ({key}, last) VALUES (%(key)s, %(count)s)
    ON CONFLICT ({key}) DO UPDATE SET last = c.last + excluded.last RETURNING last
)
SELECT last, pg_notify(%(channel)s, %(key)s::text) FROM counted
"""
_OF_ACCOUNT = _COUNT.format(table="callbacks_eventcounter", key="owner_id")
_OF_BUREAU = _COUNT.format(table="callbacks_bureaucounter", key="bureau")
_WRITE = """
INSERT INTO callbacks_event
    (uuid, owner_id, position, seq, uri, type, body, bureau, bureau_position, location)
SELECT e.uuid, %(owner)s, %(before)s + e.at,
    coalesce((SELECT max(seq) FROM callbacks_event WHERE uri = e.uri), 0)
        + row_number() OVER (PARTITION BY e.uri ORDER BY e.at),
    e.uri, e.type, e.body, e.bureau, e.bureau_position, e.location
FROM unnest(%(uuids)s::uuid[], %(uris)s::varchar[], %(types)s::varchar[], %(bodies)s::text[],
        %(bureaus)s::uuid[], %(bureau_positions)s::bigint[], %(locations)s::uuid[])
    WITH ORDINALITY
    AS e (uuid, uri, type, body, bureau, bureau_position, location, at)
RETURNING uuid, seq
"""


class EventCounter(models.Model):
    """The number of events of an account.

    The transaction that adds an event locks this row until the commit, so events of an account
    become visible in the order of their numbers: a reader that has seen one has missed none before
    it.
    """

    owner = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, primary_key=True, related_name="+"
    )
    last = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.last)


class BureauCounter(models.Model):
    """How many events a bureau has had; held as an account's is, and before any of these."""

    bureau = models.UUIDField(primary_key=True)
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
    # The key of the bureau that it belongs to, its number there, and where in the bureau it was.
    bureau = models.UUIDField(null=True)
    bureau_position = models.BigIntegerField(null=True)
    location = models.UUIDField(null=True)
    uri = models.CharField(max_length=500)
    # The resource's kind and its new state: slice.processed.
    type = models.CharField(max_length=64)
    # The JSON that is sent, `uri` and the changed properties: the same bytes at each attempt.
    body = models.TextField()
    created = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "position"], name="event_position"),
            models.UniqueConstraint(fields=["uri", "seq"], name="event_sequence"),
            models.UniqueConstraint(
                fields=["bureau", "bureau_position"], name="event_bureau_position"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.uri}"

    @property
    def changes(self) -> dict[str, object]:
        """The changed properties; a nested one is named with dots."""
        return {name: value for name, value in json.loads(self.body).items() if name != "uri"}

    @classmethod
    def number_in(cls, bureau: UUID, events: Sequence["Event"]) -> None:
        """Give the next events of a bureau their numbers there, before they are written.

        It has no others before this transaction ends.
        """
        before = _count(_OF_BUREAU, bureau, len(events))
        for at, event in enumerate(events, 1):
            event.bureau_position = before + at

    @classmethod
    def write(cls, events: Sequence["Event"]) -> None:
        """Give the next events of one account their numbers, and keep them.

        The account has no others before this transaction ends.
        """
        owner = events[0].owner_id
        before = _count(_OF_ACCOUNT, owner, len(events))
        values: dict[str, Any] = {
            "owner": owner,
            "before": before,
            "uuids": [event.uuid for event in events],
            "uris": [event.uri for event in events],
            "types": [event.type for event in events],
            "bodies": [event.body for event in events],
            "bureaus": [event.bureau for event in events],
            "bureau_positions": [event.bureau_position for event in events],
            "locations": [event.location for event in events],
        }
        with connection.cursor() as cursor:
            cursor.execute(_WRITE, values)
            numbers = dict(cursor.fetchall())
        for at, event in enumerate(events, 1):
            event.position, event.seq = before + at, numbers[event.uuid]


def ring_streams(key: UUID) -> None:
    """Wake the event streams of the account or bureau `key` when this transaction commits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", (EVENT_CHANNEL, str(key)))


def _count(statement: str, key: UUID, count: int) -> int:
    """How many events it had before `count` more, which are counted now."""
    with connection.cursor() as cursor:
        cursor.execute(statement, {"key": key, "count": count, "channel": EVENT_CHANNEL})
        return cursor.fetchone()[0] - count

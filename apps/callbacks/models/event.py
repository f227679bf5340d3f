"""What happened, whether or not anybody wants to be told."""

import json
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
    INSERT INTO callbacks_eventcounter AS c (owner_id, last) VALUES (%(owner)s, 1)
    ON CONFLICT (owner_id) DO UPDATE SET last = c.last + 1 RETURNING last
)
SELECT last, pg_notify(%(channel)s, %(owner)s::text) FROM counted
"""
_WRITE = """
INSERT INTO callbacks_event (uuid, owner_id, position, seq, uri, type, body)
SELECT %(uuid)s, %(owner)s, %(position)s, coalesce(max(seq), 0) + 1, %(uri)s::varchar, %(type)s,
    %(body)s
FROM callbacks_event WHERE uri = %(uri)s::varchar
RETURNING seq
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
    def write(cls, *, owner_id: Any, uri: str, type: str, body: str) -> "Event":
        """The next event of the account; the account has no other before this transaction ends."""
        values = {"uuid": uuid7(), "owner": owner_id, "uri": uri, "type": type, "body": body}
        with connection.cursor() as cursor:
            cursor.execute(_COUNT, {**values, "channel": EVENT_CHANNEL})
            values["position"] = cursor.fetchone()[0]
            cursor.execute(_WRITE, values)
            seq = cursor.fetchone()[0]
        return cls(
            uuid=values["uuid"],
            owner_id=owner_id,
            position=values["position"],
            seq=seq,
            uri=uri,
            type=type,
            body=body,
        )

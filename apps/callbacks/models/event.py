"""What happened, whether or not anybody wants to be told."""

import json
from typing import Any

from django.conf import settings
from django.db import connection, models
from django.db.models.functions import Now

from core.keys import uuid7

# Of the account of `owner`, which stays locked until the transaction ends.
_COUNT = (
    "INSERT INTO callbacks_eventcounter (owner_id, last) VALUES (%s, 1)"
    " ON CONFLICT (owner_id) DO UPDATE SET last = callbacks_eventcounter.last + 1 RETURNING last"
)


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

    @classmethod
    def count(cls, owner_id: Any) -> int:
        """The next number of the account, which nobody else gets before this transaction ends."""
        with connection.cursor() as cursor:
            cursor.execute(_COUNT, (owner_id,))
            return cursor.fetchone()[0]


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

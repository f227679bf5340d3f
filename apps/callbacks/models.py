"""Who wants to hear of a resource, what they are told, and how the telling went."""

from typing import Any

from django.conf import settings
from django.db import connection, models, transaction
from django.db.models.functions import Coalesce, Now

from core.keys import uuid7

SENDER_LOCK = 0x63616C6C  # the advisory lock of the one sender that is active
CHANNEL = "callbacks"  # rung, at commit, when there is something new to send


class Origin(models.Model):
    """A scheme, host and port that callbacks go to: it is reached or missed as a whole."""

    origin = models.CharField(max_length=300, unique=True)
    # While nobody can be reached there: since when, and when the next request may try.
    unreachable_since = models.DateTimeField(null=True)
    probe_at = models.DateTimeField(null=True)
    # Time-outs in a row.
    slow = models.IntegerField(default=0)

    def __str__(self) -> str:
        return self.origin


class SenderClock(models.Model):
    """The time the sender has been at work, in whole CALLBACK_INTERVALs: a single row.

    Lifetimes are counted by it as well as by the wall clock, so that neither a clock that jumps
    nor an outage of ours takes from a receiver's time.
    """

    ticks = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.ticks)

    @classmethod
    def now(cls) -> Coalesce:
        """An expression: the ticks so far."""
        return Coalesce(models.Subquery(cls.objects.values("ticks")[:1]), 0)


class Callback(models.Model):
    """A URL that is requested whenever the resource `uri` changes: a lane of deliveries.

    First attempts in a lane are made in the order of `seq`, and never two requests at once.
    """

    class Method(models.TextChoices):
        GET = "GET"
        POST = "POST"
        PUT = "PUT"

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    uri = models.CharField(max_length=500, db_index=True)
    url = models.CharField(max_length=2048)
    method = models.CharField(max_length=4, choices=Method, default=Method.POST)
    origin = models.ForeignKey(Origin, on_delete=models.PROTECT, related_name="callbacks")
    last_seq = models.IntegerField(default=0)
    created = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.method} {self.url}"


class DeliveryQuerySet(models.QuerySet):
    @transaction.atomic
    def deliver_again(self, *, by: Any) -> int:
        """Send these once more, with their webhook-id and a lifetime that begins now."""
        count = self.update(
            state=Delivery.State.PENDING,
            next_at=Now(),
            since=Now(),
            since_tick=SenderClock.now(),
            delivered_at=None,
            replayed_at=Now(),
            replayed_by=by,
        )
        ring()
        return count


class Delivery(models.Model):
    """One event of a resource on its way to one callback; the key is its webhook-id."""

    class State(models.TextChoices):
        PENDING = "pending"
        DELIVERED = "delivered"
        EXPIRED = "expired"
        CANCELLED = "cancelled"

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    # Found by the constraint on (callback, seq).
    callback = models.ForeignKey(
        Callback, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    # The callback's: here as well, so that one index finds what is due per origin.
    origin = models.ForeignKey(Origin, on_delete=models.PROTECT, related_name="+", db_index=False)
    seq = models.IntegerField()
    # The JSON as it is sent, the same bytes at each attempt.
    body = models.TextField()
    state = models.CharField(max_length=9, choices=State, default=State.PENDING)
    created = models.DateTimeField(db_default=Now())
    next_at = models.DateTimeField(db_default=Now())
    # When its lifetime began (at the first attempt), by the wall clock and by the sender's.
    since = models.DateTimeField(db_default=Now())
    since_tick = models.BigIntegerField(default=0)
    # Attempts, and those of them that reached somebody.
    tries = models.IntegerField(default=0)
    reached = models.IntegerField(default=0)
    first_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)
    last_outcome = models.CharField(max_length=16, blank=True)
    last_error = models.CharField(max_length=300, blank=True)
    delivered_at = models.DateTimeField(null=True)
    replayed_at = models.DateTimeField(null=True)
    replayed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["callback", "seq"], name="delivery_sequence"),
        ]
        indexes = [
            models.Index(
                fields=["origin", "next_at"],
                name="delivery_due",
                condition=models.Q(state="pending"),
            ),
            models.Index(
                fields=["since"], name="delivery_age", condition=models.Q(state="pending")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.uuid}: {self.state}"


class Outcome(models.Model):
    """What came of a delivery's attempts: one row for all that ended alike."""

    # Found by the constraint below.
    delivery = models.ForeignKey(
        Delivery, on_delete=models.CASCADE, related_name="outcomes", db_index=False
    )
    # An HTTP status, or dns, refused, connect-timeout, tls, blocked, timeout, broken.
    outcome = models.CharField(max_length=16)
    count = models.IntegerField(default=1)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    # Of the last one: milliseconds, and how the answer began.
    ms = models.IntegerField()
    response_head = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["delivery", "outcome"], name="outcome_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} x {self.count}"


def ring() -> None:
    """Wake the sender when the current transaction commits."""
    with connection.cursor() as cursor:
        cursor.execute(f"NOTIFY {CHANNEL}")

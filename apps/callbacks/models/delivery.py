"""Delivery: one event to one subscription, with attempts."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection, models, transaction
from django.db.models.functions import Now

from apps.callbacks.models.event import Event
from apps.callbacks.models.origin import Origin
from apps.callbacks.models.sender_clock import SenderClock
from apps.callbacks.models.subscription import Subscription
from core.keys import uuid7

CHANNEL = "callbacks"  # rung, at commit, when there is something new to send


class DeliveryQuerySet(models.QuerySet):
    """Queries of deliveries and changes of many at once."""

    def with_receiver(self) -> "DeliveryQuerySet":
        """Return deliveries whose subscription is enabled and not deleted."""
        return self.filter(subscription__enabled=True, subscription__deleted=None)

    @transaction.atomic
    def deliver_again(self, *, by: Any) -> int:
        """Send these again under the same webhook-id with a new lifetime; return how many.

        Deliveries without a receiver are left out.
        """
        # In the order in which everyone locks them.
        rows = self.with_receiver().select_for_update(of=("self",)).order_by("uuid")
        keys = list(rows.values_list("uuid", flat=True))
        count = Delivery.objects.filter(uuid__in=keys).update(
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
    """One event for one subscription; the key is its webhook-id.

    A lane is all events of one resource for one subscription: first attempts in it are made in the
    order of `seq`, and never two requests at once.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        DELIVERED = "delivered"
        EXPIRED = "expired"
        CANCELLED = "cancelled"

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    subscription = models.ForeignKey(
        Subscription, on_delete=models.PROTECT, related_name="deliveries", db_index=False
    )
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="deliveries")
    # The subscription's: here as well, for the indexes of what waits per origin and account.
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    origin = models.ForeignKey(Origin, on_delete=models.PROTECT, related_name="+", db_index=False)
    lane = models.UUIDField(editable=False)
    # The event's.
    seq = models.IntegerField()
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
            models.UniqueConstraint(fields=["lane", "seq"], name="delivery_sequence"),
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
            models.Index(
                fields=["owner", "subscription"],
                name="delivery_waiting",
                condition=models.Q(state="pending"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.uuid}: {self.state}"

    @property
    def next_attempt(self) -> datetime | None:
        """When it is requested next, at the earliest; None where it is over."""
        if self.state != self.State.PENDING:
            return None
        return max(self.next_at, self.origin.probe_at or self.next_at)


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

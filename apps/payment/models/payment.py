"""Payment: one attempt to collect an invoice."""

from django.db import models

from apps.payment.models.invoice import Invoice
from apps.payment.models.method import PaymentMethod
from core.keys import uuid7
from core.model_fields import DatabaseTimeField
from core.state_machine import Stateful


class Payment(Stateful):
    """One attempt to collect an invoice; the key of the one that succeeded is `payment_uuid`.

    reference : Stripe's name of the payment
    """

    class Status(models.TextChoices):
        STARTED = "started"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    # A user may still confirm at the provider what failed at first.
    TRANSITIONS = {
        Status.STARTED: {Status.SUCCEEDED, Status.FAILED},
        Status.FAILED: {Status.SUCCEEDED},
    }

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    created = DatabaseTimeField(auto_now_add=True)
    updated = DatabaseTimeField(auto_now=True)
    invoice = models.ForeignKey(Invoice, on_delete=models.PROTECT, related_name="payments")
    type = models.CharField(max_length=16, choices=PaymentMethod.Type)
    status = models.CharField(max_length=16, choices=Status, default=Status.STARTED)
    reference = models.CharField(max_length=255, blank=True, db_index=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["invoice"],
                condition=models.Q(status="started"),
                name="one_attempt_at_a_time",
            ),
            models.UniqueConstraint(
                fields=["invoice"], condition=models.Q(status="succeeded"), name="paid_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type}: {self.status}"

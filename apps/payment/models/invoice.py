"""Monthly invoice of a user."""

from decimal import Decimal
from typing import Any, Self

from django.conf import settings
from django.db import models

from core import model_fields
from core.auth_user import Person
from core.resources import Resource
from core.state_machine import Stateful


class InvoiceQuerySet(models.QuerySet):
    def visible_to(self, user: Person) -> Self:
        """A user's own; all for administrators."""
        return self if user.is_staff else self.filter(owner=user)

    def with_charges(self) -> Self:
        """With what an invoice shows: its owner and its charges."""
        return self.select_related("owner").prefetch_related("charges")


class Invoice(Resource, Stateful):
    """A user's recorded charges of one month in one currency.

    It grows while its month is open. Once `issued`, nothing of it changes but its status and its
    payment: the database refuses.
    """

    SERVICE = "payment"
    KIND = "invoice"

    class Status(models.TextChoices):
        UNPAID = "unpaid"
        OVERDUE = "overdue"
        PAID = "paid"

    TRANSITIONS = {
        Status.UNPAID: {Status.OVERDUE, Status.PAID},
        Status.OVERDUE: {Status.PAID},
    }
    NEWS = {Status.PAID: {"payment_uuid": {"type": "string", "format": "uuid"}}}

    updated = model_fields.DatabaseTimeField(auto_now=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    # The month's first day.
    month = models.DateField()
    currency = model_fields.currency()
    status = models.CharField(max_length=16, choices=Status, default=Status.UNPAID)
    issued = models.DateTimeField(null=True, blank=True)
    due = models.DateTimeField()
    payment_uuid = models.UUIDField(null=True, blank=True)

    objects = InvoiceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "month", "currency"], name="one_a_month"),
        ]
        indexes = [
            models.Index(fields=["owner", "uuid"], name="invoice_owner"),
            models.Index(fields=["month"], name="invoice_open", condition=models.Q(issued=None)),
            models.Index(fields=["due"], name="invoice_due", condition=models.Q(status="unpaid")),
        ]

    def __str__(self) -> str:
        return f"{self.month:%Y-%m} of {self.owner} in {self.currency}"

    @property
    def cost(self) -> Decimal:
        """The sum of the charges."""
        charges: Any = self.charges.all()  # type: ignore[attr-defined]
        return sum((charge.amount for charge in charges), Decimal(0))


class InvoiceEvent(models.Model):
    """Something that was done to an invoice; the database refuses to change or delete it."""

    class Action(models.TextChoices):
        ISSUED = "issued"
        OVERDUE = "overdue"
        PAYMENT_FAILED = "payment-failed"
        PAID = "paid"
        PAID_AGAIN = "paid-again"

    invoice = models.ForeignKey(Invoice, on_delete=models.PROTECT, related_name="events")
    action = models.CharField(max_length=16, choices=Action)
    # What the invoice came to at that moment.
    cost = model_fields.amount()
    # Nobody, where the platform did it by itself.
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    note = models.CharField(max_length=500, blank=True)
    created = model_fields.DatabaseTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.action}: {self.invoice}"

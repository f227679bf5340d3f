"""Payment method of a user."""

from typing import Self
from uuid import UUID

from django.db import models

from core.auth_user import Person
from core.ownership import Owned, OwnedQuerySet
from core.state_machine import Stateful


class PaymentMethodQuerySet(OwnedQuerySet):
    def usable(self, owner: Person | UUID | models.OuterRef) -> Self:
        """Return the methods that a user can pay with now."""
        return self.filter(owner=owner, deleted=None, status=PaymentMethod.Status.ACTIVE)


class PaymentMethod(Owned, Stateful):
    """A payment method of a user: outside the platform, or by Stripe.

    customer, reference : Stripe's identifiers of the user and of the card or account
    setup_url           : Stripe's page where the user enters the card, while the method is pending
    """

    SERVICE = "payment"
    KIND = "payment-method"

    class Type(models.TextChoices):
        MANUAL = "manual", "manual (paid outside the platform)"
        STRIPE = "stripe", "stripe"

    class Status(models.TextChoices):
        PENDING = "pending"
        ACTIVE = "active"
        ERROR = "error"

    TRANSITIONS = {Status.PENDING: {Status.ACTIVE, Status.ERROR}}

    type = models.CharField(max_length=16, choices=Type)
    status = models.CharField(max_length=16, choices=Status, default=Status.PENDING)
    errors = models.JSONField(null=True, blank=True)
    customer = models.CharField(max_length=255, blank=True)
    reference = models.CharField(max_length=255, blank=True)
    setup_url = models.CharField(max_length=2048, blank=True)

    objects = PaymentMethodQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "type"],
                condition=models.Q(deleted=None),
                name="one_method_of_a_type",
            )
        ]

    def __str__(self) -> str:
        return f"{self.type} ({self.status})"

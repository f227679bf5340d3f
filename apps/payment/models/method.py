"""How a user pays."""

from typing import Any, Self

from django.db import models

from core.keys import uuid7
from core.owned import Owned, OwnedQuerySet
from core.uris import build_uri


class PaymentMethodQuerySet(OwnedQuerySet):
    def usable(self, owner: Any) -> Self:
        """What a user can pay with now."""
        return self.filter(owner=owner, deleted=None, status=PaymentMethod.Status.ACTIVE)


class PaymentMethod(Owned):
    """A way in which a user pays: outside the platform, or by Stripe.

    customer, reference : Stripe's names of the user and of the card or account
    setup_url           : where the user tells Stripe what to pay with, while it is pending
    """

    class Type(models.TextChoices):
        MANUAL = "manual", "manual (paid outside the platform)"
        STRIPE = "stripe", "stripe"

    class Status(models.TextChoices):
        PENDING = "pending"
        ACTIVE = "active"
        ERROR = "error"

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    type = models.CharField(max_length=16, choices=Type)
    status = models.CharField(max_length=16, choices=Status, default=Status.PENDING)
    errors = models.JSONField(null=True, blank=True)
    customer = models.CharField(max_length=255, blank=True)
    reference = models.CharField(max_length=255, blank=True)
    setup_url = models.CharField(max_length=2048, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

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

    @property
    def uri(self) -> str:
        return build_uri("payment", "payment-method-detail", uuid=self.uuid)

"""Stripe accounts of bureaus, and the card payments that customers have begun."""

from typing import ClassVar

from django.db import models

from apps.erp.base.model_fields import Currency, Money, short_text_field, user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.bureaus import BUREAU_GRANTING
from apps.erp.orders.models.orders import Order
from core.keys import uuid7
from core.model_fields import DatabaseTimeField
from core.outbound.stored_secrets import decrypted, encrypted
from core.state_machine import Stateful


class CardAccount(BureauResource):
    """The Stripe account by which customers of a bureau pay by card.

    secret_key, webhook_secret : encrypted, and never returned
    enabled : whether customers can pay; payments that have begun are recorded in any case
    error   : why Stripe refused the last request; empty if it did not
    """

    KIND = "card-account"
    RIGHT = BUREAU_GRANTING
    PRIVATE = frozenset({"creator", "secret_key", "webhook_secret"})
    READ_ONLY = frozenset({"error"})

    enabled = models.BooleanField(default=False)
    secret_key = models.BinaryField(editable=False)
    webhook_secret = models.BinaryField(editable=False, default=b"")
    error = short_text_field()
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [models.UniqueConstraint(fields=["bureau"], name="card_account_once")]

    def __str__(self) -> str:
        return f"Stripe account of {self.bureau_id}"

    @property
    def plain_key(self) -> str:
        """The secret key; empty where it cannot be decrypted any more."""
        return decrypted(bytes(self.secret_key), row=self._name_of("secret_key"))

    @property
    def plain_webhook_secret(self) -> str:
        """The signing secret of webhooks; empty without one, or where it cannot be decrypted."""
        return decrypted(bytes(self.webhook_secret), row=self._name_of("webhook_secret"))

    def set_secret(self, column: str, secret: str) -> None:
        """Set one of the two secrets, encrypted."""
        setattr(self, column, encrypted(secret, row=self._name_of(column)))

    def _name_of(self, column: str) -> str:
        return f"{self.KIND} {column} {self.bureau_id}"


class CardCheckout(Stateful):
    """A card payment that a customer has begun at Stripe's page.

    session : identifier of the Checkout Session; empty until Stripe has answered
    expires : end of the session
    checks  : how often Stripe was asked for its state

    open    : the customer may pay
    pending : the customer has paid, and the bank has not answered yet
    paid    : recorded as a payment of the order
    ended   : expired, or replaced by another one
    """

    class Status(models.TextChoices):
        OPEN = "open"
        PENDING = "pending"
        PAID = "paid"
        ENDED = "ended"

    TRANSITIONS: ClassVar[dict[str, set[str]]] = {
        "open": {"pending", "paid", "ended"},
        "pending": {"paid", "ended"},
        "ended": {"paid"},
    }

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    created = DatabaseTimeField(auto_now_add=True)
    updated = DatabaseTimeField(auto_now=True)
    order = models.ForeignKey(Order, models.PROTECT, related_name="card_checkouts")
    status = models.CharField(max_length=16, choices=Status, default=Status.OPEN)
    amount = Money()
    currency = Currency()
    session = models.CharField(max_length=255, blank=True, default="")
    expires = models.DateTimeField()
    checks = models.PositiveSmallIntegerField(default=0)
    checked = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["order"],
                condition=models.Q(status__in=["open", "pending"]),
                name="one_open_checkout",
            )
        ]

    def __str__(self) -> str:
        return f"{self.amount:f} {self.currency} {self.status}"

"""Bank accounts of bureaus, and the payments of their customers."""

from collections.abc import Mapping
from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from apps.erp.base.model_fields import BureauForeignKey, Currency, Money, text_field, user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.prices import PRICE_RIGHT
from core.state_machine import Schema, event_schema

MAX_HOLDER = 70  # characters, by EPC069-12
MAX_TERM_DAYS = 365


class BankAccount(BureauResource):
    """The account that customers of a bureau transfer to.

    iban, bic : without blanks; bic may be empty, which transfers within SEPA do not need
    term_days : in which an order is paid, from its confirmation on; 0: at once
    """

    KIND = "bank-account"
    RIGHT = PRICE_RIGHT
    PRIVATE = frozenset({"creator"})

    account_holder = models.CharField(max_length=MAX_HOLDER)
    iban = models.CharField(max_length=34)
    bic = models.CharField(max_length=11, blank=True, default="")
    term_days = models.PositiveIntegerField(
        default=14, validators=[MinValueValidator(0), MaxValueValidator(MAX_TERM_DAYS)]
    )
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [models.UniqueConstraint(fields=["bureau"], name="bank_account_once")]

    def __str__(self) -> str:
        return self.iban


class OrderPayment(BureauResource):
    """An amount received for an order, or the reversal of one; it never changes.

    amount    : in the currency of the order unless `currency` names another one, above 0
    paid_on   : when the money came, or was given back
    reverses  : the payment that it undoes, with its amount
    refunds   : the payment of which it gives back a part
    method    : how the money came
    currency  : of a payment in another currency than the order's, which does not count for it
    reference : identifier of the payment at Stripe
    """

    class Method(models.TextChoices):
        TRANSFER = "transfer"
        CARD = "card"

    KIND = "order-payment"
    PARENT = "order"
    RIGHT = PRICE_RIGHT
    PRIVATE = frozenset({"creator"})
    READ_ONLY = frozenset({"currency", "method", "reference", "refunds"})
    SORTED: ClassVar[tuple[str, ...]] = ("paid_on",)

    order = BureauForeignKey(Order, related_name="payments")
    amount = Money()
    paid_on = models.DateField()
    note = text_field()
    reverses = BureauForeignKey("self", null=True, blank=True)
    refunds = BureauForeignKey("self", null=True, blank=True)
    method = models.CharField(
        max_length=16, choices=Method, default=Method.TRANSFER, db_default=Method.TRANSFER
    )
    currency = Currency(blank=True, default="", db_default="")
    reference = models.CharField(max_length=255, blank=True, default="", db_default="")
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["bureau", "reference"],
                condition=~models.Q(reference=""),
                name="payment_recorded_once",
            ),
            models.UniqueConstraint(fields=["reverses"], name="payment_reversed_once"),
            models.CheckConstraint(condition=models.Q(amount__gt=0), name="payment_above_0"),
        ]

    def __str__(self) -> str:
        return f"{self.amount:f} on {self.paid_on}"


_NEWS: Mapping[str, Schema] = {
    "order": {"type": "string", "format": "uri"},
    "payment": {"enum": ["open", "paid"]},
    "method": {"enum": OrderPayment.Method.values},
}
EVENTS: Mapping[str, Schema] = {
    f"{OrderPayment.KIND}.{status}": event_schema(status, _NEWS)
    for status in ("received", "reversed")
}

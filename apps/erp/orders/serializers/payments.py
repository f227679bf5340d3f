"""Bank accounts, Stripe accounts and payments as JSON, and back."""

import re
from typing import Annotated, Literal, TypedDict

from rest_framework import serializers
from stdnum import bic, iban

from apps.erp.base.serializers.resources import answer_of, resource, serializer_of
from apps.erp.orders.domain.response_types import Day
from apps.erp.orders.models.card_payments import CardAccount
from apps.erp.orders.models.payments import MAX_HOLDER, BankAccount, OrderPayment
from apps.erp.orders.services.card_accounts import mode_of
from core.api.fields import PatternText, StrictText
from core.api.money import AmountField
from core.api.openapi.response_types import FreeJson, Uri
from core.uris import base_url

_PLAIN = re.compile(r"[0-9A-Za-z .-]*")


class IbanField(StrictText):
    """An IBAN whose check digits fit; blanks are taken out."""

    def to_internal_value(self, data: object) -> str:
        number = super().to_internal_value(data)
        if not _PLAIN.fullmatch(number) or not iban.is_valid(number):
            title = "Send an IBAN such as DE89 3704 0044 0532 0130 00: its check digits do not fit."
            raise serializers.ValidationError(title, code="not-allowed")
        return iban.compact(number)


class BicField(StrictText):
    """A BIC (ISO 9362), or nothing."""

    def to_internal_value(self, data: object) -> str:
        code = super().to_internal_value(data)
        if code and not (_PLAIN.fullmatch(code) and bic.is_valid(code)):
            title = "Send a BIC of 8 or 11 characters, such as COBADEFFXXX."
            raise serializers.ValidationError(title, code="not-allowed")
        return bic.compact(code)


class HolderField(StrictText):
    """The name of an account's holder: one line."""

    def to_internal_value(self, data: object) -> str:
        return " ".join(super().to_internal_value(data).split())


class CardAccountBeside(TypedDict):
    """A Stripe account, beside its columns; its secrets are never returned."""

    mode: Annotated[str, Literal["live", "test"]] | None
    signed: Annotated[bool, "Whether the signing secret of webhooks is set."]
    webhook_url: Annotated[Uri, "Address for the webhook of the Stripe account."]


class OrderPaymentBeside(TypedDict):
    """What the columns of a payment do not say."""

    paid_on: Day


BankAccountSerializer = serializer_of(
    BankAccount,
    account_holder=HolderField(max_length=MAX_HOLDER),
    iban=IbanField(max_length=50),
    bic=BicField(max_length=20, required=False, allow_blank=True),
)
CardAccountSerializer = serializer_of(
    CardAccount,
    secret_key=PatternText(
        r"^[sr]k_(test|live)_[0-9A-Za-z_]{8,240}$",
        write_only=True,
        help_text="Secret or restricted key of the Stripe account; stored encrypted.",
        error_messages={
            "invalid": "Send a secret key of Stripe, which begins with sk_test_ or sk_live_ "
            "(restricted ones with rk_test_ or rk_live_)."
        },
    ),
    webhook_secret=PatternText(
        r"^(whsec_[0-9A-Za-z+/=]{8,240})?$",
        required=False,
        allow_blank=True,
        write_only=True,
        help_text="Signing secret of the webhook in Stripe; stored encrypted.",
        error_messages={
            "invalid": "Send the signing secret of the webhook: it begins with whsec_."
        },
    ),
)
CardAccountAnswer = answer_of(CardAccount, CardAccountBeside)
OrderPaymentSerializer = serializer_of(
    OrderPayment,
    amount=AmountField(required=False, help_text="Received amount; default: what is open."),
    paid_on=serializers.DateField(required=False, help_text="Date of the payment; default: today."),
)
OrderPaymentAnswer = answer_of(OrderPayment, OrderPaymentBeside)


def card_account_resource(row: CardAccount) -> FreeJson:
    """A Stripe account as JSON, without its secrets."""
    return {
        **resource(row),
        "mode": mode_of(row),
        "signed": bool(row.webhook_secret),
        "webhook_url": f"{base_url('sales')}/stripe/{row.bureau_id}/",
    }

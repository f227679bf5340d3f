"""Bank accounts and payments: what a request body may have."""

import re
from typing import TypedDict

from rest_framework import serializers
from stdnum import bic, iban

from apps.erp.base.serializers.resources import answer_of, serializer_of
from apps.erp.orders.domain.answers import Day
from apps.erp.orders.models.payments import MAX_HOLDER, BankAccount, OrderPayment
from core.api.fields import StrictText
from core.api.money import AmountField

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


class OrderPaymentBeside(TypedDict):
    """What the columns of a payment do not say."""

    paid_on: Day


BankAccountSerializer = serializer_of(
    BankAccount,
    account_holder=HolderField(max_length=MAX_HOLDER),
    iban=IbanField(max_length=50),
    bic=BicField(max_length=20, required=False, allow_blank=True),
)
OrderPaymentSerializer = serializer_of(
    OrderPayment,
    amount=AmountField(required=False, help_text="Received amount; default: what is open."),
    paid_on=serializers.DateField(required=False, help_text="Date of the payment; default: today."),
)
OrderPaymentAnswer = answer_of(OrderPayment, OrderPaymentBeside)

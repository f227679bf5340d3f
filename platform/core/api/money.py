"""Serializer fields for money."""

from decimal import Decimal
from typing import Any, TypedDict

from rest_framework import serializers

from core.api.fields import StrictText
from core.money import (
    MAX_DECIMALS,
    MAX_DIGITS,
    RATE_DECIMALS,
    RATE_DIGITS,
    UnknownCurrency,
    is_exact,
    minor_digits,
)


class AmountField(serializers.DecimalField):
    """An amount of money: above 0, or from 0 on where it may be for nothing."""

    digits, decimals = MAX_DIGITS, MAX_DECIMALS

    def __init__(self, *, free: bool = False, **options: Any):
        options["min_value"] = 0 if free else Decimal(1).scaleb(-self.decimals)
        super().__init__(max_digits=self.digits, decimal_places=self.decimals, **options)
        self.free = free

    def validate_precision(self, value: Any) -> Any:
        if value < 0 or (value == 0 and not self.free):
            words = f"Send an amount {'of 0 or more' if self.free else 'above 0'}."
            raise serializers.ValidationError(words, code="min_value")
        return super().validate_precision(value)


class RateField(AmountField):
    """What amounts are computed by, such as a price per cm3: it may have more digits."""

    digits, decimals = RATE_DIGITS, RATE_DECIMALS


def require_exact(amount: Decimal, currency: str) -> None:
    """Raise ValidationError for an amount with a fraction of a minor unit."""
    if not is_exact(amount, currency):
        words = f"{currency} has {minor_digits(currency)} decimals: send an amount with no more."
        detail = serializers.ErrorDetail(words, code="not-allowed")
        raise serializers.ValidationError({"amount": detail})


class CurrencyField(StrictText):
    """Three letters of ISO 4217, in any case."""

    def to_internal_value(self, data: Any) -> str:
        code = super().to_internal_value(data).upper()
        try:
            minor_digits(code)
        except UnknownCurrency as error:
            raise serializers.ValidationError(str(error), code="not-allowed") from error
        return code


class MoneyAnswer(TypedDict):
    """An amount and its currency."""

    amount: Decimal
    currency: str

"""Fields that hold money."""

from typing import Any

from rest_framework import serializers

from apps.payment.money import MAX_DIGITS, MOST_DECIMALS, UnknownCurrency, minor_digits


class AmountField(serializers.DecimalField):
    """An amount of money, above 0."""

    def __init__(self, **options: Any):
        super().__init__(max_digits=MAX_DIGITS, decimal_places=MOST_DECIMALS, **options)

    def validate_precision(self, value: Any) -> Any:
        if value <= 0:
            raise serializers.ValidationError("Send an amount above 0.", code="min_value")
        return super().validate_precision(value)


class CurrencyField(serializers.CharField):
    """Three letters of ISO 4217, in any case."""

    def to_internal_value(self, data: Any) -> str:
        code = super().to_internal_value(data).upper()
        try:
            minor_digits(code)
        except UnknownCurrency as error:
            raise serializers.ValidationError(str(error), code="not-allowed") from error
        return code


class MoneySerializer(serializers.Serializer):
    """An amount and its currency."""

    amount = serializers.FloatField()
    currency = serializers.CharField()

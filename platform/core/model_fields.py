"""Model fields for money: decimal amount, ISO 4217 currency."""

from typing import Any

from django.db import models

from core.money import MAX_DIGITS, MOST_DECIMALS


def amount(**options: Any) -> models.DecimalField:
    """Return a decimal field of an amount, whose currency is in a field beside it."""
    return models.DecimalField(max_digits=MAX_DIGITS, decimal_places=MOST_DECIMALS, **options)


def currency(**options: Any) -> models.CharField:
    """Three letters of ISO 4217."""
    return models.CharField(max_length=3, **options)

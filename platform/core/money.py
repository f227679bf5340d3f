"""Decimal money: rounding to the minor units of a currency (ISO 4217)."""

from decimal import ROUND_HALF_EVEN, Decimal

from iso4217 import Currency

# As many digits before and after the point as any amount is kept with: no currency has more.
MAX_DIGITS, MAX_DECIMALS = 16, 4
LARGEST_AMOUNT = (10**MAX_DIGITS - 1) / Decimal(10) ** MAX_DECIMALS
# The same of a rate, by which amounts are computed.
RATE_DIGITS, RATE_DECIMALS = 18, 6


class UnknownCurrency(ValueError):
    """Three letters that ISO 4217 does not know, or knows as no money."""


def minor_digits(currency: str) -> int:
    """Decimals of a currency by ISO 4217: 2 for EUR, 0 for JPY, 3 for BHD."""
    try:
        digits = Currency(currency).exponent
    except ValueError:
        digits = None
    if digits is None:
        raise UnknownCurrency(f"{currency!r} is not a currency of ISO 4217, such as EUR or USD.")
    return digits


def rounded(amount: Decimal, currency: str) -> Decimal:
    """The amount with the currency's digits; a half goes to the even neighbour."""
    return amount.quantize(Decimal(1).scaleb(-minor_digits(currency)), ROUND_HALF_EVEN)


def is_exact(amount: Decimal, currency: str) -> bool:
    """Whether the amount has no more digits than its currency."""
    return rounded(amount, currency) == amount


def in_minor_units(amount: Decimal, currency: str) -> int:
    """The amount in the smallest unit of its currency: cents for EUR, yen for JPY."""
    return int(rounded(amount, currency).scaleb(minor_digits(currency)))


def amount_text(amount: Decimal, currency: str) -> str:
    """An amount in a sentence: 1.50 EUR."""
    return f"{rounded(amount, currency):f} {currency}"

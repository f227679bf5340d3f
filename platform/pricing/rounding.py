"""Rounding of a line's price by a term of a price list."""

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from pricing.price import ONE, rounded
from pricing.terms import Term

_MODES = {"nearest": ROUND_HALF_EVEN, "half_up": ROUND_HALF_UP, "up": ROUND_CEILING}


def stepped(term: Term, amount: Decimal, quantity: int, digits: int) -> Decimal:
    """Return the amount of a line of so many pieces, rounded as a term says."""
    step = term.amount or ONE
    times = Decimal(quantity) if term.unit == "piece" else ONE
    each = amount / times
    if term.rounding == "ending":
        unit = Decimal(10) ** len(str(int(step))) if step >= 1 else ONE
        above = (each - step).quantize(Decimal("1e-12")) / unit
        price = above.to_integral_value(ROUND_CEILING) * unit + step
    else:
        steps = (each / step).quantize(Decimal("1e-12"))
        price = steps.to_integral_value(_MODES[term.rounding]) * step
    return rounded(price * times, digits)

"""Cost estimate: terms of quantity, rate and factor; currency conversion."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from core.money import rounded

SECONDS_PER_HOUR = 3600


class Figure(NamedTuple):
    """A value, or the sentence that says why there is none."""

    value: Any = None
    reason: str | None = None


class Term(NamedTuple):
    """One part of a cost, for all pieces.

    quantity : float, in `unit`
    price    : Decimal, of one unit, in the bureau's currency
    factor   : that the bureau puts on this price
    source   : URI of the resource that has the price
    """

    name: str
    unit: str
    quantity: Figure
    price: Figure
    factor: float = 1.0
    source: str | None = None

    @property
    def reason(self) -> str | None:
        """Why there is no amount."""
        return " ".join(filter(None, (self.quantity.reason, self.price.reason))) or None

    @property
    def amount(self) -> Decimal | None:
        """Not rounded; None where the quantity or the price is not known."""
        if self.reason:
            return None
        return exact(self.quantity.value) * self.price.value * exact(self.factor)

    def as_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "name": self.name,
            "quantity": self.quantity.value,
            "unit": self.unit,
            "price": number(self.price.value),
            "factor": self.factor,
            "amount": number(self.amount),
            "reason": self.reason,
            "source": self.source,
        }


class Rate(NamedTuple):
    """How many units of `currency` one unit of the bureau's own buys."""

    own: str
    currency: str
    factor: Figure

    def convert(self, amount: Decimal) -> Decimal | None:
        """The amount in `currency`, not rounded; None where it cannot be converted."""
        return None if self.factor.reason else amount * exact(self.factor.value)

    def as_json(self) -> dict[str, Any] | None:
        """As JSON; None where nothing is to be converted."""
        if self.own == self.currency:
            return None
        factor, reason = self.factor
        return {"from": self.own, "to": self.currency, "factor": factor, "reason": reason}


def exact(value: float | Decimal) -> Decimal:
    """A number as it is written."""
    return value if isinstance(value, Decimal) else Decimal(repr(value))


def number(amount: Decimal | None) -> float | None:
    """An amount as JSON has it."""
    return None if amount is None else float(amount)


def times(figure: Figure, factor: float) -> Figure:
    """So many times what may not be known."""
    return figure if figure.reason else Figure(figure.value * factor)


def total(figures: Iterable[Figure]) -> Figure:
    """Their sum; where some are not known, why."""
    figures = list(figures)
    reasons = dict.fromkeys(figure.reason for figure in figures if figure.reason)
    if reasons:
        return Figure(reason=" ".join(reasons))
    return Figure(sum(figure.value for figure in figures))


def estimate(
    *,
    quantity: int,
    print_time: Figure,
    material: Figure,
    terms: Sequence[Term],
    durations: Sequence[Figure],
    rate: Rate,
) -> dict[str, Any]:
    """The estimates of a line item, as JSON: for all its pieces, and for each.

    Money is rounded once, half-even, after everything is added and converted.

    Parameters
    ----------
    print_time : of one piece, s
    material : of one piece without supports, cm3
    terms : for all pieces
    durations : of one piece, of each step after printing, s
    """
    amounts = total(Figure(term.amount, term.reason) for term in terms)
    cost = None if amounts.reason else rate.convert(exact(amounts.value))
    each = None if cost is None else cost / quantity
    lead_time = times(total([print_time, *durations]), quantity)
    return {
        "print_time": times(print_time, quantity).value,
        "material": times(material, quantity).value,
        "cost": _money(cost, rate.currency),
        "per_piece": {
            "print_time": print_time.value,
            "material": material.value,
            "cost": _money(each, rate.currency),
        },
        "lead_time": lead_time.value,
        "lead_time_reason": lead_time.reason,
        "terms": [term.as_json() for term in terms],
        "conversion": rate.as_json(),
    }


def _money(amount: Decimal | None, currency: str) -> dict[str, Any]:
    known = None if amount is None else rounded(amount, currency)
    return {"amount": number(known), "currency": currency}

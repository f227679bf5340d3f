"""The estimates of a line item: time, material, and cost by its terms."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from apps.erp.orders.domain.response_types import (
    ConvertedAnswer,
    CostAnswer,
    EstimatesAnswer,
    TermAnswer,
)
from core.money import rounded
from pricing.cost_drivers import KnownDriver, UnknownDriver
from pricing.making import CostTerm, PieceCost, multiply, total


class Rate(NamedTuple):
    """How many units of `currency` one unit of the bureau's own buys."""

    own: str
    currency: str
    factor: KnownDriver

    def convert(self, amount: KnownDriver) -> Decimal | None:
        """The amount in `currency`, not rounded; None where it cannot be converted."""
        found = multiply(amount, self.factor)
        return found if isinstance(found, Decimal) else None

    def as_json(self) -> ConvertedAnswer | None:
        """As JSON; None where nothing is to be converted."""
        if self.own == self.currency:
            return None
        factor, reason = number(self.factor), reason_of(self.factor)
        return {"from": self.own, "to": self.currency, "factor": factor, "reason": reason}


def number(value: KnownDriver | None) -> float | None:
    """A number as JSON has it."""
    return float(value) if isinstance(value, Decimal) else None


def reason_of(value: KnownDriver) -> str | None:
    """Why a number is not known."""
    return value.why if isinstance(value, UnknownDriver) else None


def term_json(term: CostTerm, pieces: int = 1) -> TermAnswer:
    """A term of one piece, for so many of them."""
    quantity = multiply(term.quantity, Decimal(pieces))
    amount = multiply(term.amount, Decimal(pieces))
    count = term.unit in ("piece", "shipment")
    return {
        "name": term.name,
        "quantity": int(quantity) if count and isinstance(quantity, Decimal) else number(quantity),
        "unit": term.unit,
        "price": number(term.price.amount),
        "factor": float(term.price.factor),
        "amount": number(amount),
        "reason": reason_of(amount),
        "source": term.price.source,
    }


def estimate(
    *,
    quantity: int,
    piece: PieceCost,
    charges: Sequence[CostTerm],
    durations: Sequence[KnownDriver],
    rate: Rate,
) -> EstimatesAnswer:
    """The estimates of a line item, as JSON: for all its pieces, and for each.

    Money is rounded once, half-even, after everything is added and converted.

    Parameters
    ----------
    charges : what is asked once, whatever the quantity, such as shipping; in no piece's cost
    durations : of one piece, of each step after printing, s
    """
    pieces, making, terms = Decimal(quantity), piece.making, piece.terms
    each = piece.total
    cost = total([multiply(each, pieces), *(charge.amount for charge in charges)])
    lead_time = multiply(total([making.machine_time, *durations]), pieces)
    return {
        "print_time": number(multiply(making.machine_time, pieces)),
        "material": number(multiply(making.material, pieces)),
        "cost": _money(cost, rate),
        "per_piece": {
            "print_time": number(making.machine_time),
            "material": number(making.material),
            "cost": _money(each, rate),
        },
        "lead_time": number(lead_time),
        "lead_time_reason": reason_of(lead_time),
        "terms": [
            *(term_json(term, quantity) for term in terms),
            *(term_json(charge) for charge in charges),
        ],
        "conversion": rate.as_json(),
    }


def _money(amount: KnownDriver, rate: Rate) -> CostAnswer:
    converted = rate.convert(amount)
    money = None if converted is None else rounded(converted, rate.currency)
    return {"amount": number(money), "currency": rate.currency}

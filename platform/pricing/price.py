"""Value types: order line, price, amounts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

from pricing.cost_drivers import Numbers
from pricing.manual_review import ReviewReason
from pricing.sentences import DEFAULT

NOTHING, ONE = Decimal(0), Decimal(1)


@dataclass(frozen=True)
class OrderLine:
    """So many of one part, made in one way.

    numbers  : of one piece; `fits` and `cost` among them
    finishes : keys of what is done to each piece, with their names
    weekdays : working days until it is due; None where nobody said
    nested   : pieces that certainly go into a build that is made anyway
    """

    numbers: Numbers
    quantity: int = 1
    material: str = ""
    material_name: str = ""
    printer_type: str = ""
    finishes: Mapping[str, str] = field(default_factory=dict)
    weekdays: int | None = None
    nested: int = 0


@dataclass(frozen=True)
class SaleContext:
    """What holds for the whole order.

    digits : of the order's currency
    rate   : that amounts of the list are multiplied by; None: there is none
    """

    group: str = ""
    country: str = ""
    shipping: str = ""
    lines: int = 1
    digits: int = 2
    rate: Decimal | None = ONE
    currency: str = "EUR"
    language: str = DEFAULT


@dataclass(frozen=True)
class PriceComponent:
    """A part of a price, as the customer reads it."""

    step: str
    sentence: str
    amount: Decimal


@dataclass(frozen=True)
class Price:
    """What a line costs, or what is asked once of an order: before taxes.

    unit, unit_of : the price of so many pieces, exact: of one where that has the currency's digits
    review        : why there is none; then all numbers are None
    """

    net: Decimal | None
    unit: Decimal | None
    unit_of: int
    terms: tuple[PriceComponent, ...]
    review: tuple[ReviewReason, ...] = ()


def in_review(reasons: Mapping[ReviewReason, None]) -> Price:
    """No price, and why."""
    return Price(None, None, 1, (), tuple(reasons))


def allocate(amounts: Sequence[Decimal], total: Decimal, digits: int) -> list[Decimal]:
    """The amounts with so many digits each, by largest remainders: they add up to `total`."""
    cent = ONE.scaleb(-digits)
    parts = [amount.quantize(cent, ROUND_FLOOR) for amount in amounts]
    if not parts:
        return []
    left = int((total - sum(parts, NOTHING)) / cent)
    order = sorted(range(len(parts)), key=lambda at: (parts[at] - amounts[at], at))
    for at in range(abs(left)):
        parts[order[at % len(order)]] += cent if left > 0 else -cent
    return parts


def rounded(amount: Decimal, digits: int) -> Decimal:
    """With so many digits; a half goes to the even neighbour."""
    return amount.quantize(ONE.scaleb(-digits), ROUND_HALF_EVEN)

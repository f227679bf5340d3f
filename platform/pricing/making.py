"""Cost of making one piece: material, supports, machine time, energy, overhead, post-processing.

Line items, price tables and quotes take it from here, so that the same part costs the same in
each. Shipping is a charge of the order: it is in no piece's cost.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from pricing.cost_drivers import LARGEST, KnownDriver, UnknownDriver

SECONDS_PER_HOUR = 3600
ONE = Decimal(1)
TOO_LARGE = UnknownDriver(
    f"It comes to more than {LARGEST:,f}: check the prices and factors that it is made of."
)


@dataclass(frozen=True)
class Making:
    """What making one piece takes.

    material, support_material : cm³
    machine_time               : s, with the printer type's time factor
    """

    material: KnownDriver
    support_material: KnownDriver
    machine_time: KnownDriver


@dataclass(frozen=True)
class UnitPrice:
    """What one unit costs the bureau, in its own currency.

    factor : that the bureau puts on this price
    source : URI of the resource that has the price
    """

    amount: KnownDriver
    factor: Decimal = ONE
    source: str | None = None


@dataclass(frozen=True)
class CostRates:
    """What the bureau pays for what a piece takes.

    material, support_material : of a cm³
    machine_time               : of an hour
    energy                     : of a kWh, with the printer's power in kW as its factor; None where
                                 either is not set
    overhead                   : of a piece; None where the printer type has none
    post_processing            : of a piece, for each step
    """

    material: UnitPrice
    support_material: UnitPrice
    machine_time: UnitPrice
    energy: UnitPrice | None = None
    overhead: UnitPrice | None = None
    post_processing: tuple[UnitPrice, ...] = ()


@dataclass(frozen=True)
class CostTerm:
    """One part of a cost: so many units at a price."""

    name: str
    unit: str
    quantity: KnownDriver
    price: UnitPrice

    @property
    def amount(self) -> KnownDriver:
        """Not rounded; Unknown where the quantity or the price is."""
        return multiply(self.quantity, self.price.amount, self.price.factor)


@dataclass(frozen=True)
class PieceCost:
    """What one piece costs to make: what it takes, at these rates."""

    making: Making
    rates: CostRates

    @property
    def terms(self) -> tuple[CostTerm, ...]:
        """The parts of the cost; none for supports that are not there."""
        making, rates = self.making, self.rates
        hours = making.machine_time
        if isinstance(hours, Decimal):
            hours /= SECONDS_PER_HOUR
        terms = [CostTerm("material", "cc", making.material, rates.material)]
        if making.support_material != 0:
            supports = making.support_material
            terms.append(CostTerm("support_material", "cc", supports, rates.support_material))
        terms.append(CostTerm("machine_time", "h", hours, rates.machine_time))
        if rates.energy is not None:
            terms.append(CostTerm("energy", "h", hours, rates.energy))
        if rates.overhead is not None:
            terms.append(CostTerm("overhead", "piece", ONE, rates.overhead))
        terms += [CostTerm("post_processing", "piece", ONE, each) for each in rates.post_processing]
        return tuple(terms)

    @property
    def total(self) -> KnownDriver:
        """Not rounded; Unknown where the amount of a term is."""
        return total(term.amount for term in self.terms)


def exact(value: float | Decimal) -> Decimal:
    """A number as it is written."""
    return value if isinstance(value, Decimal) else Decimal(repr(value))


def total(values: Iterable[KnownDriver]) -> KnownDriver:
    """Their sum; Unknown, with every reason once, where one is, or where it is too large."""
    values = list(values)
    known = [value for value in values if isinstance(value, Decimal)]
    return _bounded(sum(known, Decimal())) if len(known) == len(values) else _unknown(values)


def multiply(*values: KnownDriver) -> KnownDriver:
    """Their product; Unknown, with every reason once, where one is, or where it is too large."""
    found = ONE
    for value in values:
        if isinstance(value, UnknownDriver):
            return _unknown(values)
        found *= value
    return _bounded(found)


def _bounded(value: Decimal) -> KnownDriver:
    return value if abs(value) <= LARGEST else TOO_LARGE


def _unknown(values: Iterable[KnownDriver]) -> UnknownDriver:
    whys = dict.fromkeys(value.why for value in values if isinstance(value, UnknownDriver))
    return UnknownDriver(" ".join(whys))

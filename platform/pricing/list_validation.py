"""Validates a price list on sample parts before it is used."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pricing.cost_drivers import KnownDriver
from pricing.line_price import price_line
from pricing.price import OrderLine, Price, SaleContext
from pricing.sample_parts import SAMPLES, numbers_of
from pricing.terms import PriceList, Term

QUANTITIES = (1, 2, 10, 99, 100)


class Tried(NamedTuple):
    """What a part costs by a list, in one number of pieces."""

    part: str
    quantity: int
    price: Price


class Warned(NamedTuple):
    """A term that gives no price for a part, or a total that falls.

    term : its name; empty where the whole list is concerned
    """

    term: str
    part: str
    title: str


Parts = Sequence[tuple[str, Mapping[str, KnownDriver]]]


def sample_parts() -> Parts:
    """The parts that every list is tried with."""
    return [(sample.name, numbers_of(sample)) for sample in SAMPLES]


def try_list(
    sold_by: PriceList,
    parts: Parts,
    deal: SaleContext,
    *,
    quantities: Iterable[int] = QUANTITIES,
    material: str = "",
) -> tuple[list[Tried], list[Warned]]:
    """Each part's prices by a list, and what a person should look at."""
    material = material or next(iter(sorted(_named(sold_by.terms))), "")
    tried: list[Tried] = []
    warnings: dict[tuple[str, str], Warned] = {}
    for part, numbers in parts:
        last: Tried | None = None
        for quantity in quantities:
            price = price_line(sold_by, OrderLine(numbers, quantity, material), deal)
            now = Tried(part, quantity, price)
            tried.append(now)
            for reason in price.review:
                if reason.code in ("formula-broken", "number-missing"):
                    warnings.setdefault((part, reason.why), _of_reason(sold_by, part, reason.why))
            if last is not None and _falls(last, now):
                words = (
                    f"{last.quantity} of {part} cost {last.price.net}, and {quantity} cost "
                    f"{price.net}: more pieces for less."
                )
                warnings.setdefault((part, "falls"), Warned("", part, words))
            if price.net is not None:
                last = now
    return tried, list(warnings.values())


def _named(terms: Iterable[Term]) -> set[str]:
    return {key for term in terms for key in term.materials}


def _of_reason(sold_by: PriceList, part: str, why: str) -> Warned:
    names = [term.name for term in sold_by.terms if f"The rule {term.name} " in why]
    return Warned(names[0] if names else "", part, f"{part}: {why}")


def _falls(before: Tried, now: Tried) -> bool:
    a, b = before.price.net, now.price.net
    return a is not None and b is not None and b < a

"""Price lists: terms in fixed steps."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pricing.errors import InvalidTerm
from pricing.formulas import Formula


@dataclass(frozen=True)
class Step:
    """A step of the price calculation, and what its terms may be.

    units : what an amount may be of; the first where a term names none
    by    : what the breaks of a term may go by
    may_be_factor : whether a term may be a factor on what was there before
    """

    name: str
    units: tuple[str, ...]
    by: tuple[str, ...] = ()
    may_be_factor: bool = False


_PIECE_UNITS = ("piece", "cc", "cc_support", "gram", "hour", "cm2", "box_cc", "hull_cc", "layer")
_LINE_BY = ("longest", "pieces", "grams", "hours", "amount")
_BREAK_BY = ("pieces", "grams", "hours", "amount", "longest")
_ORDER_BY = ("weight", "longest", "amount")
# In the order in which they are taken. `tax` comes after all of them (`pricing.tax`).
STEPS: Mapping[str, Step] = {
    step.name: step
    for step in (
        Step("piece", (*_PIECE_UNITS, "cost", "formula"), ("pieces", "grams", "hours", "longest")),
        Step("break", ("",), _BREAK_BY, may_be_factor=True),
        Step("build", ("build",)),
        Step("line", ("line",), _LINE_BY, may_be_factor=True),
        Step("finish", ("piece", "cm2", "line"), ("pieces", "longest")),
        Step("minimum", ("line", "piece")),
        Step("group", ("line",), may_be_factor=True),
        Step("rush", ("line",), ("weekdays",), may_be_factor=True),
        Step("rounding", ("line", "piece")),
        Step("order", ("order", "up_to"), _ORDER_BY, may_be_factor=True),
    )
}
_POSITIONS = {name: position for position, name in enumerate(STEPS)}
# The number of a piece that an amount is multiplied by.
NUMBER_OF_UNIT: Mapping[str, str] = {
    "cc": "cc",
    "cc_support": "cc_support",
    "gram": "grams",
    "hour": "hours",
    "cm2": "area",
    "box_cc": "box",
    "hull_cc": "hull",
    "layer": "layers",
    "cost": "cost",
}
# Numbers that grow with the quantity.
GROWING = ("pieces", "grams", "hours", "amount", "weight")
KINDS_OF_BREAK = ("graduated", "whole", "capped")
ROUNDINGS = ("nearest", "half_up", "up", "ending")
# Whether a factor is on all that came before it, or each on the amounts alone.
PERCENTAGES = ("multiply", "add")
MAX_BREAKS = 20
MAX_TERMS = 100
# Breaks of a list that look at what other quantities would cost.
MAX_DISCOUNTS = 5
PLACES = ("quantity", "amount", "unit", "name", "each")


@dataclass(frozen=True)
class Break:
    """From `start` on another amount or factor holds."""

    start: Decimal
    value: Decimal


@dataclass(frozen=True)
class Term:
    """One rule of a list.

    key       : that the caller knows it by
    step      : one of STEPS
    unit      : what an amount is of, one of the units of the step
    is_factor : whether it multiplies what was there before, by `factor` or by its breaks
    amount    : of one unit, in the list's currency; None where a formula or a factor stands there
    factor    : on what was there before; None for an amount
    formula   : that gives the amount
    when      : a condition without which it does not hold
    on        : `piece` or `line`: what a break is on
    by        : what `breaks` go by; empty without
    kind_of_break, may_fall : as BREAKS has it
    rounding  : how a term of the step rounds to its amount
    materials, printer_types, finishes, shippings, countries, groups : that it holds for; all
                where none is named
    least, most : between which its amount must lie
    sentence  : for the customer, by language
    """

    key: str
    name: str
    step: str
    position: int = 0
    unit: str = ""
    is_factor: bool = False
    amount: Decimal | None = None
    factor: Decimal | None = None
    formula: Formula | None = None
    when: Formula | None = None
    on: str = ""
    by: str = ""
    breaks: tuple[Break, ...] = ()
    kind_of_break: str = "graduated"
    may_fall: bool = False
    rounding: str = "nearest"
    materials: frozenset[str] = frozenset()
    printer_types: frozenset[str] = frozenset()
    finishes: frozenset[str] = frozenset()
    shippings: frozenset[str] = frozenset()
    countries: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    least: Decimal | None = None
    most: Decimal | None = None
    sentence: Mapping[str, str] | None = None

    @property
    def place(self) -> tuple[int, bool, int]:
        """Where it comes in its list: a break on the line after the line's terms."""
        at = _POSITIONS[self.step]
        if self.step == "break" and self.on == "line":
            at = _POSITIONS["line"]
        return at, self.step == "break", self.position

    @property
    def base(self) -> Decimal | None:
        """What holds below the first break; None where nothing does."""
        if not self.is_factor:
            return self.amount
        return Decimal(1) if self.factor is None and self.step == "break" else self.factor


@dataclass(frozen=True)
class PriceList:
    """What a bureau sells by.

    least_total, most_total, ask_above : of a line, in the list's currency
    most_quantity, most_hours          : of a line; machine hours of all pieces
    max_size, max_weight : of a piece; longest side in mm, g
    includes_tax         : whether its amounts are gross
    percentages          : one of PERCENTAGES
    """

    terms: tuple[Term, ...]
    currency: str = "EUR"
    least_total: Decimal | None = None
    most_total: Decimal | None = None
    ask_above: Decimal | None = None
    most_quantity: Decimal | None = None
    most_hours: Decimal | None = None
    max_size: Decimal | None = None
    max_weight: Decimal | None = None
    includes_tax: bool = False
    percentages: str = PERCENTAGES[0]

    def of(self, *steps: str) -> list[Term]:
        """The terms of these steps, in the order in which they are taken."""
        return [term for term in self.terms if term.step in steps]


def make_list(terms: Iterable[Term], **values: Any) -> PriceList:
    """A list of these terms, in the order of their steps. Raises InvalidTerm."""
    terms = list(terms)
    if len(terms) > MAX_TERMS:
        raise InvalidTerm("too-many-terms", f"A list has at most {MAX_TERMS} terms.")
    if sum(term.step == "break" for term in terms) > MAX_DISCOUNTS:
        words = f"A list has at most {MAX_DISCOUNTS} terms of the step break."
        raise InvalidTerm("too-many-terms", words)
    return PriceList(tuple(sorted(terms, key=lambda term: term.place)), **values)


def fall_of(term: Term) -> str | None:
    """Why a line may cost less in total where it is more; None where it never does.

    A sentence with the two totals, of a part that takes one unit or costs 1 without the break.
    """
    rates = [term.base, *(each.value for each in term.breaks)]
    for before, each in zip(rates, term.breaks, strict=False):
        if before is None or each.value >= before or term.by not in GROWING:
            continue
        last = each.start - 1 if term.by == "pieces" else each.start
        if is_looked_up(term):
            below, above = before, each.value
        elif term.kind_of_break != "whole":
            continue
        else:
            below, above = last * before, each.start * each.value
            if below <= above and term.on != "line":
                continue
        return (
            f"Just below {each.start:f} {term.by} the total is {below.normalize():f}, and from "
            f"there on {above.normalize():f}, or less where something is added to it: let the "
            "breaks be graduated or capped, or say may_fall: true."
        )
    return None


def is_looked_up(term: Term) -> bool:
    """Whether a break says what holds, rather than what a part of the line costs."""
    return term.by not in GROWING or term.step in ("line", "order") or term.unit == "line"

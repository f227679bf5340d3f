"""Order-level charges: packing, shipping, small-order surcharge."""

from collections.abc import Iterable
from decimal import Decimal, localcontext

from pricing.breaks import rate_at
from pricing.cost_drivers import KnownDriver, Numbers, UnknownDriver
from pricing.formulas import CONTEXT
from pricing.price import (
    NOTHING,
    ONE,
    OrderLine,
    Price,
    PriceComponent,
    SaleContext,
    allocate,
    in_review,
    rounded,
)
from pricing.sentences import sentence_of
from pricing.term_selection import Broken, Rules
from pricing.terms import PriceList, Term
from pricing.work_limit import WorkLimit


def price_order(
    sold_by: PriceList,
    lines: Iterable[tuple[OrderLine, Price]],
    deal: SaleContext,
    limit: WorkLimit | None = None,
) -> Price:
    """What is asked once of an order: packing, shipping, a charge for small orders.

    Raises TooManySteps beyond `limit`.
    """
    with localcontext(CONTEXT):
        return _Order(sold_by, list(lines), deal, limit).price()


class _Order(Rules):
    """What is asked once of all lines together."""

    def __init__(
        self,
        sold_by: PriceList,
        lines: list[tuple[OrderLine, Price]],
        deal: SaleContext,
        limit: WorkLimit | None,
    ):
        super().__init__(sold_by, deal, limit)
        self.lines = lines
        known = [price.net for _, price in lines if price.net is not None]
        self.net = sum(known, NOTHING) if len(known) == len(lines) else None

    def price(self) -> Price:
        if self.net is None:
            return in_review({reason: None for _, price in self.lines for reason in price.review})
        self.check_rate()
        rate, digits = self.deal.rate or ONE, self.deal.digits
        exact, before = NOTHING, self.net / rate
        factors = NOTHING
        shown: list[tuple[Term, Decimal]] = []
        numbers = self.numbers()
        for term in self.sold_by.of("order"):
            try:
                if not self.chosen(term) or not self.holds(term, numbers):
                    continue
                base = before - factors if self.sold_by.percentages == "add" else before
                on = base if term.is_factor else before
                amount = self.within(term, self.amount(term, on, numbers))
            except Broken as broken:
                self.reasons[broken.reason] = None
                continue
            before += amount
            exact += amount
            factors += amount if term.is_factor else NOTHING
            if amount or term.unit == "order":
                shown.append((term, amount))
        if self.reasons:
            return in_review(self.reasons)
        net = rounded(self.converted(exact), digits)
        parts = allocate([self.converted(amount) for _, amount in shown], net, digits)
        terms = tuple(
            PriceComponent(
                term.step,
                sentence_of(
                    term,
                    language=self.deal.language,
                    quantity=1,
                    each=None,
                    rate=None,
                    amount=f"{part:f}",
                ),
                part,
            )
            for (term, _), part in zip(shown, parts, strict=True)
        )
        return Price(net, net, 1, terms)

    def chosen(self, term: Term) -> bool:
        return not term.materials or any(line.material in term.materials for line, _ in self.lines)

    def numbers(self) -> dict[str, KnownDriver]:
        found: dict[str, KnownDriver] = {"lines": Decimal(len(self.lines))}
        for name, gather in (("grams", sum), ("longest", max)):
            values = [
                (line.numbers.get(name) or UnknownDriver("nobody said."), line.quantity)
                for line, _ in self.lines
            ]
            unknown = [value for value, _ in values if isinstance(value, UnknownDriver)]
            if unknown:
                found["weight" if name == "grams" else name] = unknown[0]
            elif gather is sum:
                parts = [value * of for value, of in values if isinstance(value, Decimal)]
                found["weight"] = sum(parts, NOTHING)
            else:
                found[name] = max(value for value, _ in values if isinstance(value, Decimal))
        found["quantity"] = Decimal(sum(line.quantity for line, _ in self.lines))
        days = [line.weekdays for line, _ in self.lines if line.weekdays is not None]
        found["weekdays"] = Decimal(min(days)) if days else UnknownDriver("no due date is named.")
        return found

    def amount(self, term: Term, before: Decimal, numbers: Numbers) -> Decimal:
        if term.formula is not None:
            return self.run(term, term.formula, numbers)
        found = term.base
        if term.breaks:
            value: KnownDriver = before if term.by == "amount" else numbers[term.by]
            if isinstance(value, UnknownDriver):
                raise self.missing(term.by, value)
            found = rate_at(term, value)
        if found is None:
            why = f"The rule {term.name} says nothing below its first break."
            raise Broken(self.by_hand("no-rule", why))
        if term.is_factor:
            return before * (found - 1)
        return max(NOTHING, found - before) if term.unit == "up_to" else found

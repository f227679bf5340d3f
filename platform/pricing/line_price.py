"""Price of an order line: applies the terms step by step, or asks for manual review.

Every amount is a decimal and exact up to 40 digits; what is shown is rounded once, to the
currency's digits, and its parts add up to it.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

from pricing.breaks import last_before, rate_at, spread
from pricing.cost_drivers import (
    LARGEST,
    NOT_SAID,
    KnownDriver,
    Numbers,
    UnknownDriver,
    significant,
)
from pricing.formulas import CONTEXT
from pricing.manual_review import ReviewReason
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
from pricing.rounding import stepped
from pricing.sentences import sentence_of, word
from pricing.term_selection import Broken, Rules, named
from pricing.terms import NUMBER_OF_UNIT, PriceList, Term, is_looked_up
from pricing.work_limit import TERM_STEPS, WorkLimit

# The steps of a line, before it is rounded.
_OF_LINE = ("piece", "break", "build", "line", "finish", "minimum", "group", "rush")
# A piece's number, the list's limit of it, and both in words.
_LIMITS = (("longest", "max_size", "Its longest side", "mm"), ("grams", "max_weight", "It", "g"))
# What a break goes by, and the number of a piece that it counts.
_COUNTED = {"grams": "grams", "hours": "hours", "weight": "grams"}


def price_line(
    sold_by: PriceList, line: OrderLine, deal: SaleContext, limit: WorkLimit | None = None
) -> Price:
    """What a line costs by a list, without what the order is asked for once.

    Raises TooManySteps beyond `limit`.
    """
    with localcontext(CONTEXT):
        return _Line(sold_by, line, deal, limit).price()


class _Line(Rules):
    """A line on its way through the steps.

    What was there after so many terms is asked for at other quantities too, by breaks: it is kept.
    """

    def __init__(
        self,
        sold_by: PriceList,
        line: OrderLine,
        deal: SaleContext,
        limit: WorkLimit | None,
    ):
        super().__init__(sold_by, deal, limit)
        self.line = line
        self.numbers = dict(line.numbers)
        self.kept: dict[tuple[int, Decimal], Decimal] = {}
        self.terms: list[Term] = []

    def price(self) -> Price:
        self.check_rate()
        here = self.at(Decimal(self.line.quantity))
        for term in self.sold_by.of(*_OF_LINE):
            self.guarded(self.choose, term, here)
        self.require_rules()
        amounts: list[Decimal] = []
        quantity = Decimal(self.line.quantity)
        for at in range(len(self.terms)):
            amounts.append(self.after(at + 1, quantity) - self.after(at, quantity))
        total = sum(amounts, NOTHING)
        self.require_bounds(total, quantity)
        if self.reasons:
            return in_review(self.reasons)
        return self.rounded_price(amounts)

    def choose(self, term: Term, here: Numbers) -> None:
        line = self.line
        if not named(term.materials, line.material):
            return
        if not named(term.printer_types, line.printer_type):
            return
        if term.finishes and not term.finishes & line.finishes.keys():
            return
        if term.step == "finish" and not term.finishes:
            return
        if term.step == "rush" and line.weekdays is None:
            return
        if self.holds(term, here):
            self.terms.append(term)

    def require_rules(self) -> None:
        """What is asked for is sold: the material, and each finish by a term that names it."""
        if self.numbers.get("fits") == NOTHING:
            self.reasons[self.too_large()] = None
        if not any(term.step in ("piece", "build") for term in self.terms) and not self.reasons:
            name = self.line.material_name or self.say("this-material")
            self.reasons[self.reason("no-rule", "not-sold", name=name)] = None
        sold = {key for term in self.terms for key in term.finishes}
        for key, name in self.line.finishes.items():
            if key not in sold:
                self.reasons[self.reason("no-rule", "not-sold", name=name)] = None

    def too_large(self) -> ReviewReason:
        name = self.line.material_name or self.say("this-material")
        return self.reason("too-large", "too-large", name=name)

    def require_bounds(self, total: Decimal, quantity: Decimal) -> None:
        """The gates of the whole list."""
        sold_by = self.sold_by
        hours = self.numbers.get("hours")
        if sold_by.most_quantity is not None and quantity > sold_by.most_quantity:
            limit = f"{sold_by.most_quantity:f}"
            self.reasons[self.reason("out-of-bounds", "too-many", most=limit)] = None
        if sold_by.most_hours is not None:
            if not isinstance(hours, Decimal):
                self.guarded(self.number, "hours")
            elif hours * quantity > sold_by.most_hours:
                why = f"It takes {hours * quantity:f} h, more than {sold_by.most_hours:f}."
                self.reasons[self.by_hand("out-of-bounds", why)] = None
        for number, limit, what, unit in _LIMITS:
            self.guarded(self.require_limit, number, getattr(sold_by, limit), what, unit)
        if self.reasons:
            return
        for least, most, what in (
            (sold_by.least_total, None, "least_total"),
            (None, sold_by.most_total, "most_total"),
            (None, sold_by.ask_above, "ask_above"),
        ):
            if (least is not None and total < least) or (most is not None and total > most):
                bound = f"{least if least is not None else most:f}"
                why = f"The line comes to {total.normalize():f}: the list's {what} is {bound}."
                self.reasons[self.by_hand("out-of-bounds", why)] = None

    def require_limit(self, name: str, limit: Decimal | None, what: str, unit: str) -> None:
        """Raise Broken where a piece is larger or heavier than the list sells without a look."""
        if limit is not None and (value := self.number(name)) > limit:
            why = f"{what} is {value:f} {unit}, more than {limit.normalize():f}."
            raise Broken(self.by_hand("out-of-bounds", why))

    # ------------------------------------------------------------ amounts

    def number(self, name: str) -> Decimal:
        value: KnownDriver | None = self.numbers.get(name)
        if isinstance(value, Decimal):
            return value
        raise self.missing(name, value or NOT_SAID)

    def at(self, quantity: Decimal) -> dict[str, KnownDriver]:
        """The numbers of the line with so many pieces."""
        found: dict[str, KnownDriver] = {**self.numbers, "quantity": quantity}
        fits = self.numbers.get("fits")
        if isinstance(fits, Decimal) and fits > 0:
            found["builds"] = self.builds(quantity)
            found["share"] = significant(ONE / fits)
        else:
            why = UnknownDriver("it is not known how many fit a build.")
            found["builds"] = found["share"] = fits if isinstance(fits, UnknownDriver) else why
        grams = self.numbers.get("grams")
        found["weight"] = (
            grams * quantity
            if isinstance(grams, Decimal)
            else (grams or UnknownDriver("its material has no density."))
        )
        found["lines"] = Decimal(self.deal.lines)
        weekdays = self.line.weekdays
        found["weekdays"] = (
            UnknownDriver("no due date is named.") if weekdays is None else Decimal(weekdays)
        )
        return found

    def builds(self, quantity: Decimal) -> Decimal:
        """How many builds are needed for what goes into no open run."""
        fits = self.number("fits")
        if fits <= 0:
            raise Broken(self.too_large())
        nested = self.line.nested
        return (max(NOTHING, quantity - nested) / fits).to_integral_value(ROUND_CEILING)

    def after(self, count: int, quantity: Decimal) -> Decimal:
        """What the line comes to after so many terms."""
        if quantity <= 0:
            return NOTHING
        start = count
        while start and (start, quantity) not in self.kept:
            start -= 1
        total = self.kept[start, quantity] if start else NOTHING
        for at in range(start, count):
            self.spend(TERM_STEPS)
            # Where a term is broken the others are asked all the same: all reasons are reported.
            total += self.guarded(self.amount, at, quantity) or NOTHING
            self.kept[at + 1, quantity] = total
        return total

    def base(self, count: int, quantity: Decimal) -> Decimal:
        """What a factor after so many terms is on: all, or the amounts where percentages add up."""
        total = self.after(count, quantity)
        if self.sold_by.percentages == "add":
            for at in (at for at in range(count) if self.terms[at].is_factor):
                total -= self.after(at + 1, quantity) - self.after(at, quantity)
        return total

    def between(self, count: int, quantity: Decimal) -> Decimal:
        """As `base`, also for a part of a piece: in proportion."""
        below = quantity.to_integral_value(ROUND_FLOOR)
        start = self.base(count, below)
        if below == quantity:
            return start
        return start + (self.base(count, below + 1) - start) * (quantity - below)

    def amount(self, at: int, quantity: Decimal) -> Decimal:
        """What a term adds to the line with so many pieces."""
        term = self.terms[at]
        found = self.added(term, at, quantity)
        if abs(found) > LARGEST:
            why = f"The rule {term.name} gives more than {LARGEST:f}."
            raise Broken(self.by_hand("out-of-bounds", why))
        return found if term.is_factor or term.step == "minimum" else self.within(term, found)

    def added(self, term: Term, at: int, quantity: Decimal) -> Decimal:
        if term.step == "piece" or (term.step == "finish" and term.unit != "line"):
            return self.of_pieces(term, quantity)
        if term.step == "break":
            return self.discounted(term, at, quantity) - self.base(at, quantity)
        if term.step == "build":
            return self.rate(term, quantity) * self.builds(quantity)
        if term.step == "minimum":
            times = quantity if term.unit == "piece" else ONE
            return max(NOTHING, self.rate(term, quantity) * times - self.after(at, quantity))
        found = self.looked_up(term, at, quantity)
        return self.base(at, quantity) * (found - 1) if term.is_factor else found

    def rate(self, term: Term, quantity: Decimal) -> Decimal:
        """A term's amount, where nothing is broken down."""
        if term.formula is not None:
            return self.run(term, term.formula, self.at(quantity))
        return term.base if term.base is not None else ONE

    def of_pieces(self, term: Term, quantity: Decimal) -> Decimal:
        """So many units of each piece, at what the term says for each."""
        name = NUMBER_OF_UNIT.get(term.unit)
        units = (self.number(name) if name else ONE) * quantity
        if not term.breaks:
            return units * self.rate(term, quantity)
        if is_looked_up(term):
            return units * self.reached(term, self.value(term, quantity, NOTHING))
        value = self.value(term, quantity, NOTHING)
        if value == 0:
            return units * self.reached(term, value)
        return units * spread(term, value) / value

    def looked_up(self, term: Term, at: int, quantity: Decimal) -> Decimal:
        """What a term says for the line as a whole."""
        if not term.breaks:
            return self.rate(term, quantity)
        return self.reached(term, self.value(term, quantity, self.after(at, quantity)))

    def reached(self, term: Term, value: Decimal) -> Decimal:
        found = rate_at(term, value)
        if found is not None:
            return found
        if term.step == "rush":
            why = f"{term.name} has nothing for {value:f} days."
            raise Broken(self.reason("not-due", "no-rule-for-day", why=why))
        why = f"The rule {term.name} says nothing for {value.normalize():f} {term.by}."
        raise Broken(self.by_hand("no-rule", why))

    def value(self, term: Term, quantity: Decimal, before: Decimal) -> Decimal:
        """What the breaks of a term go by."""
        if term.by == "pieces":
            return quantity
        if term.by == "amount":
            return before
        if term.by == "weekdays":
            return Decimal(self.line.weekdays or 0)
        if name := _COUNTED.get(term.by):
            return self.number(name) * quantity
        return self.number(term.by)

    def discounted(self, term: Term, at: int, quantity: Decimal) -> Decimal:
        """What the line comes to after a break: on what its terms before came to."""
        before = self.base(at, quantity)
        value = self.value(term, quantity, before)
        if term.by == "amount":
            return spread(term, value)
        if is_looked_up(term):
            return before * self.reached(term, value)
        each = value / quantity
        if each == 0:
            return before * self.reached(term, value)
        if term.kind_of_break == "graduated":
            total, done, rate = NOTHING, NOTHING, term.base or NOTHING
            for step in term.breaks:
                pieces = last_before(term, step.start) / each
                if pieces >= quantity:
                    break
                there = self.between(at, pieces)
                total += (there - done) * rate
                done, rate = there, step.value
            return total + (before - done) * rate
        whole = before * self.reached(term, value)
        if term.kind_of_break == "whole":
            return whole
        for step in term.breaks:
            if step.start > value:
                pieces = (step.start / each).to_integral_value(ROUND_CEILING)
                whole = min(whole, self.base(at, pieces) * step.value)
        return whole

    # ------------------------------------------------------------ rounding

    def rounded_price(self, amounts: Sequence[Decimal]) -> Price:
        deal, quantity = self.deal, self.line.quantity
        shown: list[tuple[Term, Decimal, Decimal]] = []  # term, amount, what lies on it
        before = NOTHING
        for term, amount in zip(self.terms, amounts, strict=True):
            # A group's margin or discount without words of its own lies on all that came before.
            if term.step == "group" and not term.sentence and before:
                on = (before + amount) / before
                shown = [(each, part * on, lies * on) for each, part, lies in shown]
            elif amount or term.step in ("piece", "finish"):
                shown.append((term, amount, ONE))
            before += amount
        exact = self.converted(before)
        net = rounded(exact, deal.digits)
        parts = allocate([self.converted(amount) for _, amount, _ in shown], net, deal.digits)
        terms = [
            PriceComponent(
                term.step,
                sentence_of(
                    term,
                    language=deal.language,
                    quantity=quantity,
                    each=self.each_of(term),
                    rate=self.shown_rate(term, lies),
                    amount=f"{part:f}",
                ),
                part,
            )
            for (term, _, lies), part in zip(shown, parts, strict=True)
        ]
        if not terms and net:
            terms = [PriceComponent("line", word("all", deal.language), net)]
        for term in self.sold_by.of("rounding"):
            if self.guarded(self.rounds, term):
                amount = exact if net == rounded(exact, deal.digits) else net
                step = stepped(term, amount, quantity, deal.digits)
                if step != net:
                    sentence = sentence_of(
                        term,
                        language=deal.language,
                        quantity=quantity,
                        each=None,
                        rate=None,
                        amount=f"{step - net:f}",
                    )
                    terms.append(PriceComponent("rounding", sentence, step - net))
                    net = step
        if self.reasons:
            return in_review(self.reasons)
        each = net / quantity
        unit, of = (each, 1) if each == rounded(each, deal.digits) else (net, quantity)
        return Price(net, rounded(unit, deal.digits), of, tuple(terms))

    def each_of(self, term: Term) -> Decimal | None:
        name = NUMBER_OF_UNIT.get(term.unit) if term.step in ("piece", "finish") else None
        return self.number(name) if name else None

    def shown_rate(self, term: Term, lies: Decimal) -> Decimal | None:
        if term.breaks or term.is_factor or term.amount is None or term.unit == "cost":
            return None
        return self.converted(term.amount) * lies

    def rounds(self, term: Term) -> Decimal | None:
        """Whether a rounding holds for this line, in this currency."""
        if not named(term.materials, self.line.material):
            return None
        if not self.holds(term, self.at(Decimal(self.line.quantity))):
            return None
        step = term.amount or ONE
        if step != rounded(step, self.deal.digits):
            why = f"The rule {term.name} rounds to {step:f}, which {self.deal.currency} has not."
            raise Broken(self.by_hand("formula-broken", why))
        return ONE

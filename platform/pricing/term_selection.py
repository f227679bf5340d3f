"""Term selection: the terms of a list that apply to a line or order."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pricing.cost_drivers import Numbers, UnknownDriver
from pricing.errors import NoNumber, NumberMissing
from pricing.formulas import Formula
from pricing.manual_review import ReviewReason, by_hand, reason, say
from pricing.price import NOTHING, SaleContext
from pricing.sentences import DEFAULT
from pricing.terms import PriceList, Term
from pricing.work_limit import WorkLimit


class Broken(Exception):  # noqa: N818
    """A term that gives no amount: listed among the reasons, and nowhere else."""

    def __init__(self, reason: ReviewReason):
        super().__init__(reason.why)
        self.reason = reason


class Rules:
    """What lines and orders share: numbers, formulas and reasons."""

    def __init__(self, sold_by: PriceList, deal: SaleContext, limit: WorkLimit | None = None):
        self.sold_by = sold_by
        self.deal = deal
        self.limit = limit
        self.reasons: dict[ReviewReason, None] = {}

    def by_hand(self, code: str, why: str) -> ReviewReason:
        return by_hand(code, why, self.deal.language)

    def say(self, sentence: str) -> str:
        return say(sentence, self.deal.language)

    def reason(self, code: str, sentence: str, **places: Any) -> ReviewReason:
        return reason(code, sentence, self.deal.language, **places)

    def missing(self, name: str, unknown: UnknownDriver) -> Broken:
        """A number that is not there; what is missing of a cost is nothing for the customer."""
        found = {"name": name, "detail": unknown.why}
        why = say("number-missing", DEFAULT, **found)
        if name == "cost":
            return Broken(self.by_hand("number-missing", why))
        sentence = unknown.sentence or "number-missing"
        return Broken(self.reason("number-missing", sentence, why=why, **found))

    def run(self, term: Term, formula: Formula, numbers: Numbers) -> Decimal:
        self.spend(formula.parts)
        try:
            return formula(numbers)
        except NumberMissing as error:
            raise self.missing(error.name, UnknownDriver(error.why, error.sentence)) from None
        except NoNumber as error:
            why = f"The rule {term.name} gives no price for this part: {error}"
            raise Broken(self.by_hand("formula-broken", why)) from None

    def spend(self, steps: int) -> None:
        if self.limit is not None:
            self.limit.spend(steps)

    def within(self, term: Term, amount: Decimal) -> Decimal:
        """The amount of a term, if it lies in its bounds."""
        least = NOTHING if term.least is None and not term.is_factor else term.least
        if (least is not None and amount < least) or (term.most is not None and amount > term.most):
            most = "any amount" if term.most is None else f"{term.most:f}"
            low = "any amount" if least is None else f"{least:f}"
            why = f"The rule {term.name} gives {amount.normalize():f}, outside {low} to {most}."
            raise Broken(self.by_hand("out-of-bounds", why))
        return amount

    def holds(self, term: Term, numbers: Numbers) -> bool:
        deal = self.deal
        if not named(term.countries, deal.country) or not named(term.groups, deal.group):
            return False
        if not named(term.shippings, deal.shipping):
            return False
        return term.when is None or bool(self.run(term, term.when, numbers))

    def converted(self, amount: Decimal) -> Decimal:
        return amount * (self.deal.rate or NOTHING)

    def check_rate(self) -> None:
        if self.deal.rate is None:
            why = f"There is no rate from {self.sold_by.currency} to {self.deal.currency}."
            self.reasons[self.by_hand("number-missing", why)] = None

    def guarded(self, compute: Callable[..., Any], *arguments: Any) -> Any:
        """What it computes; None where a term is broken, whose reason is kept."""
        try:
            return compute(*arguments)
        except Broken as broken:
            self.reasons[broken.reason] = None
            return None


def named(names: frozenset[str], name: str) -> bool:
    """Whether what a term is for is this; it is for all where it names none."""
    return not names or name in names

"""What holds of every list: hypothesis writes them. PRICE_LISTS=2500 tries more of them."""

import os
from decimal import Decimal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from pricing.cost_drivers import NAMES, UnknownDriver
from pricing.errors import InvalidTerm
from pricing.line_price import price_line
from pricing.order_charges import price_order
from pricing.parsing import read_list
from pricing.price import OrderLine, SaleContext, allocate
from pricing.terms import GROWING, KINDS_OF_BREAK, STEPS

amounts = some.decimals(0, 500, places=3).map(str)
factors = some.decimals(Decimal("0.2"), 3, places=2).map(str)
# What an amount of a piece is of, but for a cost and a formula, which take other fields.
UNITS = tuple(unit for unit in STEPS["piece"].units if unit not in ("cost", "formula"))


@some.composite
def breaks(draw, value, name="amount"):
    starts = draw(some.lists(some.integers(1, 400), min_size=1, max_size=4, unique=True))
    return [{"from": start, name: draw(value)} for start in sorted(starts)]


@some.composite
def terms(draw):
    step = draw(some.sampled_from(("piece", *STEPS)))  # pieces twice as often
    term = {"name": draw(some.sampled_from("ABCDEF")), "step": step}
    if step == "piece":
        term |= {"unit": draw(some.sampled_from(UNITS)), "amount": draw(amounts)}
        if draw(some.booleans()):
            by = draw(some.sampled_from(STEPS["piece"].by))
            kind = draw(some.sampled_from(KINDS_OF_BREAK))
            term |= {"by": by, "kind_of_break": kind, "breaks": draw(breaks(amounts))}
    elif step == "break":
        term |= {
            "on": draw(some.sampled_from(("piece", "line"))),
            "by": draw(some.sampled_from(STEPS["break"].by)),
            "kind_of_break": draw(some.sampled_from(KINDS_OF_BREAK)),
            "breaks": draw(breaks(factors, "factor")),
        }
    elif step == "line" and draw(some.booleans()):
        term |= {"by": "longest", "amount": "1", "breaks": draw(breaks(amounts))}
    elif step == "finish":
        unit = draw(some.sampled_from(STEPS["finish"].units))
        term |= {"unit": unit, "amount": draw(amounts), "finishes": ["dye"]}
    elif step == "minimum":
        term |= {"unit": draw(some.sampled_from(STEPS["minimum"].units)), "amount": draw(amounts)}
    elif step == "group":
        term |= {"factor": draw(factors)}
        if draw(some.booleans()):
            term |= {"sentence": {"en": "For you"}}
    elif step == "rush":
        term |= {"by": "weekdays", "factor": "1.5", "breaks": [{"from": 3, "factor": "1"}]}
    elif step == "rounding":
        how = draw(some.sampled_from((("nearest", "0.05"), ("up", "1"), ("ending", "0.99"))))
        term |= {"rounding": how[0], "amount": how[1]}
    else:
        term |= {"amount": draw(amounts)}
    if term["step"] != "rounding" and draw(some.integers(0, 19)) == 19:
        term["most"] = draw(amounts)
    return term


MATERIAL = {"name": "Material", "step": "piece", "unit": "cc", "amount": "0.3"}
DYEING = {"name": "Dyeing", "step": "finish", "amount": "1.2", "finishes": ["dye"]}
lists = some.builds(
    lambda first, others, bounds: {"terms": [*first, *others], **bounds},
    # Few that do not sell what is asked for: of others there is a price.
    some.sampled_from(([MATERIAL, DYEING],) * 7 + ([],)),
    some.lists(terms(), min_size=1, max_size=7),
    some.sampled_from(({}, {}, {}, {"most_total": 5000}, {"ask_above": 900, "least_total": 1})),
)
measured = some.decimals(Decimal("0.001"), 900, places=3)
NOT_OF_PARTS = ("fits", "quantity", "builds", "share", "lines", "weekdays", "weight")
numbers = some.builds(
    lambda known, missing: known | missing,
    some.fixed_dictionaries(
        {name: measured for name in NAMES if name not in NOT_OF_PARTS}
        | {"fits": some.integers(1, 50).map(Decimal)}
    ),
    some.sampled_from(({}, {}, {}, {"hull": UnknownDriver("nobody measured it.")})),
)
ways = some.fixed_dictionaries(
    {
        "finishes": some.sampled_from(({}, {}, {"dye": "Dyeing"})),
        "weekdays": some.sampled_from((None, 0, 5)),
    }
)
deals = some.builds(SaleContext, digits=some.sampled_from((0, 2, 3)))
PLENTY = settings(
    max_examples=int(os.environ.get("PRICE_LISTS", 100)),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def read(given):
    """The list; None for one that is refused on saving."""
    try:
        return read_list(given)
    except InvalidTerm as rejection:
        assert rejection.title.endswith(".")
        return None


@PLENTY
@given(lists, numbers, ways, deals, some.integers(1, 500))
def test_price_is_the_sum_of_its_terms_or_has_review_reasons(given, known, way, deal, pieces):
    if (sold_by := read(given)) is None:
        return
    line = OrderLine(known, pieces, **way)
    price = price_line(sold_by, line, deal)
    once = price_order(sold_by, [(line, price)], deal)

    for found in (price, once):
        assert (found.net is None) == bool(found.review)
        if found.review:
            assert (found.unit, found.terms) == (None, ())
            assert all(reason.title and reason.why for reason in found.review)
        else:
            assert found.net >= 0
            assert sum(term.amount for term in found.terms) == found.net
            assert found.net == round(found.net, deal.digits)
            assert found.unit * Decimal(pieces if found is price else 1) / found.unit_of in (
                found.net,
                found.unit,
            )


@PLENTY
@given(lists, numbers, ways, some.lists(some.integers(1, 500), min_size=2, max_size=4))
def test_total_never_falls_with_the_quantity(given, known, way, quantities):
    if (sold_by := read(given)) is None:
        return
    deal = SaleContext()
    found = [
        price_line(sold_by, OrderLine(known, quantity, **way), deal).net
        for quantity in sorted(quantities)
    ]

    priced = [net for net in found if net is not None]
    assert priced == sorted(priced)


@PLENTY
@given(lists, numbers, ways, some.integers(1, 500))
def test_total_is_never_below_its_minimum_term(given, known, way, pieces):
    without = [
        term
        for term in given["terms"]
        if term["step"] not in ("group", "rush", "rounding", "order")
    ]
    if (sold_by := read({**given, "terms": without})) is None:
        return
    price = price_line(sold_by, OrderLine(known, pieces, **way), SaleContext())

    for term in without:
        if term["step"] == "minimum" and price.net is not None:
            least = Decimal(term["amount"]) * (pieces if term["unit"] == "piece" else 1)
            assert price.net >= round(least, 2)


@PLENTY
@given(lists, numbers, ways)
def test_pricing_a_line_twice_yields_equal_prices(given, known, way):
    if (sold_by := read(given)) is None:
        return
    line = OrderLine(known, 7, **way)

    assert price_line(sold_by, line, SaleContext()) == price_line(sold_by, line, SaleContext())


@given(some.lists(some.decimals(-99, 999, places=6), min_size=1, max_size=20))
def test_allocated_amounts_are_rounded_and_add_up_to_the_total(parts):
    total = round(sum(parts), 2)

    found = allocate(parts, total, 2)

    assert sum(found) == total
    assert all(abs(a - b) < Decimal("0.02") for a, b in zip(found, parts, strict=True))


def test_growing_break_quantities_include_pieces_grams_hours_and_amount():
    assert set(GROWING) >= {"pieces", "grams", "hours", "amount"}

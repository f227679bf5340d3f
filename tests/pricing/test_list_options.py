"""Options of a price list: gross amounts, half-up rounding, added percentages, limits of a part."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.order_charges import price_order
from pricing.parsing import read_list
from pricing.price import OrderLine, Price, SaleContext
from pricing.tax import Tax, taxes_of
from tests.pricing.test_prices import PART, priced

FULL = Tax("S", Decimal(19), None)
BASE = {"name": "Part", "step": "piece", "unit": "piece", "amount": 10}
DISCOUNT = {
    "name": "From 10",
    "step": "break",
    "on": "piece",
    "by": "pieces",
    "kind_of_break": "whole",
    "may_fall": True,
    "breaks": [{"from": 10, "factor": "0.9"}],
}
SURCHARGE = {"name": "Surcharge", "step": "line", "factor": "1.2"}
RUSH = {"name": "Rush", "step": "rush", "factor": "1.5"}
GROUP = {"name": "Shops", "step": "group", "factor": "0.9", "sentence": {"en": "Discount"}}
CENTS = st.decimals("0.01", "99999.99", places=2)
RATES = st.sampled_from(("0", "5.5", "7", "19", "25", "100"))


@pytest.mark.parametrize(
    ("gross", "net", "tax"), [("35.00", "29.41", "5.59"), ("26.25", "22.06", "4.19")]
)
def test_tax_is_taken_out_of_a_gross_amount(gross, net, tax):
    (shown,) = taxes_of([(FULL, Decimal(gross))], 2, includes_tax=True)

    assert (shown.basis, shown.amount) == (Decimal(net), Decimal(tax))


@given(gross=CENTS, rate=RATES)
def test_net_and_tax_of_a_gross_amount_add_up_to_it(gross, rate):
    (shown,) = taxes_of([(Tax("S", Decimal(rate), None), gross)], 2, includes_tax=True)

    assert shown.basis + shown.amount == gross
    assert abs(shown.basis * Decimal(rate) / 100 - shown.amount) <= Decimal("0.01")


@pytest.mark.parametrize(
    ("rounding", "amount", "net"),
    [
        ("nearest", "2.345", "2.34"),
        ("half_up", "2.345", "2.35"),
        ("nearest", "2.355", "2.36"),
        ("half_up", "2.355", "2.36"),
        ("half_up", "2.3449", "2.34"),
    ],
)
def test_half_of_a_cent_is_rounded_as_the_list_says(rounding, amount, net):
    step = {"name": "Cents", "step": "rounding", "amount": "0.01", "rounding": rounding}

    price = priced({**BASE, "amount": amount}, step, quantity=1)

    assert price.net == Decimal(net)
    assert sum(term.amount for term in price.terms) == price.net


@pytest.mark.parametrize(
    ("terms", "multiplied", "added"),
    [
        ([BASE, SURCHARGE], 120, 120),
        ([BASE, SURCHARGE, RUSH], 180, 170),
        ([BASE, DISCOUNT, SURCHARGE], 108, 110),
        ([BASE, DISCOUNT, SURCHARGE, GROUP, RUSH], Decimal("145.8"), 150),
        ([BASE, SURCHARGE, {"name": "Set-up", "step": "line", "amount": 5}, RUSH], 187.5, 177.5),
    ],
)
def test_percentages_multiply_or_add_up(terms, multiplied, added):
    bounds = {"percentages": "add"}

    prices = [
        priced(*terms, quantity=10, weekdays=1),
        priced(*terms, quantity=10, weekdays=1, bounds=bounds),
    ]

    assert [price.net for price in prices] == [multiplied, added]
    assert all(sum(term.amount for term in price.terms) == price.net for price in prices)


@pytest.mark.parametrize(("percentages", "charged"), [("multiply", 32), ("add", 30)])
def test_percentages_of_an_order_multiply_or_add_up(percentages, charged):
    terms = [
        {"name": "Insurance", "step": "order", "factor": "1.1"},
        {"name": "Packing", "step": "order", "factor": "1.2"},
    ]
    sold_by = read_list({"terms": terms, "percentages": percentages})
    price = Price(Decimal(100), Decimal(100), 1, ())

    once = price_order(sold_by, [(OrderLine(PART, 1), price)], SaleContext())

    assert once.net == charged


@pytest.mark.parametrize(
    ("limit", "number", "why"),
    [
        ("max_size", {"longest": Decimal(301)}, "Its longest side is 301 mm, more than 300."),
        ("max_weight", {"grams": Decimal("300.5")}, "It is 300.5 g, more than 300."),
    ],
)
def test_part_beyond_a_limit_of_the_list_needs_manual_review(limit, number, why):
    beyond = priced(BASE, numbers={**PART, **number}, bounds={limit: 300})
    (name,) = number
    within = priced(BASE, numbers={**PART, name: Decimal(300)}, bounds={limit: 300})

    assert [(reason.code, reason.why) for reason in beyond.review] == [("out-of-bounds", why)]
    assert (within.net, within.review) == (120, ())


def test_part_of_unknown_size_needs_manual_review_where_the_list_has_a_limit():
    price = priced(BASE, bounds={"max_size": 300})

    assert [reason.code for reason in price.review] == ["number-missing"]

"""Prices: what the steps come to, in which words, and when a person must look."""

from decimal import Decimal

import pytest

from pricing.cost_drivers import UnknownDriver, significant
from pricing.errors import InvalidTerm
from pricing.line_price import price_line
from pricing.list_validation import sample_parts, try_list
from pricing.order_charges import price_order
from pricing.parsing import read_list
from pricing.price import OrderLine, SaleContext

PART = {"cc": Decimal("16.2"), "hours": Decimal("1.75"), "grams": Decimal(20)}
MATERIAL = {"name": "Material", "step": "piece", "unit": "cc", "amount": "0.40"}
TIME = {"name": "Machine time", "step": "piece", "unit": "hour", "amount": 3.9}
SETUP = {"name": "Setting up", "step": "line", "amount": 5}
PARCEL = {"name": "Parcel", "step": "order", "amount": 5.9}


def priced(*terms, quantity=12, deal=None, numbers=PART, bounds=None, **line):
    sold_by = read_list({"terms": terms, **(bounds or {})})
    return price_line(sold_by, OrderLine(numbers, quantity, **line), deal or SaleContext())


def told(price) -> list[tuple[str, str]]:
    return [(term.sentence, str(term.amount)) for term in price.terms]


def test_line_price_lists_its_terms_with_quantities_and_rates():
    price = priced(MATERIAL, TIME, SETUP, PARCEL)

    assert told(price) == [
        ("Material, 12 x 16.2 cm³ at 0.40", "77.76"),
        ("Machine time, 12 x 1 h 45 min at 3.90", "81.90"),
        ("Setting up", "5.00"),
    ]
    assert (price.net, price.unit, price.unit_of) == (Decimal("164.66"), Decimal("164.66"), 12)


def test_order_level_charge_is_applied_once_per_order():
    sold_by = read_list({"terms": [MATERIAL, PARCEL]})
    line = OrderLine(PART, 1)
    price = price_line(sold_by, line, SaleContext())

    once = price_order(sold_by, [(line, price), (line, price)], SaleContext())

    assert told(once) == [("Parcel", "5.90")]


def test_line_descriptions_use_customer_language_and_the_bureaus_sentence():
    words = {"de": "Pulver {quantity} mal {each} zu {unit}"}
    price = priced({**MATERIAL, "sentence": words}, TIME, deal=SaleContext(language="de"))

    assert [term.sentence for term in price.terms] == [
        "Pulver 12 mal 16,2 cm³ zu 0,40",
        "Machine time, 12 x 1 h 45 min zu 3,90",
    ]


def test_margin_without_sentence_is_included_in_the_listed_terms():
    margin = {"name": "Margin", "step": "group", "factor": "1.35"}
    price = priced(MATERIAL, SETUP, margin)

    assert told(price) == [
        ("Material, 12 x 16.2 cm³ at 0.54", "104.98"),
        ("Setting up", "6.75"),
    ]
    shown = priced(MATERIAL, {**margin, "factor": "0.9", "sentence": {"en": "Your discount"}})
    assert told(shown)[-1] == ("Your discount", "-7.78")


def test_quantity_break_total_falls_only_for_whole_breaks_that_may_fall():
    many = {
        "name": "Many",
        "step": "break",
        "by": "pieces",
        "breaks": [{"from": 10, "factor": 0.5}],
    }

    nets = {
        kind: [
            priced(
                {"name": "Part", "step": "piece", "amount": 1},
                {**many, "kind_of_break": kind, "may_fall": True},
                quantity=quantity,
            ).net
            for quantity in (4, 5, 9, 10, 20)
        ]
        for kind in ("graduated", "capped", "whole")
    }

    assert nets == {
        "graduated": [4, 5, 9, Decimal("9.5"), Decimal("14.5")],
        "capped": [4, 5, 5, 5, 10],
        "whole": [4, 5, 9, 5, 10],
    }


@pytest.mark.parametrize(
    ("term", "field"),
    [
        ({"step": "nothing"}, "step"),
        ({"unit": "stone"}, "unit"),
        ({"amount": "nan"}, "amount"),
        ({"amount": -1}, "amount"),
        ({"amount": 1, "formula": "1"}, "amount"),
        ({"unit": "formula", "formula": "volume **2", "amount": None}, "formula"),
        ({"unit": "piece", "amount": None, "factor": 2}, "factor"),
        ({"when": "volume"}, "when"),
        ({"by": "pieces"}, "breaks"),
        ({"by": "weight", "breaks": [{"from": 1, "amount": 1}]}, "by"),
        (
            {"by": "pieces", "breaks": [{"from": 9, "amount": 1}, {"from": 9, "amount": 1}]},
            "breaks",
        ),
        ({"by": "pieces", "breaks": [{"from": 9, "factor": 1}]}, "breaks"),
        ({"by": "pieces", "amount": None, "breaks": [{"from": 9, "amount": 1}]}, "breaks"),
        ({"sentence": {"en": "{hours}"}}, "sentence"),
        ({"sentence": {"en": "two\nlines"}}, "sentence"),
        ({"countries": ["Germany"]}, "countries"),
        ({"name": ""}, "name"),
    ],
)
def test_invalid_term_is_rejected_with_its_field(term, field):
    with pytest.raises(InvalidTerm) as rejection:
        read_list({"terms": [{**MATERIAL, **term}]})

    assert rejection.value.details == {"field": field, "term": 0}


def test_whole_break_with_falling_total_is_rejected_with_both_totals():
    falling = {"by": "grams", "unit": "gram", "kind_of_break": "whole", "amount": "0.064"}

    with pytest.raises(InvalidTerm) as rejection:
        read_list({"terms": [{**MATERIAL, **falling, "breaks": [{"from": 100, "amount": 0.048}]}]})

    assert "6.4" in rejection.value.title and "4.8" in rejection.value.title


def codes(price) -> list[str]:
    assert (price.net, price.unit, price.terms) == (None, None, ())
    return [reason.code for reason in price.review]


def test_manual_review_lists_every_missing_number_and_broken_formula():
    hull = {"name": "Hull", "step": "piece", "unit": "hull_cc", "amount": 1}
    broken = {"name": "Odd", "step": "line", "formula": "1 / (quantity - 12)"}
    negative = {"name": "Gift", "step": "line", "formula": "1 - quantity"}
    numbers = {**PART, "hull": UnknownDriver("it is not closed: heal it first.")}

    price = priced(MATERIAL, hull, broken, negative, numbers=numbers)

    assert codes(price) == ["number-missing", "formula-broken", "out-of-bounds"]
    assert "heal it first" in price.review[0].title
    assert price.review[1].title == "We price this part by hand."
    assert "The rule Odd" in price.review[1].why


@pytest.mark.parametrize(
    ("bounds", "code"),
    [
        ({"least_total": 100}, "out-of-bounds"),
        ({"most_total": 70}, "out-of-bounds"),
        ({"ask_above": 70}, "out-of-bounds"),
        ({"most_quantity": 11}, "out-of-bounds"),
        ({"most_hours": 20}, "out-of-bounds"),
    ],
)
def test_line_outside_the_bounds_of_the_list_needs_manual_review(bounds, code):
    assert codes(priced(MATERIAL, bounds=bounds)) == [code]


def test_unsold_material_finish_or_rush_date_needs_manual_review():
    only = {**MATERIAL, "materials": ["nylon"]}

    assert codes(priced(only, material="PLA", material_name="PLA")) == ["no-rule"]
    assert codes(priced(MATERIAL, finishes={"dye": "Dyeing"})) == ["no-rule"]
    rush = {"name": "Rush", "step": "rush", "by": "weekdays", "breaks": [{"from": 2, "factor": 2}]}
    assert codes(priced(MATERIAL, rush, weekdays=1)) == ["not-due"]
    assert priced(MATERIAL, rush, weekdays=2).net == Decimal("155.52")


def test_price_of_zero_is_valid():
    free = priced({"name": "Sample", "step": "piece", "amount": 0})

    assert (free.net, free.review) == (0, ())


@pytest.mark.parametrize(
    ("digits", "rate", "net"), [(0, "162.5", "12636"), (3, "0.41", "31.882"), (2, None, None)]
)
def test_price_in_another_currency_is_rounded_to_its_digits(digits, rate, net):
    deal = SaleContext(digits=digits, rate=rate and Decimal(rate), currency="JPY")

    assert priced(MATERIAL, deal=deal).net == (net and Decimal(net))


@pytest.mark.parametrize(
    ("how", "step", "net"),
    [
        ("nearest", "0.05", "77.75"),
        ("up", "0.5", "78.00"),
        ("ending", "0.99", "77.99"),
        ("ending", "9", "79.00"),
    ],
)
def test_line_price_is_rounded_to_the_step(how, step, net):
    price = priced(MATERIAL, {"name": "R", "step": "rounding", "amount": step, "rounding": how})

    assert str(price.net) == net
    assert sum(term.amount for term in price.terms) == price.net


def test_rounding_step_below_the_currency_digits_needs_manual_review():
    rounding = {"name": "R", "step": "rounding", "amount": "0.05"}

    assert codes(priced(MATERIAL, rounding, deal=SaleContext(digits=0))) == ["formula-broken"]


def test_cost_drivers_are_rounded_to_six_significant_digits():
    assert significant(99.99999997) == significant(100.0) == 100
    assert significant(0.0001234567) == Decimal("0.000123457")


def test_huge_amounts_need_manual_review():
    large = {"name": "Large", "step": "piece", "amount": 10**12}
    twice = {"name": "Twice", "step": "line", "factor": 10**12}

    assert codes(priced(large, *[twice] * 9)) == ["out-of-bounds"]


def test_list_validation_on_sample_parts_warns_with_part_and_term():
    odd = {"name": "Odd", "step": "line", "formula": "1 / (z - 30)"}
    fewer = {"name": "Fewer", "step": "line", "formula": "max(0, 5000 - 60 * quantity)"}
    sold_by = read_list({"terms": [MATERIAL, odd, fewer]})

    tried, warned = try_list(sold_by, sample_parts(), SaleContext())

    assert len(tried) == 100
    assert ("Odd", "a jig") in {(each.term, each.part) for each in warned}
    assert any("more pieces for less" in each.title for each in warned)

"""Which case a sale is taxed by."""

from datetime import date
from decimal import Decimal

import pytest

from pricing.manual_review import ReviewReason
from pricing.tax import Rule, Sale, Tax, find_tax, is_number, taxes_of

RULES = [
    Rule("S", Decimal(16), "DE", since=date(2020, 7, 1)),
    Rule("S", Decimal(19), "DE", since=date(2021, 1, 1)),
    Rule("K", country="DE"),
    Rule("AE"),
    Rule("G"),
]
OSS = Rule("S", Decimal(20), "FR", oss=True)
FRENCH, DUTCH = "FR40303265045", "NL4495445B01"


@pytest.mark.parametrize(
    ("sale", "category", "rate"),
    [
        (Sale("DE", "DE", "DE"), "S", 19),
        (Sale("DE", "DE", "DE", day=date(2020, 12, 31)), "S", 16),
        (Sale("DE", "FR", "FR", FRENCH), "K", 0),
        (Sale("DE", "FR", "FR", FRENCH, service=True), "AE", 0),
        (Sale("DE", "FR", "FR"), "S", 19),
        (Sale("DE", "US", "US"), "G", 0),
        (Sale("DE", "CH", "CH"), "G", 0),
    ],
)
def test_sale_gets_the_tax_category_and_rate_of_its_case(sale, category, rate):
    found = find_tax(RULES, sale)

    assert isinstance(found, Tax)
    assert (found.category, found.rate) == (category, rate)
    assert bool(found.sentence) == (category != "S")


def test_oss_rule_taxes_foreign_consumer_at_the_rate_of_their_country():
    sale = Sale("DE", "FR", "FR")

    assert find_tax([*RULES, OSS], sale) == Tax("S", Decimal(20), None)
    assert find_tax([*RULES, OSS], Sale("DE", "AT", "AT")).code == "tax-unclear"


@pytest.mark.parametrize(
    "sale",
    [
        Sale("DE", "FR", "FR", "FR00000000000"),  # its digits do not fit
        Sale("DE", "FR", "DE", FRENCH),  # stays in the country
        Sale("DE", "FR", "US", FRENCH),
        Sale("DE", "FR", "FR", DUTCH),  # another country's number
        Sale("DE", "US", "DE"),
        Sale("DE", "US", "US", service=True),
        Sale("FR", "FR", "FR"),  # no rule of its country
        Sale("", "DE", "DE"),
    ],
)
def test_unclear_sale_needs_manual_review_of_tax(sale):
    found = find_tax(RULES, sale)

    assert isinstance(found, ReviewReason)
    assert found.code == "tax-unclear" and found.title.endswith("is settled by hand.")


def test_tax_exemption_needs_a_sentence():
    assert find_tax([Rule("E", country="DE")], Sale("DE", "DE", "DE")).code == "tax-unclear"
    small = Rule("O", sentence={"en": "Small business."})

    assert find_tax([small, *RULES], Sale("DE", "FR", "FR", FRENCH)).sentence == "Small business."


def test_tax_is_computed_on_the_sum_of_its_lines():
    standard, none = Tax("S", Decimal(19), None), Tax("O", Decimal(0), "Stamps.")
    lines = [(standard, Decimal("0.03")), (none, Decimal("1.00")), (standard, Decimal("0.03"))]

    assert [(t.tax.category, str(t.basis), str(t.amount)) for t in taxes_of(lines, 2)] == [
        ("S", "0.06", "0.01"),
        ("O", "1.00", "0.00"),
    ]


def test_vat_number_is_validated_by_its_check_digits():
    assert is_number(FRENCH) and is_number("FR 40 303 265 045")
    assert not is_number("FR40303265046") and not is_number("' OR 1=1")

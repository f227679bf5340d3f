"""What the customer reads is there in each of our languages."""

import re
from decimal import Decimal

import pytest

from pricing.cost_drivers import UnknownDriver
from pricing.line_price import price_line
from pricing.manual_review import SENTENCES, say
from pricing.parsing import read_list
from pricing.price import OrderLine, SaleContext
from pricing.sentences import LANGUAGES
from pricing.tax import Sale, find_tax

LIST = {
    "most_quantity": 5,
    "terms": [
        {"name": "Part", "step": "piece", "unit": "piece", "amount": 1, "materials": ["steel"]},
        {"name": "Hull", "step": "piece", "unit": "hull_cc", "amount": 1},
        {"name": "Share", "step": "piece", "unit": "cost", "amount": 2},
        {"name": "Rush", "step": "rush", "by": "weekdays", "breaks": [{"from": 3, "factor": 2}]},
    ],
}
PART = OrderLine(
    {"fits": Decimal(0), "cost": UnknownDriver("the printer has no rate.")},
    9,
    material_name="PLA",
    finishes={"dye": "Dyeing"},
    weekdays=1,
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_review_sentence_is_translated_and_uses_only_known_placeholders(sentence):
    words = SENTENCES[sentence]
    places = [set(re.findall(r"{(\w+)}", words[language])) for language in LANGUAGES]

    assert set(words) == set(LANGUAGES)
    assert len({*words.values()}) == len(LANGUAGES)
    assert all(each <= places[0] for each in places)


@pytest.mark.parametrize("language", ["de", "fr"])
def test_review_reasons_are_in_customer_language_for_customer_only(language):
    price = price_line(read_list(LIST), PART, SaleContext(language=language))

    told = {reason.code: reason for reason in price.review}
    assert set(told) == {"number-missing", "too-large", "no-rule", "out-of-bounds", "not-due"}
    english = {reason.title for reason in price_line(read_list(LIST), PART, SaleContext()).review}
    assert english.isdisjoint(reason.title for reason in price.review)
    assert told["too-large"].title == say("too-large", language, name="PLA")
    assert "fits none of the machines" in told["too-large"].why


def test_unknown_costs_are_reported_to_the_bureau_only():
    price = price_line(read_list(LIST), PART, SaleContext())

    (reason,) = [each for each in price.review if "rate" in each.why]
    assert reason.title == say("by-hand", "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_unclear_tax_is_reported_in_each_language(language):
    found = find_tax([], Sale("DE", "FR", "FR", "FR00"), language)

    assert found.title == say("tax-unclear", language, whom="FR (FR00)")
    assert found.why.startswith("Tax for FR (FR00) is settled by hand: ")

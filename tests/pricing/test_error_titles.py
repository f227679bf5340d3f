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
def test_each_sentence_is_there_in_each_language_and_needs_no_more_than_the_first(sentence):
    words = SENTENCES[sentence]
    places = [set(re.findall(r"{(\w+)}", words[language])) for language in LANGUAGES]

    assert set(words) == set(LANGUAGES)
    assert len({*words.values()}) == len(LANGUAGES)
    assert all(each <= places[0] for each in places)


@pytest.mark.parametrize("language", ["de", "fr"])
def test_a_customer_reads_reasons_in_the_lists_language_and_the_bureau_ours(language):
    price = price_line(read_list(LIST), PART, SaleContext(language=language))

    told = {reason.code: reason for reason in price.review}
    assert set(told) == {"number-missing", "too-large", "no-rule", "out-of-bounds", "not-due"}
    english = {reason.title for reason in price_line(read_list(LIST), PART, SaleContext()).review}
    assert english.isdisjoint(reason.title for reason in price.review)
    assert told["too-large"].title == say("too-large", language, name="PLA")
    assert "fits none of the machines" in told["too-large"].why


def test_that_costs_are_not_known_is_told_to_the_bureau_alone():
    price = price_line(read_list(LIST), PART, SaleContext())

    (reason,) = [each for each in price.review if "rate" in each.why]
    assert reason.title == say("by-hand", "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tax_that_is_not_clear_is_told_in_each_language(language):
    found = find_tax([], Sale("DE", "FR", "FR", "FR00"), language)

    assert found.title == say("tax-unclear", language, whom="FR (FR00)")
    assert found.why.startswith("Tax for FR (FR00) is settled by hand: ")

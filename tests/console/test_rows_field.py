"""Quantity breaks of a price term, edited as rows of numbers."""

import re
from uuid import uuid4

import pytest

from apps.erp.models import PriceTerm
from tests.console.visitor import main_of, text_of

FIELDS = {"name": "From 10", "step": "break", "by": "pieces", "kind_of_break": "graduated"}


def inputs_of(page) -> dict[str, str]:
    """The inputs of the breaks, by name."""
    text = page.content.decode()
    return dict(re.findall(r'name="(breaks\.\d\.\w+)" value="([^"]*)"', text))


@pytest.fixture
def term(ada, shop) -> str:
    """The page of a term with one break."""
    ada.send("/price-list/new/", name="Retail", country="DE", key=str(uuid4()), bureau=bureau(ada))
    form = ada.get("/price-term/new/").content.decode()
    (price_list,) = re.findall(r'<option value="([^"]+/price-list/[^"]+)"', form)
    breaks = {"breaks.0.from": "10", "breaks.0.factor": "0.9"}
    fields = {**FIELDS, **breaks, "price_list": price_list, "key": str(uuid4())}
    made = ada.send("/price-term/new/", **fields)
    assert made.status_code == 303, text_of(made)
    return made["Location"].partition("?")[0]


def bureau(ada) -> str:
    form = ada.get("/price-list/new/").content.decode()
    return re.search(r'name="bureau" value="([^"]+)"', form)[1]


def test_breaks_are_added_changed_and_removed(ada, term):
    assert "From 10, Factor 0.9" in main_of(ada.get(term))
    filled = inputs_of(ada.get(f"{term}edit/"))
    assert filled["breaks.0.from"] == "10"
    assert [name for name in filled if name.endswith(".from")] == [
        f"breaks.{row}.from" for row in range(4)
    ]

    more = filled | FIELDS | {"breaks.1.from": "50", "breaks.1.factor": "0,8"}
    changed = ada.send(f"{term}edit/", **more)
    assert changed.status_code == 303, main_of(changed)
    assert PriceTerm.objects.get().breaks == [
        {"from": 10, "factor": 0.9},
        {"from": 50, "factor": 0.8},
    ]

    fewer = more | {"breaks.0.from": "", "breaks.0.factor": ""}
    assert ada.send(f"{term}edit/", **fewer).status_code == 303
    assert PriceTerm.objects.get().breaks == [{"from": 50, "factor": 0.8}]


@pytest.mark.parametrize("text", ["many", "nan", "-inf", "1e999"])
def test_break_that_is_no_number_is_refused_with_what_was_typed(ada, term, text):
    filled = inputs_of(ada.get(f"{term}edit/")) | FIELDS | {"breaks.1.from": text}

    refused = ada.send(f"{term}edit/", **filled)

    assert refused.status_code == 400
    assert "Enter a number." in main_of(refused)
    assert f'value="{text}"' in refused.content.decode()

"""Options of price lists over HTTP: gross lists, limits of a part, the day from which one holds."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.erp.test_price_tables import ask, shop  # noqa: F401  fixtures
from tests.erp.test_prices import refused, seller, terms  # noqa: F401  fixtures


@pytest.fixture
def gross(seller, terms):  # noqa: F811
    """`gross(35)`: a gross list by which a piece costs as much, and shipping 5.90 an order."""

    def make_list(amount: float, **options) -> dict:
        piece = {"name": "Part", "step": "piece", "unit": "piece", "amount": amount}
        finish = {**terms[2], "amount": 0}
        return seller(piece, finish, terms[-1], includes_tax=True, **options)

    return make_list


@pytest.mark.parametrize(("amount", "net", "tax"), [(35, 29.41, 5.59), (26.25, 22.06, 4.19)])
def test_gross_price_of_a_line_item_is_that_of_the_list(gross, pending, amount, net, tax):
    gross(amount)

    price = pending(quantity=1)["price"]

    assert (price["gross"], price["net"], price["unit"]) == (amount, net, amount)
    assert [(each["basis"], each["amount"]) for each in price["taxes"]] == [(net, tax)]
    assert price["includes_tax"] is True
    assert sum(term["amount"] for term in price["terms"]) == amount


def test_quote_of_a_gross_list_adds_up_to_its_gross_amounts(make, bureau, gross, pending):
    gross(35)
    order = make("order", bureau=bureau["uri"], name="1")
    for _ in range(3):
        pending(quantity=1, order=order["uri"])

    quote = make("quote", order=order["uri"])

    # 3 x 35.00 and 5.90 of shipping: 110.90, of which 19 / 119 are tax
    assert (quote["gross"], quote["net"]) == (110.9, 93.19)
    assert [each["amount"] for each in quote["taxes"]] == [17.71]
    assert quote["amount"] == quote["net"]
    assert sum(round(100 * line["amount"]) for line in quote["lines"]) == 9319


def test_cells_of_a_gross_list_have_its_gross_amounts(ask, seller, erp):  # noqa: F811
    (sold_by,) = erp.get("/price-list/").json()["resources"]
    net = ask(quantities=[1]).json()["cells"][0]
    assert erp.put(sold_by["uri"], {"includes_tax": True}).status_code == 204

    cell = ask(quantities=[1]).json()["cells"][0]

    assert (net["includes_tax"], cell["includes_tax"]) == (False, True)
    assert cell["gross"] == net["net"]
    assert round(cell["net"] + cell["tax"], 2) == cell["gross"]
    assert cell["unit"] == net["unit"]


def test_part_beyond_a_limit_of_its_list_needs_manual_review(gross, erp, pending):
    sold_by = gross(35, max_size=10)

    held = pending(quantity=1)
    assert erp.put(sold_by["uri"], {"max_size": 500}).status_code == 204
    sold = pending(quantity=1)

    assert held["price"] is None
    assert [reason["code"] for reason in held["review"]] == ["out-of-bounds"]
    assert sold["price"]["gross"] == 35


def day(ahead: int) -> str:
    return (timezone.now().date() + timedelta(days=ahead)).isoformat()


def test_default_list_is_the_one_that_came_to_hold_last(gross, pending):
    gross(35)
    gross(40, name="Last year", since=day(-30))
    gross(45, name="This year", since=day(0))
    gross(50, name="Next year", since=day(30))

    assert pending(quantity=1)["price"]["gross"] == 45


def test_two_default_lists_of_one_day_are_rejected(make, erp, bureau, gross):
    for since in (None, day(30)):
        first = gross(35, since=since)
        body = {"bureau": bureau["uri"], "name": "B", "is_default": True, "since": since}

        answer = erp.post("/price-list/", body)

        assert refused(answer) == {("resource-exists", None)}
        assert first["uri"] in answer.json()["errors"][0]["title"]


def test_named_list_that_does_not_hold_yet_needs_manual_review(make, bureau, gross, pending):
    later = gross(35, name="Next year", is_default=False, since=day(30))
    order = make("order", bureau=bureau["uri"], name="1", price_list=later["uri"])

    item = pending(quantity=1, order=order["uri"])

    assert item["price"] is None
    (reason,) = item["review"]
    assert (reason["code"], day(30) in reason["why"]) == ("no-rule", True)


def test_list_document_has_and_sets_the_options_of_the_list(erp, gross):
    sold_by = gross(35, max_size=300, since=day(1), percentages="add")
    uri = f"{sold_by['uri']}document/"

    document = erp.get(uri).json()
    options = {"includes_tax": False, "percentages": "multiply", "since": None, "max_size": None}
    assert erp.put(uri, {**document, **options, "max_weight": 500}).status_code == 204

    names = ("includes_tax", "percentages", "since", "max_size", "max_weight")
    assert [document[name] for name in names] == [True, "add", day(1), 300, None]
    row = erp.get(sold_by["uri"]).json()
    assert {name: row[name] for name in names} == {**options, "max_weight": 500}

"""Totals of orders and quotes: the same figures before and after a quote is accepted."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.erp.models import LineItem

pytestmark = pytest.mark.django_db


@pytest.fixture
def selling(erp, make, bureau, priced, made_once):
    """A default list of prices: 10 a piece and 6 an order, with 19 % of tax."""
    made_once("selling", lambda: _sell(erp, make, bureau))


def _sell(erp, make, bureau) -> None:
    uri = bureau["uri"]
    make("tax-rule", bureau=uri, name="Full", category="S", country="DE", rate=19)
    made = make("price-list", bureau=uri, name="Retail", country="DE", is_default=True)
    terms = {"piece": {"unit": "piece", "amount": 10}, "order": {"amount": 6}}
    for at, (step, fields) in enumerate(terms.items()):
        make("price-term", price_list=made["uri"], position=at, step=step, name=step, **fields)
    (dyeing,) = erp.get("/post-processor-type/").json()["resources"]
    fields = {"step": "finish", "post_processor_types": [dyeing["uri"]], "amount": 0}
    make("price-term", price_list=made["uri"], position=2, name="Dyeing", **fields)


@pytest.fixture
def order(make, bureau) -> dict:
    return make("order", bureau=bureau["uri"], name="Nr. 1")


@pytest.fixture
def figures(erp, order):
    """`figures()`: parts, charges, net, tax and gross of the order now."""

    def read(uri: str = order["uri"]) -> tuple:
        totals = erp.get(uri).json()["totals"]
        tax = sum(each["amount"] for each in totals["taxes"])
        return (*(totals[name] for name in ("parts", "charges", "net")), tax, totals["gross"])

    return read


def test_order_and_quote_have_the_same_totals_before_and_after_acceptance(
    erp, make, selling, order, pending, figures
):
    for quantity in (2, 3):
        pending(quantity=quantity, order=order["uri"])
    expected = (50.0, 6.0, 56.0, 10.64, 66.64)
    assert figures() == expected

    quote = make("quote", order=order["uri"])
    assert (quote["net"], quote["gross"]) == (56.0, 66.64)
    assert figures(quote["uri"]) == figures() == expected

    assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204
    assert figures(quote["uri"]) == figures() == expected


def test_accepted_totals_stay_when_the_price_list_changes(
    erp, make, selling, order, pending, figures
):
    pending(quantity=2, order=order["uri"])
    quote = make("quote", order=order["uri"])
    erp.put(quote["uri"], {"status": "accepted"})

    for term in erp.get("/price-term/").json()["resources"]:
        assert erp.put(term["uri"], {"amount": 99}).status_code == 204

    assert figures() == (20.0, 6.0, 26.0, 4.94, 30.94)


def test_part_added_after_acceptance_adds_to_the_accepted_totals(
    erp, make, selling, order, pending, figures
):
    pending(quantity=2, order=order["uri"])
    quote = make("quote", order=order["uri"])
    erp.put(quote["uri"], {"status": "accepted"})

    pending(quantity=1, order=order["uri"])

    assert figures() == (30.0, 12.0, 42.0, 7.98, 49.98)
    assert len(erp.get(order["uri"]).json()["totals"]["taxes"]) == 1


def test_cancelled_part_leaves_the_totals(erp, selling, order, pending, figures):
    first = pending(quantity=2, order=order["uri"])
    pending(quantity=1, order=order["uri"])

    assert erp.put(first["uri"], {"status": "cancelled"}).status_code == 204

    assert figures() == (10.0, 6.0, 16.0, 3.04, 19.04)


def test_totals_are_unknown_where_a_part_has_no_price(erp, selling, order, pending, figures):
    pending(quantity=2, order=order["uri"])
    pending(quantity=2, order=order["uri"])
    review = [{"code": "too-large", "title": "A person has to look."}]
    last = LineItem.objects.latest("pk")
    LineItem.objects.filter(pk=last.pk).update(price=None, review=review)

    assert figures() == (None, None, None, 0, None)


def test_totals_at_cost_have_the_shipping_of_the_order_and_no_tax(
    erp, make, bureau, order, pending, priced, figures
):
    pending(quantity=2, order=order["uri"])
    assert figures() == (72.75, 0.0, 72.75, 0, 72.75)
    quote = make("quote", order=order["uri"])

    assert figures(quote["uri"]) == (72.75, 0.0, 72.75, 0, 72.75)


def test_list_of_orders_has_no_totals(erp, selling, order, pending):
    pending(quantity=2, order=order["uri"])

    (listed,) = erp.get("/order/").json()["resources"]

    assert listed["totals"] is None


def test_more_line_items_take_no_more_statements(erp, make, selling, order, pending):
    def statements(uri: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert erp.get(uri).json()["totals"]["gross"] is not None
        return len(captured)

    for _ in range(2):
        pending(quantity=1, order=order["uri"])
    make("quote", order=order["uri"])
    statements(order["uri"])
    few = statements(order["uri"])
    for _ in range(3):
        pending(quantity=1, order=order["uri"])

    assert statements(order["uri"]) == few

"""Open orders of a bureau in figures, as they stand above the list of orders."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.erp.models import LineItem, Order
from apps.erp.orders.services import order_figures
from tests.erp.test_customer_orders import place  # noqa: F401  fixture
from tests.erp.test_documents import customer, seller  # noqa: F401  fixtures
from tests.erp.test_order_totals import selling  # noqa: F401  fixture

# ruff: noqa: F811  fixtures
pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def figures(seller, erp, monkeypatch):
    """`figures(by=erp)`: at noon of a day, without the bureau."""
    monkeypatch.setattr(order_figures.timezone, "localtime", lambda: NOON)

    def read(by=erp) -> dict:
        answer = by.get(f"{seller['uri']}order-figures/")
        assert answer.status_code == 200, answer.content
        return {name: value for name, value in answer.json().items() if name != "bureau"}

    return read


def test_open_orders_are_counted_and_summed(place, figures, make, seller):
    assert figures() == {"open": 0, "late": 0, "due_today": 0, "amounts": []}
    orders = [place() for _ in range(3)]
    due = (timedelta(hours=-1), timedelta(hours=11), timedelta(hours=13))
    for order, offset in zip(orders, due, strict=True):
        Order.objects.filter(pk=order["uri"][-37:-1]).update(due_date=NOON + offset)
    draft = Order.objects.get(pk=make("order", bureau=seller["uri"], name="Draft")["uri"][-37:-1])
    for status in ("pending", "cancelled"):
        LineItem.objects.create(
            **{"bureau": draft.bureau, "order": draft, "creator": draft.creator},
            **{"status": status, "price": {"net": 7.5}},
        )
    Order.objects.filter(pk=draft.pk).update(currency="CHF")
    over = make("order", bureau=seller["uri"], name="Over")
    Order.objects.filter(pk=over["uri"][-37:-1]).update(status="complete", due_date=NOON)

    with CaptureQueriesContext(connection) as of_four:
        result = figures()

    assert result == {
        "open": 4,
        "late": 1,
        "due_today": 1,
        "amounts": [{"currency": "CHF", "net": 7.5}, {"currency": "EUR", "net": 78.0}],
    }
    Order.objects.exclude(name="Over").update(status="complete")
    with CaptureQueriesContext(connection) as of_none:
        assert figures()["open"] == 0
    assert len(of_none) == len(of_four)


def test_members_without_the_right_to_prices_see_no_sums(place, figures, client_of, member):
    place()

    assert figures(client_of("erp", member)) == {
        "open": 1,
        "late": 0,
        "due_today": 0,
        "amounts": None,
    }

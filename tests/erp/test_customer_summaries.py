"""Customers in a few figures each, as lists show them."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.erp.models import Order
from apps.erp.orders.services import customer_summaries
from tests.erp.test_customer_orders import place  # noqa: F401  fixture
from tests.erp.test_documents import customer, seller  # noqa: F401  fixtures
from tests.erp.test_order_totals import selling  # noqa: F401  fixture

# ruff: noqa: F811  fixtures
pytestmark = pytest.mark.django_db


@pytest.fixture
def summaries(seller, erp):
    """`summaries(customer, ..., by=erp)`: of these customers."""

    def read(*customers: dict, by=erp) -> list[dict]:
        uris = ",".join(customer["uri"] for customer in customers)
        answer = by.get(f"{seller['uri']}customer-summaries/?customers={uris}")
        assert answer.status_code == 200, answer.content
        return answer.json()["summaries"]

    return read


@pytest.fixture
def amounts(customer, summaries):
    """`amounts()`: revenue, open and overdue of the customer in EUR."""

    def read() -> tuple[float, float, float]:
        (only,) = summaries(customer)[0]["amounts"]
        assert only["currency"] == "EUR"
        return only["revenue"], only["open"], only["overdue"]

    return read


@pytest.fixture
def later(monkeypatch):
    """`later(days)`: summaries are read so many days from now."""

    def set_day(days: int) -> None:
        day = timezone.localdate() + timedelta(days=days)
        monkeypatch.setattr(customer_summaries, "today", lambda: day)

    return set_day


def invoice(make, order: dict, **values) -> dict:
    return make("document", order=order["uri"], type="invoice", **values)


def pay(make, order: dict, amount: float, **values) -> dict:
    today = timezone.localdate().isoformat()
    return make("order-payment", order=order["uri"], amount=amount, paid_on=today, **values)


def test_customer_has_counts_of_orders_and_no_amounts_without_invoice(place, customer, summaries):
    for status in ("in-progress", "complete", "cancelled"):
        Order.objects.filter(uuid=place()["uri"].split("/")[-2]).update(status=status)

    assert summaries(customer) == [
        {"customer": customer["uri"], "orders": 2, "open_orders": 1, "amounts": []}
    ]


def test_invoice_is_revenue_and_open_until_it_is_paid(place, amounts, make):
    order = place()
    invoice(make, order)
    assert amounts() == (26.0, 30.94, 0.0)

    payment = pay(make, order, 10)
    assert amounts() == (26.0, 20.94, 0.0)
    pay(make, order, 10, reverses=payment["uri"])
    assert amounts() == (26.0, 30.94, 0.0)
    pay(make, order, 40)  # more than was asked, which pays for no other order
    invoice(make, place())

    assert amounts() == (52.0, 30.94, 0.0)


def test_credit_note_is_subtracted(place, amounts, make):
    order = place()
    row = invoice(make, order)

    make("document", order=order["uri"], type="credit-note", corrects=row["uri"])

    assert amounts() == (0.0, 0.0, 0.0)


def test_overdue_is_what_was_due_before_today(place, amounts, make, later):
    order = place()
    invoice(make, order)
    pay(make, order, 30)

    later(14)  # days to pay
    assert amounts() == (26.0, 0.94, 0.0)
    later(15)

    assert amounts() == (26.0, 0.94, 0.94)


def test_revenue_is_of_the_last_365_days(place, amounts, make, later):
    invoice(make, place())
    later(364)
    assert amounts()[0] == 26.0

    later(365)

    assert amounts() == (0.0, 30.94, 30.94)


def test_more_customers_take_no_more_statements(place, summaries, make, customer):
    invoice(make, place())
    others = [make("customer", bureau=customer["bureau"], name=f"Buyer {n}") for n in range(5)]
    summaries(customer)
    with CaptureQueriesContext(connection) as of_one:
        summaries(customer)

    with CaptureQueriesContext(connection) as of_many:
        result = summaries(customer, *others, customer)

    assert len(of_many) == len(of_one)
    assert [each["customer"] for each in result] == [row["uri"] for row in (customer, *others)]


def test_who_sees_no_customers_gets_none(place, summaries, customer, client_of, member):
    assert summaries(customer, by=client_of("erp", member)) == []


def test_more_than_a_hundred_customers_are_refused(seller, erp):
    answer = erp.get(f"{seller['uri']}customer-summaries/?customers={','.join(['x'] * 101)}")

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["title"], error["field"]) == (
        "At most 100 customers are summarised at once, not 101.",
        "customers",
    )

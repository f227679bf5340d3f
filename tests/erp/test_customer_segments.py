"""Customers by segment, with counts, and in the order of what they owe."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.erp.models import Customer, Document, Order
from apps.erp.orders.services import customer_segments
from tests.erp.test_customer_orders import place  # noqa: F401  fixture
from tests.erp.test_customer_summaries import invoice, pay
from tests.erp.test_documents import customer, seller  # noqa: F401  fixtures
from tests.erp.test_order_totals import selling  # noqa: F401  fixture

# ruff: noqa: F811  fixtures
pytestmark = pytest.mark.django_db


@pytest.fixture
def segment(seller, erp):
    """`segment(name, sort=..., by=erp)`: names of the customers, and the counts of all segments."""

    def read(name: str = "", sort: str = "name", by=erp) -> tuple[list[str], dict]:
        query = {"filter[bureau]": seller["uri"], "count_by": "segment", "sort": sort}
        query |= {"filter[segment]": name} if name else {}
        answer = by.get("/customer/", query)
        assert answer.status_code == 200, answer.content
        page = answer.json()
        return [row["name"] for row in page["resources"]], page["meta"]["counts"]

    return read


@pytest.fixture
def private(make, seller) -> dict:
    return make("customer", bureau=seller["uri"], name="Ada")


def balance_of(order: dict) -> float:
    return float(Order.objects.get(pk=order["uri"][-37:-1]).balance)


def test_customers_are_filtered_and_counted_by_segment(
    make, seller, customer, private, place, segment
):
    company = make("customer-company", bureau=seller["uri"], name="Works")
    make("customer", bureau=seller["uri"], name="Member", company=company["uri"])
    order, own = place(), customer["name"]
    Customer.objects.filter(name=own).update(vat_number="DE136695976")
    invoice(make, order)

    names, counts = segment("open-orders")

    assert names == [own]
    of_accounts = {"storefront": 0, "no-storefront": 3}
    assert counts == {"company": 2, "private": 1, "open-orders": 1, "unpaid": 1} | of_accounts
    assert segment("private")[0] == ["Ada"]
    assert segment("company")[0] == sorted(["Member", own])
    assert segment("unpaid,private")[0] == sorted(["Ada", own])
    Order.objects.update(status="complete")
    assert segment("open-orders") == ([], {**counts, "open-orders": 0})


def test_balance_follows_invoices_credit_notes_and_payments(make, place, segment, private):
    order = place()
    first = invoice(make, order)
    assert balance_of(order) == first["gross"] == 30.94
    assert segment(sort="-balance")[0][-1] == segment(sort="balance")[0][0] == "Ada"
    received = pay(make, order, 10.0)
    assert balance_of(order) == 20.94
    make("order-payment", order=order["uri"], paid_on=received["paid_on"], reverses=received["uri"])
    assert balance_of(order) == 30.94

    make("document", order=order["uri"], type="credit-note", corrects=first["uri"])

    assert balance_of(order) == 0
    of_accounts = {"storefront": 0, "no-storefront": 2}
    assert segment("unpaid") == (
        [],
        {"company": 0, "private": 2, "open-orders": 1, "unpaid": 0} | of_accounts,
    )


def test_list_by_segment_takes_no_more_statements(make, place, segment, private):
    with CaptureQueriesContext(connection) as of_none:
        segment("unpaid", sort="-balance")
    invoice(make, place())
    Customer.objects.bulk_create(
        Customer(bureau=Customer.objects.first().bureau, name=f"C{n}") for n in range(20)
    )

    with CaptureQueriesContext(connection) as of_many:
        names, counts = segment("unpaid", sort="-balance")

    assert len(names) == 1
    assert counts["private"] == 22
    assert len(of_many) == len(of_none)


def test_customers_are_sorted_by_revenue_of_a_year(erp, make, place, segment, private, monkeypatch):
    order = place()
    billed = invoice(make, order)
    assert segment(sort="-revenue")[0][-1] == segment(sort="revenue")[0][0] == "Ada"
    last = timezone.localdate() + customer_segments.YEAR
    monkeypatch.setattr(customer_segments, "today", lambda: last)
    assert segment(sort="-revenue")[0][0] == "Ada"  # as much as the other: the newest first
    monkeypatch.setattr(customer_segments, "today", lambda: last - timedelta(days=1))
    assert segment(sort="-revenue")[0][-1] == "Ada"

    assert erp.put(order["uri"], {"customer": private["uri"]}).status_code == 204

    assert segment(sort="-revenue")[0][0] == "Ada"
    make("document", order=order["uri"], type="credit-note", corrects=billed["uri"])
    assert {each.customer.uri for each in Document.objects.all()} == {private["uri"]}
    assert segment(sort="revenue")[0][0] != "Ada"


def test_no_customer_is_unpaid_for_members_without_the_right_to_prices(
    make, place, segment, seller, client_of, member
):
    invoice(make, place())
    make("permission-bureau", bureau=seller["uri"], user=member.uri, right="customer.all")

    names, counts = segment("unpaid", by=client_of("erp", member))

    assert (names, counts["unpaid"], counts["open-orders"]) == ([], 0, 1)


def test_revenue_is_no_order_for_members_without_the_right_to_prices(
    make, place, segment, seller, private, client_of, member
):
    invoice(make, place())
    make("permission-bureau", bureau=seller["uri"], user=member.uri, right="customer.all")

    by_revenue, _counts = segment(sort="-revenue", by=client_of("erp", member))

    assert by_revenue == segment(sort="-created")[0]
    assert by_revenue != segment(sort="-revenue")[0]


def test_unknown_segment_is_refused(seller, erp):
    answer = erp.get("/customer/", {"filter[segment]": "unknown"})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "filter[segment]"

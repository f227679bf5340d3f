"""Operators' pages of payment."""

import pytest
from django.test import Client

from apps.payment import interface as payment
from apps.payment.models import Invoice, PaymentMethod, Price
from tests.conftest import A_SLICE
from tests.payment.conftest import DECEMBER


@pytest.fixture
def pages(operator) -> Client:
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": "root", "password": "correct horse battery"})
    return client


def test_admin_creates_and_ends_a_price(pages, price):
    form = {**A_SLICE, "service": "", "amount": "2.5", "currency": "eur"}

    made = pages.post("/payment/price/add/", form)
    wrong = pages.post("/payment/price/add/", {**form, "action": "x", "currency": "EURO"})
    row = Price.objects.get()
    pages.post("/payment/price/", {"action": "end", "_selected_action": [str(row.pk)]})

    assert (made.status_code, row.currency) == (302, "EUR")
    assert b"errorlist" in wrong.content
    assert Price.objects.get().deleted is not None


def test_admin_issues_an_invoice_and_marks_it_paid(
    pages,
    payer,
    person,
    run_jobs,
    at,
):
    payer(person)
    payment.authorise(owner=person, **A_SLICE, source="http://a/slice/1/")
    payment.record(source="http://a/slice/1/")
    key = str(Invoice.objects.get().pk)
    at(DECEMBER)

    pages.post("/payment/invoice/", {"action": "settle", "_selected_action": [key]})
    run_jobs()
    pages.post("/payment/invoice/", {"action": "mark_paid", "_selected_action": [key]})

    page = pages.get(f"/payment/invoice/{key}/change/")
    assert Invoice.objects.get().status == "paid"
    assert page.status_code == 200
    assert b"http://a/slice/1/" in page.content


def test_admin_creates_manual_payment_method(pages, person):
    answer = pages.post("/payment/paymentmethod/add/", {"owner": str(person.pk)})

    method = PaymentMethod.objects.get()
    assert answer.status_code == 302
    assert (method.owner_id, method.type, method.status) == (person.pk, "manual", "active")


@pytest.mark.parametrize("kind", ["price", "consent", "paymentmethod", "charge", "invoice"])
def test_admin_lists_can_be_searched(pages, payer, person, kind):
    payer(person)

    assert pages.get(f"/payment/{kind}/?q=slice").status_code == 200

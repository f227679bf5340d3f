"""Documents of an order in the console, and on the page of its customer."""

import re

import pytest

from apps.erp.models import Document, Order
from tests.console.test_share_links import new_link
from tests.console.visitor import Browser, main_of


@pytest.fixture
def confirmed(confirmed_sale) -> str:
    """The page of a confirmed order of three cubes, sold by a price list."""
    return confirmed_sale


@pytest.fixture
def key(ada, confirmed) -> str:
    """The key of the forms on the page of the order."""
    return re.search(r'name="key" value="([^"]+)"', ada.get(confirmed).content.decode())[1]


@pytest.fixture
def complete(ada, confirmed, client_of, person) -> None:
    """Seller and buyer of the order have what an invoice must say."""
    erp = client_of("erp", person)
    (shop,) = erp.get("/bureau/").json()["resources"]
    values = {"address": "Hafenstr. 1", "vat_number": "DE136695976"}
    assert erp.put(shop["uri"], values).status_code == 204
    body = {"bureau": shop["uri"], "name": "Hansa GmbH", "address": "Am Kai 2"}
    customer = erp.post("/customer/", body).json()
    assert erp.put(Order.objects.get().uri, {"customer": customer["uri"]}).status_code == 204


def test_shop_issues_an_invoice_and_the_customer_downloads_it(
    ada,
    confirmed,
    complete,
    key,
    run_jobs,
):
    answer = ada.send(confirmed, action="issue-invoice", key=key)
    again = ada.send(confirmed, action="issue-invoice", key=key)

    assert (answer.status_code, again.status_code) == (303, 303)
    number = Document.objects.get().number
    assert "Creating PDF" in main_of(ada.get(confirmed))
    run_jobs()
    assert f"Invoice {number}" in main_of(ada.get(confirmed))
    link = f"Invoice {number}"
    page = Browser().get(new_link(ada, confirmed)).content.decode()
    assert re.search(rf'href="http://files[^"]+">{link}<', page)
    for tab in ("/quote/", "/document/?filter[type]=invoice", "/document/"):
        assert 'aria-current="page">' in ada.get(tab).content.decode()
    assert number in main_of(ada.get("/document/?filter[type]=invoice"))
    assert number in main_of(ada.get(f"/document/?search[number]={number[-6:]}"))
    assert number not in main_of(ada.get("/document/?search[number]=absent"))


def test_invoice_without_data_of_the_seller_leads_to_the_settings(ada, confirmed, key):
    page = ada.send(confirmed, action="issue-invoice", key=key)

    assert page.status_code == 409
    assert "Address and VAT number of the shop are missing" in main_of(page)
    assert "Invoices need address and VAT number" in main_of(page)
    assert not Document.objects.exists()


def test_order_is_invoiced_and_credited_in_parts(ada, confirmed, complete, key, run_jobs):
    form = f"{confirmed}invoice/"
    field = re.search(r'name="(n-[^"]+)"', ada.get(form).content.decode())[1]

    assert ada.send(form, key=key, **{field: "2"}).status_code == 303
    invoice = Document.objects.get()
    assert [line["quantity"] for line in invoice.data["lines"] if line["line_item"]] == [2]
    assert "1 not invoiced" in main_of(ada.get(form))
    for quantity, fault in (("2", "less than or equal to 1"), ("0", "at least one part")):
        refused = ada.send(form, key="another", **{field: quantity})
        assert (refused.status_code, fault in main_of(refused)) == (400, True), main_of(refused)

    credit = f"{form}?corrects={invoice.pk}"
    assert f"Credit note for Invoice {invoice.number}" in main_of(ada.get(credit))
    assert ada.send(credit, key=key, **{field: "1"}).status_code == 303
    note = Document.objects.get(type="credit-note")
    assert (note.corrects, [line["quantity"] for line in note.data["lines"]]) == (invoice, [1])
    assert "2 not invoiced" in main_of(ada.get(form))
    assert ada.send(credit, key="the rest", **{field: "1"}).status_code == 303
    assert "All of the invoice is credited" in main_of(ada.get(credit))
    assert "?corrects=" not in ada.get(confirmed).content.decode()
    notes = Document.objects.filter(type="credit-note")
    assert sum(row.gross for row in notes) == invoice.gross


def test_credit_note_of_an_unknown_invoice_is_404(ada, confirmed):
    for key in ("x", "01a1fe8c-0000-7000-8000-000000000003"):
        assert ada.get(f"{confirmed}invoice/?corrects={key}").status_code == 404

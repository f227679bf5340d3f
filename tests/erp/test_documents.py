"""Documents of orders: numbers without gaps, what they say, their PDF, and what is refused."""

import io
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.db import DatabaseError, transaction
from pypdf import PdfReader

from apps.erp.models import Document, DocumentSeries, Message
from apps.erp.orders.actors.documents import draw
from apps.erp.orders.domain.documents import document_numbers
from apps.erp.orders.services import documents
from core.files import blobs
from tests.conftest import HostClient
from tests.erp.test_order_totals import selling  # noqa: F401  fixture
from tests.erp.test_prices import refused

pytestmark = pytest.mark.django_db
YEAR = date.today().year
IBAN = "DE89370400440532013000"


@pytest.fixture
def seller(erp, make, bureau) -> dict:
    """The bureau with all that an invoice must say of it."""
    values = {"address": "Hafenstr. 1\n28195 Bremen", "vat_number": "DE136695976"}
    assert erp.put(bureau["uri"], values).status_code == 204
    make("bank-account", bureau=bureau["uri"], account_holder="Parts & Sons", iban=IBAN)
    return bureau


@pytest.fixture
def customer(make, seller) -> dict:
    return make(
        "customer",
        bureau=seller["uri"],
        name="Hansa <b>GmbH</b>",
        address="Am Kai 2\n20457 Hamburg",
    )


@pytest.fixture
def items(erp, make, customer, pending, selling) -> list[dict]:  # noqa: F811
    """The two line items of a confirmed order: 3 and 2 parts, 56 EUR net, 66.64 with tax."""
    order = make("order", bureau=customer["bureau"], name="Gears", customer=customer["uri"])
    made = [pending(quantity=quantity, order=order["uri"]) for quantity in (3, 2)]
    quote = make("quote", order=order["uri"])
    assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204
    return made


@pytest.fixture
def issue(erp, items):
    """`issue("invoice", ...)`: the answer to a new document of the order."""
    order = items[0]["order"]
    return lambda kind, **values: erp.post("/document/", {"order": order, "type": kind, **values})


def text_of(content: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def test_invoice_has_number_lines_taxes_and_a_pdf(erp: HostClient, issue, items, run_jobs):
    row = issue("invoice").json()

    assert (row["number"], row["status"], row["download"]) == (
        f"INV-{YEAR}-0001",
        "processing",
        None,
    )
    assert [(line["quantity"], line["net"]) for line in row["lines"]] == [(3, 30), (2, 20), (1, 6)]
    assert (row["net"], row["gross"], row["taxes"][0]["amount"]) == (56, 66.64, 10.64)
    run_jobs()
    made = erp.get(row["uri"]).json()
    assert made["status"] == "processed"
    assert "pdf" in made["download"]
    document = Document.objects.get()
    text = text_of(blobs.read(document.content_id))
    for text_part in (row["number"], "Hansa <b>GmbH</b>", "€66.64", "DE136695976", "Page 1 of 1"):
        assert text_part in text
    assert "DE89 3704 0044 0532 0130 00" in text


def test_document_has_the_day_of_the_working_calendar(erp, make, seller, issue):
    # One of the two is at another day than UTC, at any time.
    zones = [ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Pago_Pago")]
    here = next(zone for zone in zones if datetime.now(zone).date() != datetime.now(UTC).date())
    calendar = make("working-calendar", bureau=seller["uri"], name="Island", time_zone=str(here))
    (price_list,) = erp.get("/price-list/").json()["resources"]
    assert erp.put(price_list["uri"], {"calendar": calendar["uri"]}).status_code == 204

    row = issue("confirmation").json()

    assert row["issued_on"] == datetime.now(here).date().isoformat()


def test_same_data_gives_the_same_bytes(issue, run_jobs):
    issue("invoice")
    run_jobs()
    document = Document.objects.get()

    assert draw(document)[0] == document.content_id


def test_invoices_of_parts_come_to_the_total_of_the_order(issue, items):
    first, second = (item["uri"] for item in items)

    parts = [
        issue("invoice", lines=[{"line_item": first, "quantity": 1}]).json(),
        issue("invoice", lines=[{"line_item": first, "quantity": 1}]).json(),
        issue("invoice").json(),
    ]

    assert [part["net"] for part in parts] == [16, 10, 30]  # the charge is on the first
    assert sum(part["gross"] for part in parts) == pytest.approx(66.64)
    assert [part["number"][-4:] for part in parts] == ["0001", "0002", "0003"]
    assert refused(issue("invoice")) == {("nothing-to-invoice", None)}
    more = issue("invoice", lines=[{"line_item": second, "quantity": 1}])
    assert refused(more) == {("nothing-to-invoice", None)}


def open_lines(erp: HostClient, uri: str) -> list[tuple[str | None, int]]:
    """Line item and quantity of what can be invoiced of an order, or credited of an invoice."""
    answer = erp.get(f"{uri}open-lines/")
    assert answer.status_code == 200, answer.json()
    return [(line["line_item"], line["quantity"]) for line in answer.json()["lines"]]


def test_open_lines_are_what_is_neither_invoiced_nor_credited(erp: HostClient, issue, items):
    first, second = (item["uri"] for item in items)
    order = items[0]["order"]
    assert open_lines(erp, order) == [(first, 3), (second, 2), (None, 1)]

    invoice = issue("invoice", lines=[{"line_item": first, "quantity": 2}]).json()
    assert open_lines(erp, order) == [(first, 1), (second, 2)]
    assert open_lines(erp, invoice["uri"]) == [(first, 2), (None, 1)]

    part = [{"line_item": first, "quantity": 1}]
    note = issue("credit-note", corrects=invoice["uri"], lines=part).json()
    assert open_lines(erp, order) == [(first, 2), (second, 2)]
    assert open_lines(erp, invoice["uri"]) == [(first, 1), (None, 1)]
    assert open_lines(erp, note["uri"]) == []
    issue("credit-note", corrects=invoice["uri"])
    assert open_lines(erp, invoice["uri"]) == []


def test_more_than_ordered_is_not_invoiced(issue, items):
    answer = issue("invoice", lines=[{"line_item": items[1]["uri"], "quantity": 3}])

    assert refused(answer) == {("more-than-open", "lines")}
    assert answer.json()["errors"][0]["details"]["open"] == 2
    assert not Document.objects.exists()
    assert not DocumentSeries.objects.exists()  # no number was taken


def test_credit_note_corrects_what_is_left_of_its_invoice(issue, items):
    invoice = issue("invoice").json()
    one = [{"line_item": items[0]["uri"], "quantity": 1}]

    part = issue("credit-note", corrects=invoice["uri"], lines=one).json()
    rest = issue("credit-note", corrects=invoice["uri"]).json()

    assert (part["net"], part["gross"], part["number"]) == (10, 11.9, f"CN-{YEAR}-0001")
    assert (rest["net"], rest["gross"]) == (46, 54.74)
    again = issue("credit-note", corrects=invoice["uri"])
    assert refused(again) == {("nothing-to-invoice", None)}
    assert issue("invoice").json()["gross"] == 66.64  # what is credited can be invoiced again


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"type": "credit-note"}, ("missing-parameter", "corrects")),
        (
            {"type": "quote", "lines": [{"line_item": "it", "quantity": 1}]},
            ("not-allowed", "lines"),
        ),
        ({"type": "letter"}, ("property-value-not-in-allowed-values", "type")),
        ({"type": "invoice", "lines": []}, ("empty-payload", "lines")),
    ],
)
def test_wrong_body_is_refused(issue, items, body, code):
    for line in body.get("lines", []):
        line["line_item"] = items[0]["uri"]

    assert code in refused(issue(body["type"], **{k: v for k, v in body.items() if k != "type"}))


def test_quote_and_confirmation_say_what_was_offered(issue):
    quote, confirmation = issue("quote").json(), issue("confirmation").json()

    assert (quote["number"], quote["gross"]) == (f"Q-{YEAR}-0001", 66.64)
    assert (confirmation["number"], confirmation["gross"]) == (f"OC-{YEAR}-0001", 66.64)
    assert refused(issue("quote")) == {("document-issued", None)}


def test_invoice_needs_the_data_of_seller_and_buyer(erp: HostClient, issue, bureau, customer):
    erp.put(bureau["uri"], {"vat_number": ""})
    assert refused(issue("invoice")) == {("seller-incomplete", None)}

    erp.put(bureau["uri"], {"vat_number": "DE136695976"})
    erp.put(customer["uri"], {"address": ""})
    assert refused(issue("invoice")) == {("buyer-incomplete", None)}


def test_order_that_is_not_confirmed_has_no_invoice(erp, make, customer, pending, selling):  # noqa: F811
    order = make("order", bureau=customer["bureau"], name="New", customer=customer["uri"])
    pending(order=order["uri"])

    for kind in ("invoice", "confirmation"):
        answer = erp.post("/document/", {"order": order["uri"], "type": kind})
        assert refused(answer) == {("order-not-confirmed", None)}
    answer = erp.post("/document/", {"order": order["uri"], "type": "quote"})
    assert refused(answer) == {("no-quote", None)}


def test_issued_document_never_changes(erp: HostClient, issue, items):
    document = issue("invoice").json()

    assert erp.put(document["uri"], {"number": "X"}).status_code == 405
    assert erp.delete(document["uri"]).status_code == 405
    for change in (
        lambda rows: rows.update(number="X"),
        lambda rows: rows.update(data={}),
        lambda rows: rows.delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change(Document.objects.all())


def test_series_sets_prefix_and_first_number(erp: HostClient, make, bureau, issue):
    body = {"bureau": bureau["uri"], "type": "invoice", "prefix": "R/", "next": 77, "yearly": False}
    series = make("document-series", **body)

    assert issue("invoice").json()["number"] == "R/0077"

    assert refused(erp.put(series["uri"], {"next": 90})) == {("series-started", "next")}
    assert erp.put(series["uri"], {"prefix": "RE-"}).status_code == 204
    assert erp.get(series["uri"]).json()["next"] == 78
    bad = erp.post("/document-series/", body | {"type": "quote", "prefix": "R7"})
    assert {field for _, field in refused(bad)} == {"prefix"}


def test_numbers_begin_again_with_the_year(make, bureau, person):
    series = DocumentSeries(prefix="RE-", next=12, yearly=True, year=2026)

    assert document_numbers.next_of(series, date(2026, 12, 31)) == 12
    assert document_numbers.next_of(series, date(2027, 1, 1)) == 1
    assert document_numbers.text_of(series, 1, date(2027, 1, 1)) == "RE-2027-0001"


def test_failed_issue_takes_no_number(issue, items, monkeypatch):
    issue("invoice", lines=[{"line_item": items[0]["uri"], "quantity": 1}])
    monkeypatch.setattr(documents, "enqueue", lambda *row, **options: 1 / 0)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        issue("invoice")
    monkeypatch.undo()

    assert issue("invoice").json()["number"] == f"INV-{YEAR}-0002"
    assert document_numbers.broken_series() == []


def test_gap_in_a_series_is_named(issue, items):
    issue("invoice", lines=[{"line_item": items[0]["uri"], "quantity": 1}])
    DocumentSeries.objects.update(next=9)
    issue("invoice")

    (gap,) = document_numbers.broken_series()

    assert "2 documents from 1 to 9" in gap


def test_only_sellers_see_documents(client_of, member, issue, items):
    document = issue("invoice").json()
    client = client_of("erp", member)

    assert client.get(document["uri"]).status_code == 404
    assert client.get(f"{document['uri']}open-lines/").status_code == 404
    assert client.get(f"{items[0]['order']}open-lines/").status_code == 403
    assert client.get("/document/").json()["resources"] == []
    body = {"order": items[0]["order"], "type": "invoice"}
    assert client.post("/document/", body).status_code == 403


def test_document_is_in_the_language_of_the_customer(erp: HostClient, issue, customer, run_jobs):
    erp.put(customer["uri"], {"language": "de"})

    row = issue("invoice").json()
    run_jobs()

    text = text_of(blobs.read(Document.objects.get().content_id))
    assert row["language"] == "de"
    for text_part in ("Rechnung", "66,64\xa0€", "Seite 1 von 1"):
        assert text_part in text


def test_pdf_that_failed_is_made_again(erp: HostClient, issue, run_jobs):
    row = issue("invoice").json()
    assert refused(erp.post(f"{row['uri']}retry/", {})) == {("illegal-transition", "status")}
    Document.objects.get().move(Document.Status.ERROR, errors=[{"code": "crashed", "title": "x"}])

    assert erp.post(f"{row['uri']}retry/", {}).status_code == 204
    run_jobs()

    assert erp.get(row["uri"]).json()["status"] == "processed"


def test_customer_gets_a_message_of_each_invoice(erp: HostClient, issue, items, customer):
    erp.put(customer["uri"], {"email": "office@hansa.example"})
    Message.objects.all().delete()

    numbers = [
        issue("invoice", lines=[{"line_item": items[0]["uri"], "quantity": 1}]).json()["number"],
        issue("invoice").json()["number"],
    ]
    issue("confirmation")

    rows = Message.objects.order_by("pk")
    assert [row.moment for row in rows] == ["invoice", "invoice"]
    assert all(number in row.subject for number, row in zip(numbers, rows, strict=True))
    assert "Amount: 19.04 EUR" in rows[0].text

"""Documents that are issued automatically: when, once, and who is notified of what is missing."""

import pytest

from apps.erp.automation.actors.automatic_documents import issue_document
from apps.erp.models import Document
from apps.users.models import Notification
from tests.conftest import HostClient
from tests.erp.test_documents import customer, seller  # noqa: F401  fixtures
from tests.erp.test_order_totals import selling  # noqa: F401  fixture

pytestmark = pytest.mark.django_db


@pytest.fixture
def automatic(erp, seller, selling):  # noqa: F811
    """`automatic(quotes=True, invoices="confirmed")`: the settings of the bureau."""

    def put(*, quotes: bool = False, invoices: str = "never") -> None:
        values = {"automatic_quotes": quotes, "automatic_invoices": invoices}
        assert erp.put(seller["uri"], values).status_code == 204

    return put


@pytest.fixture
def order(make, customer, pending) -> dict:  # noqa: F811
    """An order with two line items that are pending."""
    row = make("order", bureau=customer["bureau"], name="Gears", customer=customer["uri"])
    row["items"] = [pending(quantity=quantity, order=row["uri"]) for quantity in (3, 2)]
    return row


@pytest.fixture
def accepted(erp, make, order):
    """`accepted()`: the order is quoted, and the quote accepted."""

    def accept() -> None:
        quote = make("quote", order=order["uri"])
        assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204

    return accept


def issued() -> list[tuple[str, float]]:
    """Type and gross amount of all documents."""
    return [(row.type, float(row.gross)) for row in Document.objects.order_by("pk")]


def reasons() -> list[tuple[str, str]]:
    rows = Notification.objects.filter(kind="document-not-issued")
    return [(row.data["document"], row.data["reason"]) for row in rows]


def test_quote_is_issued_with_its_number(make, automatic, order, run_jobs):
    automatic(quotes=True)
    make("quote", order=order["uri"])

    run_jobs()

    assert issued() == [("quote", 66.64)]
    assert Document.objects.get().status == "processed"
    issue_document(order["uri"].split("/")[-2], "quote")
    assert len(issued()) == 1


def test_new_quote_of_an_order_is_a_document_of_its_own(make, automatic, order, run_jobs):
    automatic(quotes=True)
    for _ in range(2):
        make("quote", order=order["uri"])
        run_jobs()

    assert [row.quote.status for row in Document.objects.order_by("pk")] == ["withdrawn", "open"]


def test_nothing_is_issued_by_default(selling, accepted, seller, run_jobs):  # noqa: F811
    accepted()
    run_jobs()

    assert issued() == []


def test_invoice_of_a_confirmed_order_is_issued_once(automatic, order, accepted, run_jobs):
    automatic(invoices="confirmed")
    accepted()

    run_jobs()
    for _ in range(2):
        issue_document(order["uri"].split("/")[-2], "invoice")

    assert issued() == [("invoice", 66.64)]
    assert reasons() == []


def test_invoice_waits_for_the_last_line_item(erp: HostClient, automatic, order, run_jobs):
    automatic(invoices="confirmed")
    first, second = order["items"]

    assert erp.put(first["uri"], {"status": "confirmed"}).status_code == 204
    run_jobs()
    assert issued() == []

    assert erp.put(second["uri"], {"status": "confirmed"}).status_code == 204
    run_jobs()
    assert issued() == [("invoice", 66.64)]


def test_invoice_is_issued_once_the_last_open_line_item_is_deleted(
    erp: HostClient, automatic, order, run_jobs
):
    automatic(invoices="confirmed")
    first, second = order["items"]
    assert erp.put(first["uri"], {"status": "confirmed"}).status_code == 204
    run_jobs()

    assert erp.delete(second["uri"]).status_code == 204
    run_jobs()

    assert issued() == [("invoice", 42.84)]


def test_line_item_after_the_invoice_is_left_to_a_person(
    erp: HostClient, automatic, order, accepted, pending, run_jobs
):
    automatic(invoices="confirmed")
    accepted()
    run_jobs()

    late = pending(quantity=1, order=order["uri"])
    assert erp.put(late["uri"], {"status": "confirmed"}).status_code == 204
    run_jobs()

    assert issued() == [("invoice", 66.64)]
    assert reasons() == [("invoice", "partly-invoiced")]


def test_order_without_taxes_is_left_to_a_person(
    erp: HostClient, make, automatic, order, accepted, run_jobs
):
    automatic(quotes=True, invoices="confirmed")
    (rule,) = erp.get("/tax-rule/").json()["resources"]
    assert erp.delete(rule["uri"]).status_code == 204
    make("quote", order=order["uri"])
    run_jobs()
    accepted()
    run_jobs()

    assert issued() == []
    assert set(reasons()) == {("invoice", "tax-unclear")}  # the last of the order that is unread
    assert Notification.objects.get(kind="document-not-issued").count == 2


@pytest.mark.parametrize(
    ("party", "values", "reason"),
    [("seller", {"vat_number": ""}, "seller-incomplete"), ("customer", {"address": ""}, "buyer")],
)
def test_invoice_without_a_party_is_left_to_a_person(
    erp: HostClient, request, automatic, accepted, run_jobs, party, values, reason
):
    automatic(invoices="confirmed")
    row = request.getfixturevalue(party)
    assert erp.put(row["uri"], values).status_code == 204
    accepted()

    run_jobs()

    assert issued() == []
    ((document, actual),) = reasons()
    assert (document, actual.startswith(reason)) == ("invoice", True)


def test_invoice_of_a_shipped_order_waits_for_its_last_shipment(
    erp: HostClient,
    make,
    automatic,
    customer,  # noqa: F811
    pending,
    run_jobs,
):
    automatic(invoices="shipped")
    row = make("order", bureau=customer["bureau"], name="Gears", customer=customer["uri"])
    sending = make("shipping", bureau=customer["bureau"], name="Pick-up")
    stock = make("workflow", bureau=customer["bureau"], name="From stock")
    make("process-step", workflow=stock["uri"], step_position=1, process_type=sending["uri"])
    item = pending(quantity=2, order=row["uri"], workflow=stock["uri"])
    assert erp.put(item["uri"], {"status": "confirmed"}).status_code == 204
    one = [{"line_item": item["uri"], "quantity": 1}]

    make("shipment", order=row["uri"], lines=one, status="shipped")
    run_jobs()
    assert issued() == []

    make("shipment", order=row["uri"], status="shipped")
    run_jobs()
    assert [kind for kind, _ in issued()] == ["invoice"]
    assert reasons() == []


def test_unknown_moment_is_refused(erp: HostClient, seller):  # noqa: F811
    answer = erp.put(seller["uri"], {"automatic_invoices": "sometimes"})

    assert answer.status_code == 400
    assert erp.get(seller["uri"]).json()["automatic_invoices"] == "never"

"""Bank accounts of bureaus, and payments of orders: recorded, reversed, seen by the customer."""

from datetime import timedelta

import pytest
from django.utils import timezone
from segno.helpers import _make_epc_qr_data  # type: ignore[attr-defined]  # private

from apps.callbacks.models import Event
from apps.erp.models import Bureau, Order, Quote
from tests.conftest import HostClient
from tests.erp.test_order_totals import selling  # noqa: F401  fixture
from tests.erp.test_prices import refused

IBAN = "DE89370400440532013000"


@pytest.fixture
def account(make, bureau) -> dict:
    return make(
        "bank-account", bureau=bureau["uri"], account_holder="Parts & Sons", iban=IBAN, bic=""
    )


@pytest.fixture
def order(erp, make, bureau, pending, selling, made_once) -> dict:  # noqa: F811
    """A confirmed order of two parts: 30.94 EUR with tax."""
    return made_once("confirmed order", lambda: _order(erp, make, bureau, pending))


def _order(erp, make, bureau, pending) -> dict:
    order = make("order", bureau=bureau["uri"], name="Gears")
    pending(quantity=2, order=order["uri"])
    quote = make("quote", order=order["uri"])
    assert erp.put(quote["uri"], {"status": "accepted"}).status_code == 204
    return order


@pytest.fixture
def link(erp, make, order) -> str:
    """The path of the order for its customer."""
    made = make("share-link", order=order["uri"])
    token = erp.post(f"{made['uri']}link/", {}).json()["token"]
    return f"/shared-order/{token}/"


@pytest.fixture
def pay(erp, order):
    """`pay(...)`: the answer to a payment of the order."""
    return lambda **values: erp.post("/order-payment/", {"order": order["uri"], **values})


def state_of(erp, order: dict) -> dict:
    return erp.get(order["uri"]).json()["payment"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("iban", "DE89370400440532013001"),
        ("iban", "DE8937040044053201300"),
        ("iban", "XX89370400440532013000"),
        ("iban", "²E89370400440532013000"),
        ("bic", "COBADEF"),
        ("bic", "COBA12FFXXX"),
        ("term_days", 366),
        ("account_holder", "x" * 71),
    ],
)
def test_account_is_checked(erp: HostClient, bureau, field, value):
    body = {"bureau": bureau["uri"], "account_holder": "Parts & Sons", "iban": IBAN}

    answer = erp.post("/bank-account/", body | {field: value})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


def test_account_is_stored_without_blanks_once_a_bureau(erp: HostClient, bureau):
    body = {
        "bureau": bureau["uri"],
        "account_holder": "Parts\n& Sons",
        "iban": "de89 3704 0044 0532 0130 00",
        "bic": "cobadeffxxx",
    }

    row = erp.post("/bank-account/", body).json()

    assert (row["iban"], row["bic"], row["term_days"]) == (IBAN, "COBADEFFXXX", 14)
    assert row["account_holder"] == "Parts & Sons"
    again = erp.post("/bank-account/", body)
    assert refused(again) == {("resource-exists", None)}
    assert erp.put(row["uri"], row).status_code == 204


def test_only_sellers_see_accounts_and_payments(client_of, member, account, order, pay):
    payment = pay().json()
    client = client_of("erp", member)

    assert client.get(account["uri"]).status_code == 404
    assert client.get(payment["uri"]).status_code == 404
    assert client.get("/order-payment/").json()["resources"] == []
    assert client.post("/order-payment/", {"order": order["uri"]}).status_code == 403
    assert client.get(order["uri"]).json()["payment"] is None


def test_order_is_paid_by_what_is_open(erp: HostClient, order, pay):
    assert state_of(erp, order) == {"status": "open", "paid": 0, "open": 30.94}

    part = pay(amount=19, paid_on="2026-01-31", note="First part").json()
    rest = pay().json()

    assert (part["amount"], part["paid_on"], part["note"]) == (19, "2026-01-31", "First part")
    assert (rest["amount"], rest["paid_on"]) == (11.94, timezone.now().date().isoformat())
    assert state_of(erp, order) == {"status": "paid", "paid": 30.94, "open": 0}
    assert refused(pay()) == {("nothing-open", "amount")}


def test_reversal_opens_the_order_again_once(erp: HostClient, order, pay):
    payment = pay().json()["uri"]

    reversal = pay(reverses=payment)

    assert (reversal.status_code, reversal.json()["amount"]) == (201, 30.94)
    assert state_of(erp, order) == {"status": "open", "paid": 0, "open": 30.94}
    for uri in (payment, reversal.json()["uri"]):
        assert refused(pay(reverses=uri)) == {("payment-reversed", "reverses")}
    assert pay().status_code == 201
    events = Event.objects.filter(type__startswith="order-payment.").order_by("position")
    assert [(event.type, event.changes["payment"]) for event in events] == [
        ("order-payment.received", "paid"),
        ("order-payment.reversed", "open"),
        ("order-payment.received", "paid"),
    ]


def test_payments_never_change(erp: HostClient, make, bureau):
    order = make("order", bureau=bureau["uri"], name="Advance")
    uri = make("order-payment", order=order["uri"], amount=5)["uri"]

    assert erp.put(uri, {"note": "x"}).status_code == 405
    assert erp.delete(uri).status_code == 405
    assert erp.delete(order["uri"]).status_code == 409


def test_payment_is_checked(erp: HostClient, make, bureau, order, pay):
    other = make("order", bureau=bureau["uri"], name="Other")
    payment = pay(amount=19).json()
    tomorrow = (timezone.now() + timedelta(days=2)).date().isoformat()
    values = "property-value-not-in-allowed-values"

    assert refused(pay(amount=1.005)) == {(values, "amount")}
    assert refused(pay(amount=5, paid_on=tomorrow)) == {(values, "paid_on")}
    assert refused(pay(amount=5, reverses=payment["uri"])) == {(values, "amount")}
    elsewhere = {"order": other["uri"], "reverses": payment["uri"]}
    assert refused(erp.post("/order-payment/", elsewhere)) == {(values, "reverses")}
    assert refused(erp.post("/order-payment/", {"order": other["uri"]})) == {
        ("nothing-open", "amount")
    }
    assert pay(amount=0).status_code == 400


def test_customer_sees_how_to_pay_and_that_it_is_paid(client_of, account, order, link, pay):
    sales = client_of("sales")
    accepted = timezone.now().date()

    payment = sales.get(link).json()["order"]["payment"]

    assert payment == {
        "status": "open",
        "paid": 0,
        "open": 30.94,
        "reference": "Order 1",
        "due": (accepted + timedelta(days=14)).isoformat(),
        "account": {"account_holder": "Parts & Sons", "iban": IBAN, "bic": "", "term_days": 14},
        "epc": f"BCD\n002\n1\nSCT\n\nParts & Sons\n{IBAN}\nEUR30.94\n\n\nOrder 1",
        "prepayment": False,
        "card": None,
    }
    by_segno = _make_epc_qr_data("Parts & Sons", IBAN, "30.94", text="Order 1", encoding=1)
    assert payment["epc"].encode() == by_segno

    pay()
    payment = sales.get(link).json()["order"]["payment"]
    assert (payment["status"], payment["open"]) == ("paid", 0)
    assert (payment["account"], payment["epc"]) == (None, None)


def test_reference_is_in_the_language_of_the_bureau(client_of, account, link):
    Bureau.objects.update(language="de")

    assert client_of("sales").get(link).json()["order"]["payment"]["reference"] == "Auftrag 1"


def test_other_currencies_have_no_code_and_no_account_no_way_to_pay(client_of, account, link):
    sales = client_of("sales")
    Quote.objects.update(currency="USD")
    assert sales.get(link).json()["order"]["payment"]["epc"] is None
    Order.objects.update(status="new")
    assert sales.get(link).json()["order"]["payment"] is None

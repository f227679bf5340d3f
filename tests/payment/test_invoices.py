"""Charges, and the invoices that they gather on."""

import csv
import io
from decimal import Decimal

import pytest
from django.db import DatabaseError, transaction

from apps.callbacks import interface as callbacks
from apps.payment import actors
from apps.payment import interface as payment
from apps.payment.models import Charge, Invoice, InvoiceEvent, Price
from tests.payment.conftest import DECEMBER, LATE


def charge(owner, number: int, *, ends: str = "recorded", namespace="slicing", action="slice"):
    source = f"http://slicing.platform.test/slice/{number}/"
    payment.authorise(owner=owner, namespace=namespace, action=action, source=source)
    if ends == "recorded":
        payment.record(source=source)
    elif ends == "released":
        payment.release(source=source)
    return source


def test_invoice_contains_only_recorded_charges(client_of, payer, person, at):
    payer(person)
    first = charge(person, 1)
    charge(person, 2, ends="released")
    charge(person, 3, ends="authorised")
    second = charge(person, 4)

    (invoice,) = client_of("payment", person).get("/invoice/").json()["resources"]

    assert [entry["source"] for entry in invoice["charges"]] == [first, second]
    assert invoice["charges"][0] == {
        "uuid": invoice["charges"][0]["uuid"],
        "namespace": "slicing",
        "action": "slice",
        "type": "per-use",
        "source": first,
        "amount": 1.5,
        "currency": "EUR",
        "cost_centre": None,
        "invoice_uuid": invoice["uri"].split("/")[-2],
    }
    assert invoice["cost"] == {"amount": 3.0, "currency": "EUR"}
    assert (invoice["month"], invoice["status"], invoice["issued"]) == ("2026-11", "unpaid", None)
    assert invoice["due"] == "2026-12-15T23:59:59+00:00"
    assert (invoice["taxes"], invoice["payment_uuid"]) == ([], None)
    assert invoice["user_uri"] == person.uri


def test_charging_is_idempotent_per_source(payer, person, at):
    payer(person)
    source = charge(person, 1)

    payment.authorise(owner=person, namespace="slicing", action="slice", source=source)
    payment.record(source=source)
    payment.release(source=source)

    (made,) = payment.charges_of(sources=[source], user=person)
    assert (made.status, made.amount) == ("recorded", Decimal("1.5"))


def test_released_charge_can_be_authorised_again(payer, person, at):
    payer(person)
    source = charge(person, 1, ends="released")

    charge(person, 1)

    made = payment.charges_of(sources=[source], user=person)
    assert [row.status for row in made] == ["released", "recorded"]


@pytest.mark.parametrize(
    ("amount", "currency", "recorded"),
    [(0.125, "EUR", "0.12"), (0.135, "EUR", "0.14"), (2.5, "JPY", "2"), (0.0625, "BHD", "0.062")],
)
def test_amounts_are_rounded_half_even_to_currency_digits(
    payer, price, person, at, amount, currency, recorded
):
    price(5, currency=currency)
    Price.objects.update(amount=Decimal(str(amount)))  # from before such prices were refused
    payer(person)

    charge(person, 1)

    assert Charge.objects.get().amount == Decimal(recorded)


def test_closing_a_month_issues_its_invoices_once(client_of, payer, person, at):
    payer(person)
    charge(person, 1)
    at(DECEMBER)

    actors.settle_invoices.fn()
    issued = client_of("payment", person).get("/invoice/").json()["resources"]
    actors.settle_invoices.fn()

    assert issued[0]["issued"] == "2026-12-01T00:05:00+00:00"
    assert client_of("payment", person).get("/invoice/").json()["resources"] == issued
    assert [event.action for event in InvoiceEvent.objects.all()] == ["issued"]


def test_charge_recorded_after_the_close_is_on_the_next_invoice(client_of, payer, person, at):
    payer(person)
    charge(person, 1)
    source = charge(person, 2, ends="authorised")
    at(DECEMBER)
    actors.settle_invoices.fn()

    payment.record(source=source)

    found = client_of("payment", person).get("/invoice/?sort=month").json()["resources"]
    assert [(row["month"], row["cost"]["amount"]) for row in found] == [
        ("2026-11", 1.5),
        ("2026-12", 1.5),
    ]


def test_only_unpaid_invoice_becomes_overdue(client_of, payer, person, stranger, operator, at):
    payer(person)
    payer(stranger)
    charge(person, 1)
    charge(stranger, 2)
    at(DECEMBER)
    actors.settle_invoices.fn()
    uri = client_of("payment", stranger).get("/invoice/").json()["resources"][0]["uri"]

    by_its_user = client_of("payment", stranger).put(uri, {"status": "paid"})
    by_an_operator = client_of("payment", operator).put(uri, {"status": "paid"})
    again = client_of("payment", operator).put(uri, {"status": "unpaid"})
    at(LATE)
    actors.settle_invoices.fn()

    (own,) = client_of("payment", person).get("/invoice/").json()["resources"]
    paid = client_of("payment", stranger).get(uri).json()
    assert (by_its_user.status_code, by_an_operator.status_code) == (403, 204)
    assert again.status_code == 400
    assert (own["status"], own["payment_uuid"]) == ("overdue", None)
    assert paid["status"] == "paid"
    assert len(paid["payment_uuid"]) == 36


def test_invoice_emits_overdue_and_paid_events_to_its_user(
    client_of, payer, person, stranger, operator, at
):
    payer(person)
    charge(person, 1)
    uri = client_of("payment", person).get("/invoice/").json()["resources"][0]["uri"]
    for moment in (DECEMBER, LATE, LATE):
        at(moment)
        actors.settle_invoices.fn()

    client_of("payment", operator).put(uri, {"status": "paid"})

    events = callbacks.events_after(owner_id=person.pk, position=0, limit=100)
    number = client_of("payment", person).get(uri).json()["payment_uuid"]
    assert [(event.type, event.uri, event.changes) for event in events] == [
        ("invoice.overdue", uri, {"status": "overdue"}),
        ("invoice.paid", uri, {"status": "paid", "payment_uuid": number}),
    ]
    assert callbacks.events_after(owner_id=stranger.pk, position=0, limit=100) == []


def test_open_invoice_cannot_be_paid(client_of, payer, person, operator, at):
    payer(person)
    charge(person, 1)
    uri = client_of("payment", person).get("/invoice/").json()["resources"][0]["uri"]

    answer = client_of("payment", operator).put(uri, {"status": "paid"})

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "not-payable"


def test_correction_is_a_negative_charge_on_the_next_invoice(
    client_of, payer, person, operator, at
):
    payer(person)
    charge(person, 1)
    at(DECEMBER)
    actors.settle_invoices.fn()
    uri = client_of("payment", person).get("/charge/").json()["resources"][0]["uri"]
    back = {"corrects": uri, "amount": 1.0}

    by_its_user = client_of("payment", person).post("/charge/", back)
    made = client_of("payment", operator).post("/charge/", back)
    too_much = client_of("payment", operator).post("/charge/", back)

    november, december = (
        client_of("payment", person).get("/invoice/?sort=month").json()["resources"]
    )
    assert (by_its_user.status_code, made.status_code, too_much.status_code) == (403, 201, 400)
    assert (made.json()["amount"], made.json()["corrects"]) == (-1.0, uri)
    assert "at most 0.50 EUR" in too_much.json()["errors"][0]["title"]
    assert (november["cost"]["amount"], december["cost"]["amount"]) == (1.5, -1.0)


def test_correction_with_too_many_digits_for_its_currency_is_rejected(
    client_of, payer, person, operator
):
    payer(person)
    charge(person, 1)
    uri = client_of("payment", person).get("/charge/").json()["resources"][0]["uri"]

    answer = client_of("payment", operator).post("/charge/", {"corrects": uri, "amount": 0.005})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "amount"
    assert "the digits that EUR has" in answer.json()["errors"][0]["title"]


@pytest.mark.parametrize(
    "change",
    [
        lambda: Invoice.objects.update(due=LATE),
        lambda: Invoice.objects.all()._raw_delete("default"),
        lambda: Charge.objects.update(amount=1),
        lambda: Charge.objects.all()._raw_delete("default"),
        lambda: InvoiceEvent.objects.update(note="x"),
    ],
)
def test_database_rejects_changes_to_issued_invoices_and_charges(payer, person, at, change):
    payer(person)
    charge(person, 1)
    at(DECEMBER)
    actors.settle_invoices.fn()

    with pytest.raises(DatabaseError, match="never|nothing but"), transaction.atomic():
        change()


def test_missing_invoice_and_invoice_of_another_user_return_the_same_404(
    client_of, payer, person, stranger, at
):
    payer(person)
    charge(person, 1)
    uri = client_of("payment", person).get("/invoice/").json()["resources"][0]["uri"]
    absent = "/invoice/01a1fe8b-701d-7002-a193-fe3a9263b851/"

    answers = [client_of("payment", stranger).get(path) for path in (uri, absent)]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].json() == answers[1].json()
    assert answers[0].json()["errors"][0]["code"] == "PaymentStatusNotFound"
    assert client_of("payment", stranger).get("/charge/").json()["resources"] == []


def test_charges_and_invoices_are_filtered_and_paginated(client_of, payer, person, operator, at):
    payer(person)
    for number in range(5):
        charge(person, number, ends="recorded" if number % 2 else "released")
    client = client_of("payment", person)

    def count(query: str) -> int:
        return client.get(query).json()["meta"]["count"]

    assert count("/charge/?filter[status]=recorded") == 2
    assert count("/charge/?filter[source]=http://slicing.platform.test/slice/1/") == 1
    assert count("/charge/?filter[amount]>2") == 0
    assert count("/invoice/?filter[month]=2026-11") == 1
    assert count("/invoice/?filter[month]<2026-11") == 0
    assert client.get("/invoice/?filter[month]=soon").status_code == 400
    assert client.get("/charge/?filter[invoice_uuid]=soon").status_code == 400
    assert client.get("/charge/?page[limit]=2").json()["links"]["next"]


def test_charges_and_invoices_are_exported_as_csv(client_of, payer, person, stranger, at):
    payer(person)
    source = charge(person, 1)

    def table(user, path: str) -> list[dict]:
        answer = client_of("payment", user).get(path)
        assert answer["Content-Type"] == "text/csv; charset=utf-8"
        return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))

    (own,) = table(person, "/charges.csv?filter[status]=recorded")
    (invoice,) = table(person, "/invoices.csv")

    assert (own["source"], Decimal(own["amount"]), own["currency"]) == (
        source,
        Decimal("1.5"),
        "EUR",
    )
    assert (invoice["month"], invoice["amount"], invoice["charges"]) == ("2026-11", "1.50", "1")
    assert table(stranger, "/charges.csv") == []


def test_monthly_ceiling_includes_authorised_charges(payer, person, at):
    payer(person, per_month=3, currency="EUR")
    charge(person, 1)
    charge(person, 2, ends="authorised")

    with pytest.raises(payment.PaymentRequired, match="3.00 EUR a month, of which 3.00 EUR"):
        with transaction.atomic():
            charge(person, 3)

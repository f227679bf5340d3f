"""Prices, consents, and whether an action may be charged."""

import pytest
from django.db import transaction

from apps.payment import interface as payment
from apps.payment.models import Price
from tests.conftest import A_SLICE


def status_of(client) -> dict:
    (found,) = client.get("/payment-status/").json()["resources"]
    return found


def test_payment_status_list_is_empty_without_prices(client_of, person):
    assert client_of("payment", person).get("/payment-status/").json()["resources"] == []


def test_payment_status_lists_missing_requirements_until_ok(client_of, person, operator, price):
    client = client_of("payment", person)
    price(1.5)

    first = status_of(client)
    client.post("/consent/", {**A_SLICE, "consented": True, "user_uri": person.uri})
    second = status_of(client)
    method = {"user_uri": person.uri, "type": "manual"}
    client_of("payment", operator).post("/payment-method/", method)
    third = client.get(first["uri"]).json()

    assert first == {
        "uri": first["uri"],
        "namespace": "slicing",
        "action": "slice",
        "service": None,
        "consented": False,
        "cost": {"amount": 1.5, "currency": "EUR"},
        "details": "slicing/slice costs 1.50 EUR each: agree to it with a POST to /consent/. "
        "Also add a valid method of payment with a POST to /payment-method/.",
        "status": "consent-required",
        "type": "per-use",
        "user_uri": person.uri,
    }
    assert (second["status"], second["consented"]) == ("method-of-payment-required", True)
    assert second["details"].endswith(
        "add a valid method of payment with a POST to /payment-method/."
    )
    assert (third["status"], third["uri"]) == ("ok", first["uri"])


@pytest.mark.parametrize(
    ("ceilings", "status"),
    [
        ({}, "ok"),
        ({"per_charge": 1.5, "currency": "EUR"}, "ok"),
        ({"per_charge": 1.49, "currency": "EUR"}, "consent-required"),
        ({"per_month": 1.5, "currency": "eur"}, "ok"),
        ({"per_month": 1, "currency": "EUR"}, "consent-required"),
        ({"per_month": 100, "currency": "USD"}, "consent-required"),
    ],
)
def test_price_above_consent_ceiling_requires_new_consent(
    client_of, person, payer, price, ceilings, status
):
    price(1.5)
    payer(person, **ceilings)
    client = client_of("payment", person)

    found = status_of(client)
    filtered = client.get(f"/payment-status/?filter[status]={status}").json()["resources"]

    assert found["status"] == status
    assert filtered == [found]
    assert ("consent" in found["details"]) == (status != "ok")


def test_newest_consent_applies_and_deletion_restores_no_older_one(client_of, person, payer):
    payer(person)
    client = client_of("payment", person)
    body = {**A_SLICE, "consented": False, "user_uri": person.uri}

    refused = client.post("/consent/", body).json()
    after_no = status_of(client)["status"]
    client.put(refused["uri"], {"consented": True})
    after_change = status_of(client)["status"]
    client.delete(refused["uri"])
    after_all = status_of(client)["status"]

    assert (after_no, after_change, after_all) == ("consent-required", "ok", "consent-required")
    assert client.get("/consent/").json()["resources"] == []


def test_consent_for_another_user_is_rejected(client_of, person, operator):
    body = {**A_SLICE, "consented": True, "user_uri": person.uri}

    answer = client_of("payment", operator).post("/consent/", body)

    assert answer.status_code == 403
    assert answer.json()["errors"][0]["field"] == "user_uri"


def test_consent_ceiling_requires_a_currency(client_of, person):
    body = {**A_SLICE, "consented": True, "user_uri": person.uri, "per_month": 5}

    answer = client_of("payment", person).post("/consent/", body)

    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {
            "code": "missing-parameter",
            "title": "A ceiling needs a currency, such as EUR.",
            "field": "currency",
        }
    ]


def test_price_validation_errors_are_returned_together(client_of, operator):
    body = {"action": "slice", "amount": -1, "currency": "EURO", "typo": 1}

    errors = client_of("payment", operator).post("/price/", body).json()["errors"]

    assert {error["field"] for error in errors} == {"namespace", "amount", "currency", "typo"}


def test_prices_are_set_by_administrators_and_unique_per_action(client_of, person, operator, price):
    first = price()
    body = {**A_SLICE, "amount": 2, "currency": "EUR"}

    by_a_person = client_of("payment", person).post("/price/", body)
    again = client_of("payment", operator).post("/price/", body)
    client_of("payment", operator).delete(first["uri"])
    after_deletion = client_of("payment", operator).post("/price/", body)

    assert (by_a_person.status_code, again.status_code) == (403, 409)
    assert again.json()["errors"][0]["code"] == "price-exists"
    assert after_deletion.status_code == 201
    assert client_of("payment", person).get(after_deletion["Location"]).json()["amount"] == 2


def test_price_of_a_service_overrides_price_of_its_type(client_of, operator, person, price):
    body = {"name": "Mender", "type": "model-healing", "service_url": "http://127.0.0.1:9999/"}
    healer = client_of("integrations", operator).post("/service/", body).json()["uri"]
    kind = {"namespace": "integrations", "action": "model-healing"}
    price(1, **kind)
    price(5, **kind, service=healer)

    amounts = [
        Price.objects.of(**kind, service=service).get().amount for service in (healer, "", "other")
    ]

    assert amounts == [5, 1, 1]


def test_unpriced_action_is_not_charged(person):
    payment.authorise(owner=person, namespace="slicing", action="slice", source="http://a/slice/1/")

    assert payment.charges_of(sources=["http://a/slice/1/"], user=person) == []


def test_unauthorised_charge_returns_402_with_payment_status(client_of, person, price):
    price()

    with pytest.raises(payment.PaymentRequired) as rejection, transaction.atomic():
        payment.authorise(owner=person, namespace="slicing", action="slice", source="http://a/1/")

    (told,) = rejection.value.entries()
    status = client_of("payment", person).get(told["details"]["payment_status"]).json()
    assert (rejection.value.status, told["code"]) == (402, "payment-required")
    assert told["title"] == status["details"]
    assert told["details"]["status"] == status["status"] == "consent-required"


def test_payment_resources_are_hidden_from_strangers(client_of, person, stranger, payer):
    payer(person)
    own = client_of("payment", person)
    uris = [
        own.get(path).json()["resources"][0]["uri"]
        for path in ("/payment-status/", "/consent/", "/payment-method/")
    ]

    seen = [client_of("payment", stranger).get(uri).status_code for uri in uris]
    changed = [
        client_of("payment", stranger).put(uris[1], {"consented": False}).status_code,
        client_of("payment", stranger).delete(uris[1]).status_code,
        client_of("payment", stranger).delete(uris[2]).status_code,
    ]

    assert seen == [404, 404, 404]
    assert changed == [404, 404, 404]

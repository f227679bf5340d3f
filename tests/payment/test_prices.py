"""Prices: what operators set, and send back."""

import pytest

from apps.payment.models import Charge, PaymentMethod
from apps.payment.services import charges
from tests.conftest import A_SLICE

NOBODYS = "http://integrations.platform.test/service/01a1fe8b-701d-7002-a193-fe3a9263b851/"


@pytest.fixture
def payment(client_of, operator):
    return client_of("payment", operator)


@pytest.fixture
def mender(client_of, operator) -> dict:
    """A service of the catalogue."""
    body = {"name": "Mender", "type": "model-healing", "service_url": "http://127.0.0.1:9999/"}
    return client_of("integrations", operator).post("/service/", body).json()


@pytest.mark.parametrize("of_a_service", [True, False])
def test_put_of_price_get_response_is_accepted(payment, mender, price, of_a_service):
    kind = {"namespace": "integrations", "action": "model-healing"}
    made = price(2.5, **kind, **({"service": mender["uri"]} if of_a_service else {}))

    answer = payment.put(made["uri"], made)

    assert (answer.status_code, answer.content) == (204, b"")
    assert payment.get(made["uri"]).json() == made | {
        "updated": payment.get(made["uri"]).json()["updated"]
    }


def test_service_of_a_price_cannot_be_changed(payment, mender, price):
    made = price(2.5)

    answer = payment.put(made["uri"], {"service": mender["uri"]})

    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == ("cannot-set-property", "service")


@pytest.mark.parametrize("service", [NOBODYS, "http://a.example/", "mender"])
def test_price_for_missing_service_is_rejected(payment, service):
    body = {"namespace": "integrations", "action": "model-healing", "amount": 1, "currency": "EUR"}

    answer = payment.post("/price/", {**body, "service": service})

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"], error["field"]) == (
        400,
        "resource-not-found",
        "service",
    )


@pytest.mark.parametrize(
    ("currency", "fine", "beyond"), [("EUR", 1.25, 1.255), ("JPY", 3, 3.5), ("BHD", 0.125, 0.1255)]
)
def test_price_with_too_many_digits_for_its_currency_is_rejected(
    client_of, operator, price, currency, fine, beyond
):
    root = client_of("payment", operator)
    made = price(fine, currency=currency)

    for answer in (
        root.post(
            "/price/",
            {"namespace": "slicing", "action": "other", "amount": beyond, "currency": currency},
        ),
        root.put(made["uri"], {"amount": beyond}),
    ):
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["field"]) == (400, "amount")
        assert error["code"] == "property-value-not-in-allowed-values"
    assert root.get(made["uri"]).json()["amount"] == fine


def test_fractional_price_cannot_change_to_zero_decimal_currency(client_of, operator, price):
    root = client_of("payment", operator)

    answer = root.put(price(1.5)["uri"], {"currency": "JPY"})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "amount")


def test_charge_copies_the_cost_centre_of_its_consent(client_of, person, price):
    price()
    payment = client_of("payment", person)
    body = {**A_SLICE, "consented": True, "user_uri": person.uri, "cost_centre": "R&D 4711"}
    consent = payment.post("/consent/", body).json()
    PaymentMethod.objects.create(owner=person, type="manual", status="active")
    charges.authorise(owner=person, source="http://slicing.platform.test/slice/1/", **A_SLICE)

    assert payment.put(consent["uri"], {"cost_centre": ""}).status_code == 204
    charges.authorise(owner=person, source="http://slicing.platform.test/slice/2/", **A_SLICE)

    assert consent["cost_centre"] == "R&D 4711"
    assert payment.get(consent["uri"]).json()["cost_centre"] is None
    found = Charge.objects.order_by("uuid").values_list("cost_centre", flat=True)
    assert list(found) == ["R&D 4711", ""]

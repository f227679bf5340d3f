"""Operations that cost something: charged when they succeed, and never otherwise."""

import json

import pytest

from apps.integrations.models import Operation

HEAL = {"namespace": "integrations", "action": "model-healing"}
RESULT = {"type": "stl"}


@pytest.fixture
def paid(client_of, operator, person, price):
    """Healing costs something, and the person pays."""
    price(2, **HEAL)
    consent = {**HEAL, "consented": True, "user_uri": person.uri}
    assert client_of("payment", person).post("/consent/", consent).status_code == 201
    method = {"user_uri": person.uri, "type": "manual"}
    assert client_of("payment", operator).post("/payment-method/", method).status_code == 201


@pytest.fixture
def charges(client_of, person):
    """The charges on the payment host: source -> status."""

    def look() -> dict[str, str]:
        listed = client_of("payment", person).get("/charge/").json()["resources"]
        return {row["source"]: row["status"] for row in listed}

    return look


def test_operation_without_consent_is_rejected(catalogue, integrations, part, price):
    price(2, **HEAL)
    body = {"service": catalogue()["uri"], "inputs": {"model": part["uri"]}, "parameters": {}}

    answer = integrations.post("/operation/", body)

    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (402, "payment-required")
    assert not Operation.objects.exists()


def test_operation_is_charged_only_on_success(
    paid, catalogue, order, answering, integrations, run_jobs, cube, charges
):
    service = catalogue()
    good, rubbish, refused, cancelled = (order(service) for _ in range(4))
    run_jobs()
    jobs = {
        job_of(request)["operation"]: request for request in answering(service).provider.requests
    }
    before = charges()

    def at(operation):
        provider = answering(service)
        provider.provider.requests.append(jobs[operation])
        return provider

    at(good).upload(cube)
    at(good).report(status="complete", result=RESULT)
    at(rubbish).upload(b"rubbish")
    at(rubbish).report(status="complete", result=RESULT)
    at(refused).report(status="error", outputs={"title": "No.", "code": "No"})
    integrations.put(cancelled, {"status": "error"})
    judging = charges()[good]
    run_jobs()

    assert set(before.values()) == {"authorised"}
    assert judging == "authorised"
    assert charges() == {
        good: "recorded",
        rubbish: "released",
        refused: "released",
        cancelled: "released",
    }


def test_price_of_a_service_overrides_price_of_its_type(
    paid,
    catalogue,
    order,
    price,
    client_of,
    person,
):
    dear, plain = catalogue(name="Dear"), catalogue(name="Plain")
    price(9, **HEAL, service=dear["uri"])

    order(dear)
    order(plain)

    listed = client_of("payment", person).get("/charge/?sort=created").json()["resources"]
    assert [row["amount"] for row in listed] == [9, 2]


def job_of(request) -> dict:
    return json.loads(request.body)

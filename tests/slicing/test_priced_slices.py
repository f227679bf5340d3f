"""Slices that cost something: asked before, charged after, and never for nothing."""

import pytest

from apps.slicing.models import Slice


@pytest.fixture
def paying(client_of, person):
    """The charges on the payment host, as (source, status)."""

    def look() -> list[tuple[str, str]]:
        listed = client_of("payment", person).get("/charge/?sort=created").json()["resources"]
        return [(row["source"], row["status"]) for row in listed]

    return look


def test_slice_without_consent_requires_payment_and_is_not_created(
    slicing,
    config,
    part,
    price,
):
    price(1.5)
    order = {"model": part["uri"], "config": config["uri"]}

    answer = slicing.post("/slice/", order)
    preview = slicing.post("/slice/?dry_run=true", order).json()

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"]) == (402, "payment-required")
    assert error["details"]["status"] == "consent-required"
    assert not Slice.objects.exists()
    assert (preview["accepted"], preview["refusals"]) == (False, [error])
    assert preview["cost"] == {"amount": 1.5, "currency": "EUR"}


@pytest.mark.engine
def test_slice_is_charged_when_processed_and_an_equal_one_is_not(
    slicing,
    config,
    part,
    payer,
    person,
    paying,
    run_jobs,
):
    payer(person)
    order = {"model": part["uri"], "config": config["uri"]}

    first = slicing.post("/slice/", order).json()["uri"]
    before = paying()
    run_jobs()
    second = slicing.post("/slice/", order).json()["uri"]
    run_jobs()

    assert before == [(first, "authorised")]
    assert slicing.get(second).json()["status"] == "processed"
    assert paying() == [(first, "recorded"), (second, "released")]


def test_cancelled_or_rejected_slice_is_not_charged(
    slicing,
    config,
    uploaded,
    client_of,
    person,
    payer,
    paying,
    run_jobs,
    cube,
):
    payer(person)
    waiting = client_of("models", person).post("/model/", {"name": "late"}).json()
    tiny = uploaded(cube.replace(cube[84:], b"")[:80] + (0).to_bytes(4, "little"))

    cancelled = slicing.post("/slice/", {"model": waiting["uri"], "config": config["uri"]}).json()
    slicing.delete(cancelled["uri"])
    refused = slicing.post("/slice/", {"model": tiny["uri"], "config": config["uri"]})

    assert refused.status_code == 409
    assert paying() == [(cancelled["uri"], "released")]


@pytest.mark.engine
def test_equal_slice_is_free_only_if_one_was_paid_for_and_dry_run_agrees(
    slicing, client_of, stranger, config, part, price, payer, person, paying, run_jobs
):
    order = {"model": part["uri"], "config": config["uri"]}

    def quoted(client) -> dict | None:
        return client.post("/slice/?dry_run=true", order).json()["cost"]

    slicing.post("/slice/", order)
    run_jobs()
    unpriced = quoted(slicing)
    price(1.5)
    payer(person)
    made = []
    for _ in range(2):
        cost = quoted(slicing)
        made.append((slicing.post("/slice/", order).json()["uri"], cost["amount"]))
        run_jobs()
    for uri, namespace in ((part["uri"], "models"), (config["uri"], "slicing")):
        body = {"holder": stranger.uri, "namespace": namespace, "object": uri, "right": "read"}
        assert client_of("users", person).post("/permissions/", body).status_code == 201

    assert unpriced is None
    assert [amount for _, amount in made] == [1.5, 0]
    assert paying() == [(made[0][0], "recorded"), (made[1][0], "released")]
    assert quoted(client_of("slicing", stranger)) == {"amount": 1.5, "currency": "EUR"}

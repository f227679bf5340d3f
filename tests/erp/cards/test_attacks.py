"""What strangers, customers and other shops send to the webhook of a shop."""

import json

import pytest

from apps.erp.models import CardCheckout
from tests.erp.test_prices import refused
from tests.stripe_server import KEY, SECRET, signature_of

pytestmark = pytest.mark.django_db

OTHER_SECRET = "whsec_OfAnotherShop0123"  # noqa: S105


@pytest.fixture
def paid(begin, stripe, account) -> bytes:
    """An event of a payment, which was not sent yet."""
    assert begin().status_code == 201
    return stripe.event("checkout.session.completed", stripe.pay())


@pytest.fixture
def other(erp, make) -> dict:
    """Another shop with a Stripe account of its own."""
    bureau = make("bureau", name="Other")
    body = {"secret_key": KEY, "webhook_secret": OTHER_SECRET, "enabled": True}
    assert erp.post("/card-account/", {"bureau": bureau["uri"], **body}).status_code == 201
    return bureau


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "t=1,v1=00",
        "v1=00",
        "t=x,v1=00",
        "t=99999999999999999999999999,v1=00",
        "t=1,v1=\xff",
        "t=1,v0=00",
        "=,=,=",
        "t=" + "9" * 5000 + ",v1=00",
    ],
)
def test_forged_signature_is_refused(send, paid, payments, signature):
    answer = send(paid, signature)

    assert (answer.status_code, refused(answer)) == (403, {("invalid-signature", None)})
    assert payments() == []


def test_signature_of_another_body_is_refused(send, paid, payments):
    event = json.loads(paid)
    event["data"]["object"]["amount_total"] = 1

    answer = send(json.dumps(event).encode(), signature_of(paid))

    assert (answer.status_code, payments()) == (403, [])


def test_old_signature_is_refused(send, paid, payments):
    answer = send(paid, signature_of(paid, age=301))

    assert (answer.status_code, payments()) == (403, [])


def test_replayed_event_changes_nothing(erp, order, send, paid, payments):
    signature = signature_of(paid)
    for _ in range(3):
        assert send(paid, signature).status_code == 204
    uri = payments()[0]["uri"]
    erp.post("/order-payment/", {"order": order["uri"], "reverses": uri})

    assert send(paid, signature).status_code == 204

    assert len(payments()) == 2


def test_secret_of_another_shop_signs_nothing_here(send, paid, other, payments):
    answer = send(paid, signature_of(paid, OTHER_SECRET))

    assert (answer.status_code, payments()) == (403, [])


def test_event_for_an_order_of_another_shop_is_ignored(send, paid, other, payments, stripe):
    answer = send(paid, signature_of(paid, OTHER_SECRET), to=other["uri"])
    refund = stripe.event("charge.refunded", stripe.charge(stripe.pay(), 3094))
    refunded = send(refund, signature_of(refund, OTHER_SECRET), to=other["uri"])

    assert (answer.status_code, refunded.status_code) == (204, 204)
    assert payments() == []
    assert CardCheckout.objects.get().status == "open"


def test_refund_by_another_shop_is_ignored(send, paid, other, payments, stripe, state):
    assert send(paid).status_code == 204
    session = stripe.pay()
    refund = stripe.event("charge.refunded", stripe.charge(session, 3094))

    answer = send(refund, signature_of(refund, OTHER_SECRET), to=other["uri"])

    assert (answer.status_code, state()["status"]) == (204, "paid")


def test_lower_amount_leaves_the_rest_open_with_a_note(completed, payments, state):
    completed(amount_total=100)

    assert state() == {"status": "open", "paid": 1, "open": 29.94}
    assert payments()[0]["note"] == "The customer was asked for 30.94 EUR and has paid 1.00 EUR."


def test_session_without_payment_pays_nothing(begin, stripe, send, account, payments):
    begin()
    free = stripe.pay(status="no_payment_required", amount_total=0)

    assert send(stripe.event("checkout.session.completed", free)).status_code == 204
    assert payments() == []


@pytest.mark.parametrize(
    "thing",
    [
        {},
        {"id": 7},
        {"id": "cs", "status": "complete", "amount_total": -5, "currency": "eur"},
        {"id": "cs", "status": "complete", "amount_total": "5", "currency": "eur"},
        {"id": "cs", "status": "complete", "amount_total": 10**30, "currency": "eur"},
        {"id": "cs", "status": "complete", "amount_total": 5, "currency": "xxx"},
        {"id": "cs", "status": "gone", "amount_total": 5, "currency": "eur"},
    ],
)
def test_event_that_is_not_understood_is_refused(send, stripe, account, thing):
    answer = send(stripe.event("checkout.session.completed", thing))

    assert (answer.status_code, refused(answer)) == (400, {("invalid-request", None)})


@pytest.mark.parametrize("body", [b"", b"[]", b"7", b"{}", b"\xff", b"{", b'{"type":1,"data":[]}'])
def test_signed_body_that_is_no_event_is_refused(send, account, body):
    assert send(body).status_code in (400, 403)


@pytest.mark.parametrize("key", ["", "x", "01a1ff30-0000-7000-8000-000000000001"])
def test_session_of_another_program_is_ignored(send, stripe, begin, account, payments, key):
    begin()
    session = stripe.pay(metadata={"checkout": key})

    assert send(stripe.event("checkout.session.completed", session)).status_code == 204
    assert send(stripe.event("customer.created", {"id": "cus_1"})).status_code == 204
    assert payments() == []


def test_body_is_bound(send, account):
    body = b" " * (256 * 1024 + 1)

    assert send(body, signature_of(body, SECRET)).status_code == 413


def test_webhook_of_an_unknown_shop_is_404(send, paid):
    unknown = "http://erp.platform.test/bureau/01a1ff30-0000-7000-8000-000000000001/"

    assert send(paid, to=unknown).status_code == 404


def test_other_sites_begin_no_payment(client_of, link, account):
    for path in (f"{link}card-payment/", f"{link}card-payment/refresh/"):
        answer = client_of("sales").post(path, HTTP_ORIGIN="https://evil.example")
        assert refused(answer) == {("cross-site-request", None)}


def test_revoked_link_begins_no_payment(erp, begin, account):
    (row,) = erp.get("/share-link/").json()["resources"]
    erp.put(row["uri"], {"revoked": True})

    assert begin().status_code == 404

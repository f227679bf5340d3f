"""Card payments of customers: begun at Stripe, reported by webhooks, refunded."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.callbacks.models import Event
from apps.erp.models import CardAccount, CardCheckout, Customer, Message, Order, OrderPayment
from tests.erp.test_prices import refused
from tests.stripe_server import KEY, SECRET

pytestmark = pytest.mark.django_db


def creations(stripe) -> list[tuple[dict, str | None]]:
    """Fields and key of each request for a session."""
    path = "/v1/checkout/sessions"
    return [(fields, key) for _, to, fields, key in stripe.requests if to == path]


def test_card_is_offered_where_the_shop_takes_cards(client_of, erp, link, account):
    def card() -> str | None:
        return client_of("sales").get(link).json()["order"]["payment"]["card"]

    offered = card()
    erp.put(account["uri"], {"enabled": False})

    assert (offered, card()) == ("offered", None)


def test_customer_is_led_to_a_session_of_what_is_open(erp, order, link, begin, account, stripe):
    erp.post("/order-payment/", {"order": order["uri"], "amount": 10})

    answer = begin()

    ((fields, key),) = creations(stripe)
    page = f"http://platform.test/o/{link.split('/')[2]}/"
    checkout = CardCheckout.objects.get()
    assert answer.status_code == 201
    assert answer.json() == {"url": f"{stripe.url}/c/pay/{checkout.session}"}
    assert (answer["Cache-Control"], answer["Referrer-Policy"]) == ("no-store", "strict-origin")
    assert key == f"checkout-{checkout.pk}"
    assert {name: fields[name] for name in fields if "price_data" in name} == {
        "line_items[0][price_data][currency]": "eur",
        "line_items[0][price_data][unit_amount]": "2094",
        "line_items[0][price_data][product_data][name]": "Order 1",
    }
    assert (fields["mode"], fields["client_reference_id"]) == ("payment", "1")
    assert (fields["success_url"], fields["cancel_url"]) == (f"{page}?card=return", page)
    assert fields["payment_intent_data[metadata][checkout]"] == str(checkout.pk)


def test_open_session_is_used_again(begin, account, stripe):
    first, second = begin().json(), begin().json()

    assert first == second
    assert len(creations(stripe)) == 1


def test_session_of_another_amount_is_ended(erp, order, begin, account, stripe):
    first = begin().json()
    erp.post("/order-payment/", {"order": order["uri"], "amount": 10})

    second = begin().json()

    old, new = stripe.sessions.values()
    assert (old["status"], new["status"], new["amount_total"]) == ("expired", "open", 2094)
    assert first != second
    statuses = CardCheckout.objects.order_by("pk").values_list("status", flat=True)
    assert list(statuses) == ["ended", "open"]


def test_session_that_is_almost_over_is_replaced(begin, account, stripe):
    first = begin().json()
    CardCheckout.objects.update(expires=timezone.now() + timedelta(minutes=30))

    assert begin().json() != first


def test_lost_answer_of_stripe_makes_no_second_session(begin, account, stripe):
    first = begin().json()
    CardCheckout.objects.update(session="")

    assert begin().json() == first
    assert len(stripe.sessions) == 1


def test_reported_payment_is_recorded_once(completed, stripe, send, state, payments, begin):
    session = completed()
    again = send(stripe.event("checkout.session.completed", session))
    later = send(stripe.event("checkout.session.async_payment_succeeded", session))

    (row,) = payments()
    assert (again.status_code, later.status_code) == (204, 204)
    assert (row["amount"], row["method"], row["note"]) == (30.94, "card", None)
    assert (row["reference"], row["currency"]) == (session["payment_intent"], None)
    assert row["paid_on"] == timezone.now().date().isoformat()
    assert state() == {"status": "paid", "paid": 30.94, "open": 0}
    assert refused(begin()) == {("nothing-open", None)}
    event = Event.objects.get(type="order-payment.received")
    assert (event.changes["payment"], event.changes["method"]) == ("paid", "card")


def test_delayed_payment_is_recorded_when_the_bank_has_paid(
    client_of, begin, stripe, send, state, link, account
):
    begin()
    session = stripe.pay(status="unpaid")
    send(stripe.event("checkout.session.completed", session))
    waits = client_of("sales").get(link).json()["order"]["payment"]["card"]
    second = begin()

    session = stripe.pay(session["id"])
    send(stripe.event("checkout.session.async_payment_succeeded", session))

    assert waits == "pending"
    assert refused(second) == {("card-payment-pending", None)}
    assert state()["status"] == "paid"


def test_customer_can_pay_again_after_a_delayed_payment_has_failed(
    begin, stripe, send, state, account
):
    begin()
    session = stripe.pay(status="unpaid")
    send(stripe.event("checkout.session.completed", session))

    send(stripe.event("checkout.session.async_payment_failed", session))

    assert state()["status"] == "open"
    assert begin().status_code == 201


def test_delayed_payment_without_a_result_ends(begin, stripe, send, account):
    begin()
    send(stripe.event("checkout.session.completed", stripe.pay(status="unpaid")))
    CardCheckout.objects.update(created=timezone.now() - timedelta(days=22))

    assert begin().status_code == 201


def test_page_of_the_order_asks_stripe_where_no_webhook_came(
    begin, stripe, refresh, state, account
):
    nothing = refresh()
    begin()
    stripe.pay()

    assert (nothing, refresh()) == ("none", "paid")
    assert state()["status"] == "paid"


def test_stripe_gets_a_limited_number_of_requests(begin, stripe, refresh, account, checked_before):
    begin()
    stripe.requests.clear()
    for _ in range(3):
        assert refresh() == "open"
    in_a_row = len(stripe.requests)
    for _ in range(25):
        checked_before()
        refresh()

    assert (in_a_row, len(stripe.requests)) == (1, 20)


def test_beginning_is_limited(begin, stripe, account):
    answers = [begin() for _ in range(21)]

    assert {answer.status_code for answer in answers[:20]} == {201}
    assert refused(answers[20]) == {("rate-limited", None)}


def test_fault_of_stripe_is_a_sentence_and_loses_nothing(
    erp, begin, stripe, refresh, state, account, checked_before
):
    stripe.fails = True
    failed = begin()
    reason = erp.get(account["uri"]).json()["error"]
    stripe.fails = False
    begun = begin()
    stripe.pay()
    stripe.fails = True
    waiting = refresh()
    stripe.fails = False
    checked_before()

    assert refused(failed) == {("payment-provider", None)}
    assert (failed.status_code, bool(reason)) == (503, True)
    assert "try again" in failed.json()["errors"][0]["title"]
    assert begun.status_code == 201
    assert (waiting, refresh()) == ("open", "paid")
    assert erp.get(account["uri"]).json()["error"] is None
    assert state()["status"] == "paid"


def test_refused_key_is_shown_to_the_owner_alone(erp, begin, stripe, account):
    stripe.keys = []

    answer = begin()

    assert refused(answer) == {("payment-provider", None)}
    assert "API Key" not in answer.content.decode()
    assert "Invalid API Key" in erp.get(account["uri"]).json()["error"]


def test_customer_is_led_to_pages_of_stripe_alone(begin, stripe, account):
    stripe.page_origin = "https://checkout.stripe.com.evil.example"

    assert refused(begin()) == {("payment-provider", None)}


def test_amount_that_stripe_cannot_take_is_not_offered(client_of, begin, link, account, order):
    Order.objects.update(currency="KWD")
    OrderPayment.objects.create(
        bureau_id=Order.objects.get().bureau_id,
        order=Order.objects.get(),
        amount="0.001",
        paid_on=timezone.now().date(),
        creator=Order.objects.get().creator,
    )

    assert client_of("sales").get(link).json()["order"]["payment"]["card"] is None
    assert refused(begin()) == {("card-payment-unavailable", None)}


def test_order_is_not_paid_before_it_is_confirmed(begin, account):
    Order.objects.update(status="new")

    assert refused(begin()) == {("nothing-open", None)}


def test_shop_without_an_account_takes_no_cards(begin, send):
    assert refused(begin()) == {("card-payment-unavailable", None)}
    assert send(b"{}").status_code == 404


def test_payment_that_was_begun_is_recorded_after_the_shop_has_switched_cards_off(
    erp, begin, stripe, send, account, state
):
    begin()
    erp.put(account["uri"], {"enabled": False})

    send(stripe.event("checkout.session.completed", stripe.pay()))

    assert state()["status"] == "paid"


def test_refunds_are_recorded_by_their_sum(completed, stripe, send, state, payments):
    session = completed()
    uri = payments()[0]["uri"]
    parts = [stripe.event("charge.refunded", stripe.charge(session, sum)) for sum in (1000, 1500)]

    for body in (*parts, *parts):
        assert send(body).status_code == 204

    rows = payments()[1:]
    assert [(row["amount"], row["refunds"], row["reverses"]) for row in rows] == [
        (10, uri, None),
        (5, uri, None),
    ]
    assert state() == {"status": "open", "paid": 15.94, "open": 15}
    types = Event.objects.filter(type="order-payment.reversed")
    assert types.count() == 2


def test_full_refund_reverses_the_payment(erp, order, completed, stripe, send, state, payments):
    session = completed()
    body = stripe.event("charge.refunded", stripe.charge(session, 3094))

    for _ in range(2):
        assert send(body).status_code == 204

    payment, reversal = payments()
    assert (reversal["reverses"], reversal["method"]) == (payment["uri"], "card")
    assert state() == {"status": "open", "paid": 0, "open": 30.94}


def test_payment_that_was_reversed_by_hand_is_not_refunded_twice(
    erp, order, completed, stripe, send, payments
):
    session = completed()
    uri = payments()[0]["uri"]
    reversal = erp.post("/order-payment/", {"order": order["uri"], "reverses": uri})
    assert reversal.status_code == 201

    send(stripe.event("charge.refunded", stripe.charge(session, 3094)))

    assert len(payments()) == 2
    assert reversal.json()["method"] == "card"


def test_refunded_payment_is_not_reversed_by_hand(erp, order, completed, stripe, send, payments):
    send(stripe.event("charge.refunded", stripe.charge(completed(), 100)))
    payment, refund = payments()

    for uri in (payment["uri"], refund["uri"]):
        answer = erp.post("/order-payment/", {"order": order["uri"], "reverses": uri})
        assert refused(answer) == {("payment-reversed", "reverses")}


def test_refund_of_a_payment_that_is_not_recorded_yet_is_sent_again(
    begin, stripe, send, state, account
):
    begin()
    session = stripe.pay()
    refund = stripe.event("charge.refunded", stripe.charge(session, 3094))

    early = send(refund)
    send(stripe.event("checkout.session.completed", session))
    late = send(refund)

    assert refused(early) == {("card-payment-unknown", None)}
    assert (late.status_code, state()["paid"]) == (204, 0)


def test_overpaid_order_has_a_note_for_the_owner(erp, order, begin, stripe, send, state, account):
    begin()
    erp.post("/order-payment/", {"order": order["uri"]})

    send(stripe.event("checkout.session.completed", stripe.pay()))

    assert state() == {"status": "paid", "paid": 61.88, "open": -30.94}
    note = OrderPayment.objects.get(method="card").note
    assert note == "The order is overpaid by 30.94 EUR: refund it at Stripe."


def test_payment_in_another_currency_is_recorded_and_does_not_count(
    completed, stripe, send, state, payments
):
    session = completed(currency="jpy", amount_total=5000)
    (row,) = payments()

    assert (row["amount"], row["currency"]) == (5000, "JPY")
    assert "asked for 30.94 EUR and has paid 5000 JPY" in row["note"]
    assert "Refund it" in row["note"]
    assert state() == {"status": "open", "paid": 0, "open": 30.94}
    send(stripe.event("charge.refunded", stripe.charge(session, 5000)))
    assert [row["currency"] for row in payments()] == ["JPY", "JPY"]
    assert state()["paid"] == 0


def test_payment_of_a_cancelled_order_is_recorded_with_a_note(
    begin, stripe, send, payments, account
):
    begin()
    Order.objects.update(status="cancelled")

    send(stripe.event("checkout.session.completed", stripe.pay()))

    assert "cancelled: refund it" in payments()[0]["note"]


def test_notes_are_in_the_language_of_the_shop(begin, stripe, send, payments, account):
    begin()
    Order.objects.get().bureau.__class__.objects.update(language="de")

    send(stripe.event("checkout.session.completed", stripe.pay(amount_total=3000)))

    assert payments()[0]["note"] == "Angefordert waren 30.94 EUR, bezahlt wurden 30.00 EUR."


def test_order_with_a_card_payment_is_not_deleted(erp, order, begin, account):
    begin()

    assert erp.delete(order["uri"]).status_code == 409


@pytest.mark.parametrize(
    ("language", "subject"),
    [
        ("en", "Payment of your order 1 received"),
        ("de", "Zahlung zu Ihrer Bestellung 1 eingegangen"),
    ],
)
def test_customer_gets_an_email_of_each_payment(
    erp, make, bureau, order, completed, language, subject
):
    customer = make("customer", bureau=bureau["uri"], name="Joost", email="joost@example.com")
    Customer.objects.update(language=language)
    Order.objects.update(customer=Customer.objects.get(pk=customer["uri"].split("/")[-2]))

    completed()

    erp.post("/order-payment/", {"order": order["uri"], "amount": 5})

    first, second = Message.objects.filter(moment="payment-received").order_by("pk")
    assert (first.subject, second.subject) == (subject, subject)
    assert ("30.94 EUR" in first.text, "5.00 EUR" in second.text) == (True, True)


def test_secrets_are_in_no_event_and_no_log(completed, stripe, begin, caplog):
    completed()
    stripe.keys = []
    begin()

    logged = caplog.text + str(list(Event.objects.values()))
    assert not [secret for secret in (KEY, SECRET) if secret in logged]
    assert CardAccount.objects.get().enabled

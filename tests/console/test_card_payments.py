"""Card payments in the console: keys of the shop, the customer's way to Stripe and back."""

import html
import re

import pytest

from apps.erp.models import CardAccount, CardCheckout, OrderPayment
from tests.console.test_share_links import new_link
from tests.console.visitor import Browser, main_of, text_of
from tests.erp.cards.conftest import stripe  # noqa: F401  fixture
from tests.stripe_server import KEY, SECRET, signature_of

SETTINGS = "/settings/payments/"


@pytest.fixture
def takes_cards(ada, shop, stripe):  # noqa: F811
    """The shop takes card payments."""
    values = {"secret_key": KEY, "webhook_secret": SECRET, "enabled": "on"}
    saved = ada.send(SETTINGS, action="save", **values)
    assert saved.status_code == 303, text_of(saved)
    return CardAccount.objects.get()


@pytest.fixture
def link(ada, confirmed, takes_cards) -> str:  # noqa: F811
    """The page of an order for its customer."""
    return new_link(ada, confirmed)


def test_owner_sets_and_tests_the_keys(ada, takes_cards, stripe):  # noqa: F811
    page = ada.get(SETTINGS)
    tested = ada.send(SETTINGS, action="test")
    stripe.keys = []
    refused = ada.send(SETTINGS, action="test")

    assert f'value="http://sales.platform.test/stripe/{takes_cards.bureau_id}/"' in (
        page.content.decode()
    )
    for answer in (page, tested, refused):
        assert KEY not in answer.content.decode()
        assert SECRET not in answer.content.decode()
    assert "Stripe accepts the key. It is a test key" in main_of(tested)
    assert "Payouts in: EUR." in main_of(tested)
    assert "Stripe does not accept the key: Invalid API Key" in main_of(refused)
    assert "The last request to Stripe failed" in main_of(ada.get(SETTINGS))


def test_keys_that_are_left_empty_stay(ada, takes_cards):
    saved = ada.send(SETTINGS, action="save", secret_key="", webhook_secret="")

    row = CardAccount.objects.get()
    assert saved["Location"] == f"{SETTINGS}?done=saved"
    assert (row.enabled, row.plain_key, row.plain_webhook_secret) == (False, KEY, SECRET)


def test_wrong_key_is_named_at_its_field(ada, shop):
    page = ada.send(SETTINGS, action="save", secret_key="pk_test_0123456789")

    assert page.status_code == 400
    assert "begins with sk_test_" in main_of(page)
    assert "pk_test_0123456789" not in page.content.decode()


def test_keys_are_removed(ada, takes_cards):
    removed = ada.send(SETTINGS, action="remove")

    assert removed["Location"] == f"{SETTINGS}?done=card-account-removed"
    assert not CardAccount.objects.exists()


def test_bank_account_is_beside_the_cards(ada, shop, client_of, person):
    empty = ada.get(SETTINGS)
    (bureau,) = client_of("erp", person).get("/bureau/").json()["resources"]
    account = {"account_holder": "Parts GmbH", "iban": "DE89370400440532013000"}
    client_of("erp", person).post("/bank-account/", {"bureau": bureau["uri"], **account})

    assert 'href="/bank-account/new/"' in empty.content.decode()
    assert "Parts GmbH" in main_of(ada.get(SETTINGS))


def test_member_without_the_right_is_refused(ada, takes_cards, client_of, person, stranger):
    erp = client_of("erp", person)
    bureau = erp.get("/bureau/").json()["resources"][0]["uri"]
    erp.post("/membership-bureau/", {"bureau": bureau, "user": stranger.uri})
    bob = Browser()
    bob.send("/sign-in/", username="bob", password="correct horse battery")

    assert bob.get(SETTINGS).status_code == 403
    erp.post("/permission-bureau/", {"bureau": bureau, "user": stranger.uri, "right": "price.all"})
    page = bob.get(SETTINGS)
    assert (page.status_code, "Card payments" in main_of(page)) == (200, False)
    assert bob.send(SETTINGS, action="remove").status_code == 403


def test_customer_pays_and_the_shop_sees_it(ada, confirmed, link, stripe, client_of):  # noqa: F811
    customer = Browser()
    page = customer.get(link)
    going = customer.send(link, pay="card")
    session = stripe.pay()
    body = stripe.event("checkout.session.completed", session)
    hook = f"/stripe/{CardAccount.objects.get().bureau_id}/"
    client_of("sales").generic(
        "POST", hook, body, "application/json", HTTP_STRIPE_SIGNATURE=signature_of(body)
    )
    back = customer.get(f"{link}?card=return")

    assert "Pay by card" in main_of(page)
    assert f"form-action {stripe.url} 'self'" in page["Content-Security-Policy"]
    assert (going.status_code, going["Location"]) == (303, f"{stripe.url}/c/pay/{session['id']}")
    assert session["success_url"] == f"http://platform.test{link}?card=return"
    assert "Payment received. Thank you." in main_of(back)
    assert "Pay by card" not in main_of(back)
    listed = main_of(ada.get(f"{confirmed}payments/"))
    assert f"Card · {session['payment_intent']}" in listed
    refund = stripe.event("charge.refunded", stripe.charge(session, 100))
    client_of("sales").generic(
        "POST", hook, refund, "application/json", HTTP_STRIPE_SIGNATURE=signature_of(refund)
    )
    page = ada.get(f"{confirmed}payments/")
    assert "Refunded at Stripe." in main_of(page)
    assert 'name="reverse"' not in page.content.decode()


def test_page_asks_stripe_where_no_webhook_came(link, stripe):  # noqa: F811
    customer = Browser()
    customer.send(link, pay="card")
    waiting = customer.get(f"{link}?card=return")
    stripe.pay()
    CardCheckout.objects.update(checked=None)
    back = customer.get(f"{link}?card=return")

    assert "not confirmed yet" in main_of(waiting)
    assert "Payment received. Thank you." in main_of(back)
    assert OrderPayment.objects.get().method == "card"


def test_fault_of_stripe_is_a_sentence_on_the_page(link, stripe):  # noqa: F811
    stripe.fails = True

    page = Browser().send(link, pay="card")

    assert page.status_code == 503
    assert "cannot be reached, or refuses the payment" in html.unescape(main_of(page))
    assert "Pay by card" in main_of(page)


def test_second_press_after_the_payment_leads_back_to_the_order(link, stripe):  # noqa: F811
    customer = Browser()
    customer.send(link, pay="card")
    stripe.pay()

    again = customer.send(link, pay="card")

    assert (again.status_code, again["Location"]) == (303, link)
    assert re.search(r"\bPaid\b", main_of(customer.get(link)))


def test_other_sites_cannot_begin_a_payment(link, stripe):  # noqa: F811
    answer = Browser().send(link, origin="https://evil.example", pay="card")

    assert (answer.status_code, stripe.sessions) == (403, {})

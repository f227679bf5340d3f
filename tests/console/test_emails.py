"""Settings of e-mails to customers, and the e-mails on the page of an order."""

import re

import pytest
from django.utils import timezone

from apps.erp.actors import send_message
from apps.erp.models import Customer, Message, MessageTemplate, Order, StaffNotification
from tests.console.visitor import Browser, main_of, text_of

SETTINGS = "/settings/emails/"
TEXT = f"{SETTINGS}received/en/"


@pytest.fixture
def mailed_order(confirmed) -> str:
    """The page of a confirmed order whose customer has been mailed."""
    order = Order.objects.get()
    order.customer = Customer.objects.create(
        bureau=order.bureau, name="Hansa", email="kai@example.com"
    )
    order.save()
    Message.objects.create(
        bureau=order.bureau, order=order, moment="confirmed", recipient="kai@example.com",
        language="en", subject="Confirmed", text="{link}", status="failed", refused=True,
        error="550 No such user", creator=order.creator, sent_at=timezone.now(),
    )  # fmt: skip
    return confirmed


def test_moments_are_switched_on_and_off(ada, shop):
    page = ada.get(SETTINGS)
    assert "Order received" in main_of(page)
    assert main_of(page).count("Switch on") == 1  # in production

    switched = ada.send(SETTINGS, moment="in-production", enabled="on")
    ada.send(SETTINGS, moment="received", enabled="off")

    assert switched["Location"] == f"{SETTINGS}?done=saved"
    rows = MessageTemplate.objects.order_by("moment", "language")
    assert list(rows.values_list("moment", "language", "enabled")) == [
        ("in-production", "de", True),
        ("in-production", "en", True),
        ("received", "de", False),
        ("received", "en", False),
    ]
    assert "Order received" in main_of(ada.get(SETTINGS))


def test_text_is_changed_and_restored(ada, shop):
    form = ada.get(TEXT)
    assert "We received your order {order}" in form.content.decode()
    assert "We received your order 1042" in main_of(form)  # the preview

    saved = ada.send(TEXT, action="save", subject="Order {order}", text="Hello\r\n\r\n{link}")

    assert saved["Location"] == f"{SETTINGS}?done=saved"
    row = MessageTemplate.objects.get()
    assert (row.subject, row.text, row.enabled) == ("Order {order}", "Hello\n\n{link}", True)
    assert "changed" in main_of(ada.get(SETTINGS))
    ada.send(TEXT, action="reset")
    row.refresh_from_db()
    assert (row.subject, row.text) == ("", "")
    assert "Default text" in main_of(ada.get(TEXT))


def test_preview_saves_nothing_and_test_is_mailed_to_the_person(ada, shop, mailoutbox, run_jobs):
    preview = ada.send(TEXT, action="preview", subject="Order {order}", text="Dear {customer}")
    test = ada.send(TEXT, action="test", subject="Order {order}", text="Dear {customer}")
    run_jobs()

    assert "Dear Joost van Dijk" in main_of(preview)
    assert "on its way to ada@example.com" in main_of(test)
    assert [(mail.subject, mail.to) for mail in mailoutbox] == [("Order 1042", ["ada@example.com"])]
    assert not MessageTemplate.objects.exists()


def test_unknown_placeholder_is_named_at_its_field(ada, shop):
    answer = ada.send(TEXT, action="save", subject="Order", text="{name}")

    assert answer.status_code == 400
    assert "{name} is not a placeholder" in main_of(answer)
    assert ">{name}</textarea>" in answer.content.decode().replace("\n", "")  # nothing is lost


def test_member_without_the_right_is_told_whom_to_ask(ada, shop, client_of, person, stranger):
    bureau = client_of("erp", person).get("/bureau/").json()["resources"][0]["uri"]
    client_of("erp", person).post("/membership-bureau/", {"bureau": bureau, "user": stranger.uri})
    bob = Browser()
    bob.send("/sign-in/", username="bob", password="correct horse battery")

    assert "For customers" not in main_of(bob.get(SETTINGS))
    for answer in (bob.get(TEXT), bob.send(SETTINGS, moment="received", enabled="off")):
        assert answer.status_code == 403
        assert "Ask: Ada" in text_of(answer)
    bob.send(SETTINGS, **{"for": "me", "moment": "order-review"})
    assert StaffNotification.objects.get().creator == stranger
    bob.send(SETTINGS, **{"for": "me"})
    assert not StaffNotification.objects.exists()


def test_order_lists_its_mails_and_sends_one_again(ada, mailed_order, mailoutbox, run_jobs):
    page = ada.get(mailed_order)
    shown = main_of(page)
    assert "E-mails to the customer" in shown
    assert "550 No such user" in shown
    action = re.search(r'action="(/message/[^"]+/send/)"', page.content.decode())[1]

    for _ in range(2):  # a form that is sent twice
        again = ada.send(action, key="of the form")
        assert again["Location"] == f"{mailed_order}?done=mail-again"
    run_jobs()

    assert [mail.to for mail in mailoutbox] == [["kai@example.com"]]
    assert "Sent" in main_of(ada.get(mailed_order))
    assert "kai@example.com" in main_of(ada.get("/message/"))


def test_anonymous_user_signs_in_first(browser):
    for path in (SETTINGS, TEXT):
        assert browser.get(path)["Location"].startswith("/sign-in/")
    assert send_message.queue_name == "mail"

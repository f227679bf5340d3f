"""Mails to customers: what is sent, at which moments, in which words."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.base.models.messages import MessageMoment
from apps.erp.models import LineItem, Message, Order, ShareLink
from apps.erp.orders.domain import status_rollup
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.customer_messages.message_texts import (
    DEFAULTS,
    PLACEHOLDERS,
    MessageText,
    plain_name,
    render,
    unknown_placeholders,
)
from tests.erp.conftest import key_of
from tests.erp.messages.conftest import row
from tests.mail_server import content_of

LINK = re.compile(r"http://platform\.test/o/([\w-]{22})/")


def test_mail_has_the_link_of_the_order_and_headers_of_an_automatic_mail(
    erp, bureau, order, mail_server, deliver, client_of
):
    erp.put(bureau["uri"], {"email": "hello@nordform.example"})
    message = messages.record(order, MessageMoment.RECEIVED)

    deliver()

    (mail,) = mail_server.mails
    sent = row(message)
    assert (sent.status, sent.attempts, sent.error, sent.next_attempt) == ("sent", 1, "", None)
    assert mail["Subject"] == "We received your order 1"
    assert mail["From"] == "Parts & Sons <no-reply@platform.test>"
    assert (mail["To"], mail["Reply-To"]) == ("joost@example.com", "hello@nordform.example")
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Message-ID"] == sent.message_id
    (token,) = LINK.findall(mail_server.texts[0])
    shown = client_of("sales").get(f"/shared-order/{token}/").json()
    assert shown["order"]["number"] == 1
    # The link is a secret: those who read the message do not get it.
    assert "{link}" in sent.text
    assert token not in erp.get(sent.uri).content.decode()


def test_html_part_has_the_brand_and_a_button_for_the_link_alone(
    erp, bureau, order, mail_server, deliver
):
    brand = {"accent": "#7a1f5c", "name": "Parts <& Sons>", "phone": "+49 1"}
    assert erp.put(bureau["uri"], brand).status_code == 204
    order.refresh_from_db()
    text = "Hello <b>you</b>,\nhttps://elsewhere.example/\n{link}\n\nBye"
    fields = {"bureau": bureau["uri"], "moment": "received", "language": "en", "text": text}
    assert erp.post("/message-template/", fields).status_code == 201
    messages.record(Order.objects.get(pk=order.pk), MessageMoment.RECEIVED)

    deliver()

    (mail,) = mail_server.mails
    html, (token,) = content_of(mail, "html"), LINK.findall(mail_server.texts[0])
    assert re.findall(r'href="([^"]*)"', html) == [f"http://platform.test/o/{token}/"]
    assert "Hello &lt;b&gt;you&lt;/b&gt;,<br>https://elsewhere.example/</p>" in html
    assert "Parts &lt;&amp; Sons&gt; · +49 1" in html
    assert "background:#7a1f5c;color:#ffffff" in html
    assert ">View the order</a>" in html


def test_all_mails_of_an_order_have_one_link_until_it_is_revoked(order, mail_server, deliver):
    for moment in (MessageMoment.RECEIVED, MessageMoment.CONFIRMED):
        messages.record(order, moment)
        deliver()
    ShareLink.objects.update(revoked=True)
    messages.record(order, MessageMoment.SHIPPED)
    deliver()

    first, second, third = (LINK.findall(text) for text in mail_server.texts)
    assert first == second != third
    assert ShareLink.objects.filter(revoked=True).count() == 1


def test_language_is_that_of_the_customer_then_of_the_shop(
    erp, bureau, order, mail_server, deliver
):
    erp.put(bureau["uri"], {"language": "de", "name": "Nordförm"})
    order.refresh_from_db()
    messages.record(Order.objects.get(pk=order.pk), MessageMoment.RECEIVED)
    deliver()
    erp.put(order.customer.uri, {"language": "en"})
    messages.record(Order.objects.get(pk=order.pk), MessageMoment.CONFIRMED)
    deliver()

    german, english = mail_server.mails
    assert german["Subject"] == "Ihre Bestellung 1 ist eingegangen"
    assert "vielen Dank für Ihre Bestellung 1." in content_of(german, "plain")
    assert german["From"].addresses[0].display_name == "Nordförm"
    assert english["Subject"] == "Your order 1 is confirmed"


def test_names_with_line_breaks_become_no_headers(erp, bureau, order, mail_server, deliver):
    evil = "Nordform\r\nBcc: victim@example.com"
    erp.put(bureau["uri"], {"name": evil})
    body = {"bureau": bureau["uri"], "moment": "received", "language": "en"}
    made = erp.post("/message-template/", {**body, "subject": "{shop}\r\nBcc: a@b.example"})
    assert made.status_code == 201
    messages.record(Order.objects.get(pk=order.pk), MessageMoment.RECEIVED)

    deliver()

    (mail,) = mail_server.mails
    assert mail["Bcc"] is None
    assert mail_server.recipients == [["joost@example.com"]]
    assert mail["Subject"] == "Nordform Bcc: victim@example.com Bcc: a@b.example"
    assert mail["From"].addresses[0].addr_spec == "no-reply@platform.test"


def test_text_of_the_shop_with_its_placeholders(erp, bureau, order, mail_server, deliver):
    text = "Hello {customer},\norder {order} is due {due_date}.\nTracking {tracking}\n{shop}"
    body = {"bureau": bureau["uri"], "moment": "shipped", "language": "en"}
    erp.post("/message-template/", {**body, "subject": "Sent: {order}", "text": text})
    erp.put(order.uri, {"due_date": "2026-12-05", "customer_name": "Joost van Dijk"})

    messages.record(Order.objects.get(pk=order.pk), MessageMoment.SHIPPED)
    deliver()

    assert mail_server.mails[0]["Subject"] == "Sent: 1"
    # The line of what the order does not have is left out.
    due = "Hello Joost van Dijk,\norder 1 is due December 5, 2026.\nParts & Sons"
    assert mail_server.texts == [due]
    assert ShareLink.objects.count() == 0  # no text with a link, no link


@pytest.mark.parametrize("language", sorted(DEFAULTS))
def test_default_texts_have_placeholders_of_the_list_only(language):
    assert set(DEFAULTS[language]) == set(MessageMoment.values)
    for text in DEFAULTS[language].values():
        assert unknown_placeholders(text.subject + text.text, PLACEHOLDERS) == []
        assert "{link}" in text.text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Joost van Dijk", "Joost van Dijk"),
        ("Dr. Zoë O’Neil-Müller", "Dr. Zoë O’Neil-Müller"),
        ("visit evil.example", ""),
        ("https://evil.example", ""),
        ("Win 1000", ""),
        ("a" * 61, ""),
    ],
)
def test_name_that_is_no_name_is_not_mailed(name, expected):
    assert plain_name(name) == expected


def test_value_with_braces_is_not_replaced_again():
    rendered = render(MessageText("{shop}", "{shop}"), {"shop": "{link}", "link": "secret"})

    assert rendered == ("{link}", "{link}")


# ---------------------------------------------------------------- moments


def line_item(order: Order) -> LineItem:
    """A line item of an order that waits to be confirmed."""
    return LineItem.objects.create(
        bureau=order.bureau,
        order=order,
        no_model_upload=True,
        status="pending",
        creator=order.creator,
    )


def test_quote_and_its_acceptance_are_mailed(erp, order, mail_server, deliver):
    line_item(order)
    quote = erp.post("/quote/", {"order": order.uri}).json()
    deliver()
    erp.put(quote["uri"], {"status": "accepted"})
    deliver()

    subjects = [mail["Subject"] for mail in mail_server.mails]
    assert subjects == ["Quote for your order 1", "Your order 1 is confirmed"]
    assert "The quote is valid until " in mail_server.texts[0]


def test_changes_within_a_minute_are_one_mail(erp, order, mail_server, deliver):
    line_item(order)
    messages.record(order, MessageMoment.RECEIVED)
    due = Message.objects.get().next_attempt
    quote = erp.post("/quote/", {"order": order.uri}).json()
    erp.put(quote["uri"], {"status": "accepted"})

    waiting = Message.objects.get()
    assert (waiting.moment, waiting.next_attempt) == ("confirmed", due)
    assert due - timezone.now() < timedelta(minutes=1)
    deliver()

    assert [mail["Subject"] for mail in mail_server.mails] == ["Your order 1 is confirmed"]


def test_progress_is_mailed_once_and_production_only_where_it_is_switched_on(
    erp, bureau, order, mail_server, deliver
):
    item = line_item(order)

    def reach(*statuses: str) -> None:
        for status in statuses:
            LineItem.objects.filter(pk=item.pk).update(status=status)
            status_rollup.follow_orders([order.pk])
            deliver()

    reach("confirmed", "queued", "confirmed", "queued")
    body = {"bureau": bureau["uri"], "moment": "in-production", "language": "en"}
    erp.post("/message-template/", {**body, "enabled": True})
    reach("confirmed", "queued", "confirmed", "printing", "complete")

    moments = list(Message.objects.order_by("pk").values_list("moment", flat=True))
    assert moments == ["confirmed", "in-production", "completed"]


def test_complete_order_with_a_tracking_number_is_mailed_as_shipped(order):
    item = line_item(order)
    Order.objects.filter(pk=order.pk).update(shipping_tracking="DHL 7")
    for status in ("confirmed", "complete"):
        LineItem.objects.filter(pk=item.pk).update(status=status)
        status_rollup.follow_orders([order.pk])

    (message,) = Message.objects.all()
    assert message.moment == "shipped"
    assert "DHL 7" in message.text


def test_cancelled_order_that_is_confirmed_again_is_mailed_again(erp, order, mail_server, deliver):
    item = line_item(order)
    for status in ("confirmed", "cancelled", "confirmed", "cancelled"):
        LineItem.objects.filter(pk=item.pk).update(status=status)
        status_rollup.follow_orders([order.pk])
        deliver()

    moments = list(Message.objects.order_by("pk").values_list("moment", flat=True))
    assert moments == ["confirmed", "cancelled", "confirmed", "cancelled"]


def test_no_mail_without_an_address_or_where_it_is_switched_off(erp, bureau, order, make):
    body = {"bureau": bureau["uri"], "moment": "received", "language": "en", "enabled": False}
    template = erp.post("/message-template/", body).json()
    nobody = make("order", bureau=bureau["uri"], name="Nr. 2", customer_email="a@example.com")

    assert messages.record(order, MessageMoment.RECEIVED) is None
    assert messages.record(Order.objects.get(pk=key_of(nobody)), MessageMoment.RECEIVED) is None
    erp.delete(template["uri"])
    assert messages.record(order, MessageMoment.RECEIVED) is not None

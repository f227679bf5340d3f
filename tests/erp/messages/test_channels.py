"""Notification channels of bureaus, up to a server that receives their messages."""

import json
import logging

import pytest
from django.db import transaction
from django.utils import timezone

from apps.callbacks.models import Event
from apps.erp.actors import send_message
from apps.erp.base.domain.notifications import Kind, Work, notify
from apps.erp.models import Message, NotificationChannel, Order, Printer
from apps.erp.orders.services.notification_channels import MAX_CHANNELS, MAX_TESTS
from tests.chat_server import ChatServer
from tests.erp.conftest import key_of
from tests.erp.messages.conftest import row
from tests.erp.test_line_items import errors_of

TOKEN = "token-that-is-secret"


@pytest.fixture
def server():
    """A server of a push service."""
    server = ChatServer()
    yield server
    server.stop()


@pytest.fixture
def channel(erp, bureau, server) -> dict:
    """A channel of the bureau, informed of orders to review and of printers."""
    made = erp.post(
        "/notification-channel/",
        {
            "bureau": bureau["uri"],
            "name": "Workshop",
            "url": f"gotify://{server.host}/{TOKEN}",
            "moments": ["order-review", "printer-attention"],
        },
    )
    assert made.status_code == 201, made.content
    return erp.get(made["Location"]).json()


def review(order: Order, customer: str = "Van Dijk BV") -> None:
    notify(Kind.ORDER_REVIEW, order, Work.SALES, number=order.number, customer=customer)


# ---------------------------------------------------------------- messages


def test_channel_is_informed_at_its_moments(order, channel, server, deliver, erp):
    review(order)
    data = {"number": order.number, "customer": "Van Dijk BV"}
    notify(Kind.QUOTE_ACCEPTED, order, Work.SALES, **data)
    deliver()

    (received,) = server.requests
    assert received.headers["X-Gotify-Key"] == TOKEN
    assert (received.json["title"], received.json["message"]) == (
        "Order 1 needs a review",
        f"Van Dijk BV\nhttp://platform.test/order/{order.pk}/",
    )
    message = erp.get(f"/message/?filter[channel]={channel['uri']}").json()["resources"][0]
    assert (message["moment"], message["status"]) == ("order-review", "sent")
    assert (message["recipient"], message["order"]) == (None, None)
    after = erp.get(channel["uri"]).json()
    assert after["last_sent"] is not None
    assert after["error"] is None
    assert order.messages.count() == 0  # the customer's messages are others


def test_message_is_in_the_language_of_the_bureau(order, channel, server, deliver, erp, bureau):
    erp.put(bureau["uri"], {"language": "de"})
    order.refresh_from_db()

    review(order)
    deliver()

    assert server.requests[0].json["title"] == "Auftrag 1 muss geprüft werden"


def test_printer_that_needs_a_person_is_sent_with_its_reason(
    channel, server, deliver, make, bureau, location
):
    size = {"x": 250, "y": 210, "z": 220}
    type_ = make("printer-type", bureau=bureau["uri"], name="MK4", build_volume=size)
    made = make("printer", printer_type=type_["uri"], location=location["uri"], name="MK4 left")
    printer = Printer.objects.get(pk=key_of(made))

    notify(Kind.PRINTER_ATTENTION, printer, Work.PRODUCTION, printer="MK4 left", reason="offline")
    deliver()

    assert server.requests[0].json["title"] == "MK4 left: offline"
    assert server.requests[0].json["message"].endswith(f"/printer/{printer.pk}/")


def test_names_of_visitors_are_no_links_and_no_mentions(order, channel, server, deliver):
    review(order, customer="<!channel> https://evil.example/x @all *Click* evil.com")
    deliver()

    shown = server.requests[0].json["message"].splitlines()[0]
    assert shown == "channel https evil example x all Click evil com"


def test_every_kind_of_notification_has_a_text(order, channel, server, deliver, erp, bureau):
    kinds = [kind for kind in Kind if kind != Kind.JOB_FAILED]
    erp.put(channel["uri"], {"moments": list(kinds)})
    for language in ("en", "de"):
        erp.put(bureau["uri"], {"language": language})
        for kind in kinds:
            notify(kind, order, Work.SALES, number=7, printer="MK4", material="PLA", free=250.4)
    deliver()

    titles = [request.json["title"] for request in server.requests]
    assert len(set(titles)) == len(titles) == 2 * len(kinds)
    assert "PLA: 250  free, reorder point  " not in titles
    assert not [title for title in titles if "{" in title]


def test_change_that_is_rolled_back_sends_nothing(order, channel, server, deliver):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        review(order)
        raise ZeroDivisionError
    deliver()

    assert (server.requests, Message.objects.count()) == ([], 0)


def test_channel_that_is_switched_off_or_deleted_gets_nothing(order, channel, server, deliver, erp):
    review(order)  # waits
    erp.put(channel["uri"], {"enabled": False})
    review(order)
    deliver()

    (held,) = Message.objects.all()
    assert (held.status, held.error) == ("held", "The channel is switched off.")
    assert erp.delete(channel["uri"]).status_code == 204
    review(order)
    deliver()
    assert (server.requests, Message.objects.count()) == ([], 0)


# ---------------------------------------------------------------- failures


def test_server_that_fails_gets_the_message_later(order, channel, server, deliver, erp):
    review(order)
    message = Message.objects.get()
    server.status = 503
    send_message.fn(str(message.pk))

    assert (row(message).status, row(message).attempts) == ("waiting", 1)
    assert erp.get(channel["uri"]).json()["error"] == (
        "The service answered 503 Service Unavailable."
    )
    server.status = 200
    deliver()
    assert (row(message).status, row(message).attempts) == ("sent", 2)
    assert erp.get(channel["uri"]).json()["error"] is None


def test_attempts_end_after_two_days(order, channel, server):
    review(order)
    message = Message.objects.get()
    server.stop()
    while row(message).status != "failed":
        send_message.fn(str(message.pk))

    assert message.attempts == 8
    assert message.error == "The service refuses connections."


def test_refused_message_has_failed_and_the_next_one_is_tried(order, channel, server, deliver, erp):
    server.status = 401
    review(order)
    deliver()
    server.status = 200
    review(order)
    deliver()

    first, second = Message.objects.order_by("pk")
    assert (first.status, first.error) == ("failed", "The service answered 401 Unauthorized.")
    assert second.status == "sent"
    again = erp.post(f"{first.uri}send/")
    deliver()
    assert erp.get(again["Location"]).json()["status"] == "sent"


def test_channels_of_an_account_have_a_limit_a_day(order, channel, server, deliver, settings):
    settings.MAIL_ACCOUNT_DAY = 2
    for _ in range(3):
        review(order)
    deliver()

    statuses = sorted(Message.objects.values_list("status", flat=True))
    assert statuses == ["held", "sent", "sent"]
    assert "2 messages within 24 hours" in Message.objects.get(status="held").error
    assert len(server.requests) == 2


def test_private_address_is_refused_by_the_worker_too(order, channel, server, deliver, settings):
    settings.OUTBOUND_ALLOW = []

    review(order)
    deliver()

    message = Message.objects.get()
    assert (message.status, server.requests) == ("failed", [])
    assert "127.0.0.1 is not a public one" in message.error


def test_address_of_another_installation_is_entered_again(
    order, channel, server, deliver, settings
):
    settings.WEBHOOK_KEY = "another key"

    review(order)
    deliver()

    assert Message.objects.get().error.startswith("The address cannot be decrypted")


# ---------------------------------------------------------------- resource


def test_test_message_is_sent_and_its_result_shown(erp, channel, server, run_jobs):
    erp.put(channel["uri"], {"enabled": False})
    made = erp.post(f"{channel['uri']}test/")
    run_jobs()

    assert made.status_code == 201
    assert made.json()["moment"] == "test"
    assert erp.get(made["Location"]).json()["status"] == "sent"
    assert server.requests[0].json["title"] == "Test message"
    assert erp.get(channel["uri"]).json()["last_sent"] is not None


def test_tests_of_a_channel_are_limited(erp, channel):
    answers = [erp.post(f"{channel['uri']}test/").status_code for _ in range(MAX_TESTS + 1)]

    assert answers == [201] * MAX_TESTS + [429]


def test_address_is_in_no_answer_event_or_log(erp, bureau, channel, order, server, deliver, caplog):
    caplog.set_level(logging.DEBUG)
    server.status = 503
    review(order)
    deliver()
    bodies = [
        erp.get(path).content.decode()
        for path in (channel["uri"], "/notification-channel/", "/message/")
    ]
    refused = erp.put(channel["uri"], {"url": f"gotify://{server.host}/{TOKEN}/?verify=no"})
    stored = NotificationChannel.objects.get()

    assert channel["masked_url"] == "gotify://127.0.0.1/…"
    assert "url" not in channel
    texts = [*bodies, refused.content.decode(), caplog.text]
    texts += map(str, Event.objects.values_list("type", "data")) if Event.objects.exists() else []
    assert not [text for text in texts if TOKEN in text]
    assert TOKEN.encode() not in bytes(stored.url)
    assert TOKEN in stored.plain_url


@pytest.mark.parametrize(
    "url",
    [
        *("json://127.0.0.1/", "json://169.254.169.254/latest", "ntfys://10.0.0.1/topic"),
        *("syslog://", "file:///tmp/x", "mailto://a:b@example.com", "https://example.com/", "x"),
    ],
)
def test_address_that_is_not_allowed_is_refused(erp, bureau, settings, url):
    settings.OUTBOUND_ALLOW = []
    body = {"bureau": bureau["uri"], "name": "x", "url": url, "moments": ["order-review"]}

    answer = erp.post("/notification-channel/", body)

    assert errors_of(answer) == [("not-allowed", "url")]
    assert not NotificationChannel.objects.exists()


def test_channel_is_changed_and_put_back(erp, channel, server):
    assert erp.put(channel["uri"], channel).status_code == 204
    other = ChatServer()
    new = {"url": f"json://{other.host}/", "name": "Other", "moments": []}
    assert erp.put(channel["uri"], new).status_code == 204
    changed = erp.get(channel["uri"]).json()

    assert (changed["masked_url"], changed["moments"]) == ("json://127.0.0.1/…", [])
    assert NotificationChannel.objects.get().plain_url == new["url"]


def test_malformed_channels_are_refused(erp, bureau, channel):
    body = {
        "bureau": bureau["uri"],
        "name": "x",
        "url": "ntfys://topic",
        "moments": ["order-review"],
    }
    for wrong in (
        *({"moments": ["later"]}, {"moments": "order-review"}, {"moments": [5]}),
        *({"url": 5}, {"url": ""}, {"url": "x" * 1001}, {"name": ""}),
        {"unknown": 1},
    ):
        assert erp.post("/notification-channel/", {**body, **wrong}).status_code == 400, wrong
    for name in ("bureau", "name", "url", "moments"):
        incomplete = {key: value for key, value in body.items() if key != name}
        assert erp.post("/notification-channel/", incomplete).status_code in (400, 403), name
    assert erp.put(channel["uri"], {"moments": ["later"]}).status_code == 400


def test_bureau_has_at_most_twenty_channels(erp, bureau, channel):
    body = {"bureau": bureau["uri"], "name": "x", "url": "ntfys://topic", "moments": []}
    for _ in range(MAX_CHANNELS - 1):
        assert erp.post("/notification-channel/", body).status_code == 201

    assert errors_of(erp.post("/notification-channel/", body)) == [("limit-exceeded", None)]


def test_only_holders_of_the_right_see_channels(
    client_of, member, stranger, channel, bureau, make, server
):
    body = {"bureau": bureau["uri"], "name": "x", "url": "ntfys://topic", "moments": []}
    for user in (member, stranger):
        client = client_of("erp", user)
        assert client.get("/notification-channel/").json()["resources"] == []
        assert client.get(channel["uri"]).status_code == 404
        assert client.post(f"{channel['uri']}test/").status_code == 404
        assert client.put(channel["uri"], {"enabled": False}).status_code == 404
        assert client.delete(channel["uri"]).status_code == 404
        assert client.post("/notification-channel/", body).status_code == 403
    make("permission-bureau", bureau=bureau["uri"], user=member.uri, right="customer.all")
    assert client_of("erp", member).get(channel["uri"]).status_code == 200


def test_owner_of_another_bureau_sees_no_channel(client_of, stranger, channel, order, deliver):
    other = client_of("erp", stranger)
    own = other.post("/bureau/", {"name": "Other"})
    assert own.status_code == 201
    review(order)
    deliver()

    assert other.get(channel["uri"]).status_code == 404
    assert other.get("/notification-channel/").json()["resources"] == []
    assert json.loads(other.get("/message/").content)["resources"] == []
    assert timezone.now() > NotificationChannel.objects.get().last_sent

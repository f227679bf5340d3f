"""Settings page of channels: add, test, change and delete one."""

import re

import pytest

from apps.erp.models import NotificationChannel
from tests.chat_server import ChatServer
from tests.console.visitor import Browser, main_of, text_of

PATH = "/settings/channels/"


@pytest.fixture
def server():
    """A server of a push service."""
    server = ChatServer()
    yield server
    server.stop()


@pytest.fixture
def channel(ada, shop, server) -> NotificationChannel:
    """A channel that was added on the page."""
    url = f"gotify://{server.host}/token-that-is-secret"
    values = {"name": "Workshop", "moments": ["order-review", "bed-to-clear"], "enabled": "on"}
    saved = ada.send(PATH, action="save", url=url, **values)
    assert saved["Location"] == f"{PATH}?done=saved"
    return NotificationChannel.objects.get()


def form(channel: NotificationChannel, **values) -> dict:
    return {"channel": str(channel.pk), **values}


def test_channel_is_added_and_shown_without_its_secret(ada, channel):
    page = ada.get(PATH)

    assert channel.moments == ["order-review", "bed-to-clear"]
    for text in ("Workshop", "gotify://127.0.0.1/…", "Order to review", "Nothing sent yet."):
        assert text in main_of(page), text
    assert "token-that-is-secret" not in page.content.decode()
    edited = ada.get(f"{PATH}?channel={channel.pk}").content.decode()
    assert "token-that-is-secret" not in edited
    assert re.search(r'value="bed-to-clear"[^>]* checked', edited)


def test_test_button_shows_the_result(ada, channel, server, run_jobs):
    sent = ada.send(PATH, **form(channel, action="test"))
    run_jobs()

    assert sent["Location"] == f"{PATH}?done=channel-test"
    assert "on its way" in text_of(ada.get(sent["Location"]))
    assert server.requests[0].json["title"] == "Test message"
    assert "Last sent" in main_of(ada.get(PATH))
    server.status = 404
    ada.send(PATH, **form(channel, action="test"))
    run_jobs()
    shown = main_of(ada.get(PATH))
    assert "The service answered 404 Not Found." in shown
    assert "Failed" in shown


def test_change_keeps_the_address_and_delete_ends_the_channel(ada, channel):
    before = channel.plain_url
    values = {"name": "Hall", "url": "", "moments": ["printer-attention"]}

    changed = ada.send(f"{PATH}?channel={channel.pk}", **form(channel, action="save", **values))

    assert changed["Location"] == f"{PATH}?done=saved"
    channel.refresh_from_db()
    assert (channel.name, channel.moments, channel.enabled) == ("Hall", values["moments"], False)
    assert channel.plain_url == before
    question = f"{PATH}?delete={channel.pk}"
    assert "This cannot be undone." in text_of(ada.get(question))
    assert NotificationChannel.objects.exists()
    assert ada.send(question)["Location"] == f"{PATH}?done=removed"
    assert not NotificationChannel.objects.exists()


def test_address_that_is_not_allowed_is_named_at_its_field(ada, shop):
    answer = ada.send(PATH, action="save", name="x", url="mailto://a:b@example.com")

    assert answer.status_code == 400
    assert 'id="id_url_error"' in answer.content.decode()
    assert "use one of slack://" in main_of(answer)


def test_member_without_the_right_is_refused(ada, channel, client_of, person, stranger):
    bureau = channel.bureau.uri
    client_of("erp", person).post("/membership-bureau/", {"bureau": bureau, "user": stranger.uri})
    bob = Browser()
    bob.send("/sign-in/", username="bob", password="correct horse battery")

    for answer in (bob.get(PATH), bob.send(f"{PATH}?delete={channel.pk}")):
        assert answer.status_code == 403
        assert "Ask: Ada" in text_of(answer)
    assert "Channels" not in main_of(bob.get("/settings/emails/"))
    assert NotificationChannel.objects.exists()


def test_anonymous_user_signs_in_first(browser):
    assert browser.get(PATH)["Location"].startswith("/sign-in/")

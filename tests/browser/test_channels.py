"""The owner adds a channel and sends a test message, which a server receives."""

import pytest
from playwright.sync_api import expect

from tests.browser.scenarios import faults_of
from tests.browser.test_card_payments import shoot, sign_in
from tests.browser.walker import ON_A_DESK, ON_A_PHONE, Walker
from tests.chat_server import ChatServer
from tests.live.client import Client
from tests.live.processes import DOMAIN

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_PHONE])
def test_owner_adds_a_channel_and_sends_a_test_message(visit, platform, kind, options):
    server, owner = ChatServer(), Client(platform)
    owner.shop()
    walker = Walker(kind, visit("sign-in/", **options), options)
    page, hand = walker.page, walker.hand
    sign_in(page, owner.person)
    page.goto(f"http://{DOMAIN}:{platform.port}/settings/channels/")
    shoot(page, "channels-empty")
    hand.write(page.get_by_label("Name"), "Workshop")
    hand.write(page.get_by_label("Address"), f"ntfy://{server.host}/workshop")
    hand.push(page.get_by_role("button", name="Add channel"))

    expect(page.get_by_text(f"ntfy://{server.host.partition(':')[0]}/…").first).to_be_visible()
    hand.push(page.get_by_role("button", name="Send test message"))
    expect(page.get_by_text("Last sent")).to_be_visible()  # the page follows by itself
    shoot(page, "channels-sent")
    assert faults_of(page, "channels") == []
    assert server.requests[0].json["title"] == "Test message"
    server.stop()
    hand.push(page.get_by_role("button", name="Send test message"))
    expect(page.get_by_text("refuses connections")).to_be_visible()
    shoot(page, "channels-failed")
    hand.push(page.get_by_role("link", name="Workshop", exact=True))
    expect(page.get_by_text("stored encrypted")).to_be_visible()
    shoot(page, "channels-edit")
    assert faults_of(page, "channel") == []
    hand.push(page.get_by_role("link", name="Delete Workshop"))
    shoot(page, "channels-delete")
    assert faults_of(page, "delete a channel") == []
    hand.push(page.get_by_role("main").get_by_role("button", name="Delete"))
    expect(page.get_by_text("No channels yet.")).to_be_visible()

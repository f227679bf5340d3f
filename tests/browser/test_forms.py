"""Forms of the console in a browser: Back, a lost session, times; the page of API tokens."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.scenarios import (
    PASSWORD,
    Hand,
    bring,
    faults_of,
    menu_of_account,
    register,
    set_up_shop,
    sign_out,
)
from tests.live.processes import DOMAIN

pytestmark = pytest.mark.slow


def order_page(page: Page, part: str) -> None:
    """The form of a new order, with a shop and a part."""
    hand = Hand(page)
    register(hand)
    set_up_shop(hand)
    bring(hand, part)
    page.goto(page.url.partition("/model/")[0] + "/order/new/")


@pytest.mark.parametrize("script", [True, False])
def test_order_form_sent_again_after_back_creates_no_second_order(visit, part, script):
    page = visit(java_script_enabled=script)
    order_page(page, part)
    base = page.url.partition("/order/")[0]
    for _ in range(2):
        page.get_by_role("spinbutton").first.fill("3")
        page.get_by_role("button", name="Create order").click()
        expect(page.get_by_text("Order created.")).to_be_visible()
        page.go_back()
        expect(page.get_by_role("button", name="Create order")).to_be_visible()

    page.goto(f"{base}/order/")
    expect(page.locator("main tbody tr")).to_have_count(1)


def test_form_is_sent_after_the_sign_in_when_the_session_has_ended(chromium, platform):
    page = chromium.new_context().new_page()  # whose console reports the 401
    page.goto(f"http://{DOMAIN}:{platform.port}/")
    name = register(Hand(page))
    set_up_shop(Hand(page))
    page.goto(f"http://{DOMAIN}:{platform.port}/bureau/")
    page.get_by_label("Shop name").fill("Second shop")
    page.get_by_label("Printer", exact=True).select_option("Other (custom bed size)")
    other = page.context.new_page()
    other.goto(page.url)
    sign_out(other)

    page.get_by_role("button", name="Create shop").click()
    expect(page.get_by_text("Your entries are kept")).to_be_visible()
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()

    expect(page.get_by_text("Shop created.")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("Second shop")
    page.context.close()


@pytest.mark.parametrize(
    ("zone", "script", "text"),
    [
        ("Asia/Tokyo", True, "1 Feb 2099, 08:59"),
        ("America/New_York", True, "31 Jan 2099, 18:59"),
        ("Asia/Tokyo", False, "31 Jan 2099, 23:59 UTC"),
    ],
)
def test_times_are_in_the_time_zone_of_the_viewer(visit, zone, script, text):
    page = visit(timezone_id=zone, java_script_enabled=script)
    register(Hand(page))
    menu_of_account(page)
    page.get_by_role("link", name="API and API tokens").click()
    page.get_by_label("Name").fill("nightly")
    page.get_by_label("Valid until").fill("2099-01-31")

    page.get_by_role("button", name="Create API token").click()

    expect(page.get_by_role("listitem").filter(has_text="nightly")).to_contain_text(text)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_api_page_creates_and_revokes_a_token(visit, scheme, platform):
    page, faults = visit(color_scheme=scheme), []
    register(Hand(page))
    menu_of_account(page)
    page.get_by_role("link", name="API and API tokens").click()
    page.get_by_label("Name").fill("nightly")
    page.get_by_role("button", name="Create API token").click()
    expect(page.get_by_label("API token", exact=True)).to_have_value(re.compile("^[0-9a-f-]{36}:"))
    for width in (360, 390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        faults += faults_of(page, f"/api/ at {width}")

    page.goto(f"http://{DOMAIN}:{platform.port}/api/")
    page.get_by_role("button", name="Revoke").click()

    expect(page.get_by_text("API token revoked.")).to_be_visible()
    expect(page.get_by_text("No API tokens yet.")).to_be_visible()
    assert faults == []

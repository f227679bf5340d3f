"""From a model to what is made of it: shops, orders, runs, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser import pseudo_locale
from tests.browser.scenarios import (
    Ear,
    Finger,
    Hand,
    bring,
    clear,
    faults_of,
    fits,
    make,
    order,
    print_it,
    register,
    set_up_shop,
    speak,
)
from tests.live.processes import DOMAIN

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        pytest.param(Hand, {}, id="by mouse"),
        pytest.param(Ear, {}, id="by keyboard and ear alone"),
        pytest.param(Hand, {"java_script_enabled": False}, id="without script"),
        pytest.param(
            Finger,
            {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
            id="on a phone",
        ),
    ],
)
def test_part_is_ordered_packed_and_printed(visit, part, kind, options):
    hand = kind(visit(**options))
    register(hand)
    set_up_shop(hand)
    bring(hand, part)
    order(hand)
    assert fits(hand.page)
    make(hand)
    assert fits(hand.page)
    print_it(hand)
    clear(hand)


def test_demo_shop_leads_to_a_packed_run_with_one_button(visit):
    page = visit()
    register(Hand(page))
    page.get_by_role("link", name="Queue", exact=True).click()

    page.get_by_role("button", name="Try with sample data").click()
    expect(page.get_by_role("heading", name="Sample data")).to_be_visible()

    expect(page.get_by_role("heading", name="Sample build")).to_be_visible()
    expect(page.get_by_role("link", name="Download G-code")).to_be_visible()


def test_error_of_a_form_stays_when_the_page_is_updated(chromium, platform, part):
    with chromium.new_context(locale="en-GB") as context:  # unwatched: the answer is 400
        page = context.new_page()
        page.goto(f"http://{DOMAIN}:{platform.port}/")
        hand = Hand(page)
        register(hand)
        set_up_shop(hand)
        bring(hand, part)
        order(hand)
        make(hand)
        print_it(hand)
        reject = page.get_by_role("checkbox", name="No. 2")
        reject.evaluate("box => box.value = box.value.replace(/.$/, '!')")
        reject.check()

        page.get_by_role("button", name="Mark bed as cleared").click()

        error = page.locator("#printer > [role=alert]")
        expect(error).to_be_visible()
        expect(page.locator("#printer[data-new]")).to_be_visible()  # it was updated
        expect(error).to_be_visible()


def test_shop_and_order_pages_are_accessible(visit, part):
    page = visit()
    hand = Hand(page)
    register(hand)
    page.get_by_role("link", name="Queue", exact=True).click()
    pages = {"set up": page.url}
    set_up_shop(hand)
    bring(hand, part)
    order(hand)
    pages["order"] = page.url
    page.get_by_role("link", name="Orders").first.click()
    pages["orders"] = page.url
    page.goto(page.url.partition("/order/")[0] + "/order/new/")
    pages["order form"] = page.url
    page.goto(pages["order"])
    page.get_by_role("main").get_by_role("link", name="Parts & <b>Sons</b>").click()
    pages |= {"queue": page.url, "board": f"{page.url}?view=board"}
    pages["schedule"] = f"{page.url}?view=schedule"
    faults = faults_of(page, "queue with a line item")
    page.goto(pages["order"])
    make(hand)
    pages["run"] = page.url
    print_it(hand)
    pages["printer"] = page.url
    page.get_by_role("main").get_by_role("link", name="Workshop", exact=True).click()
    pages["farm"] = page.url
    page.goto(pages["queue"])
    page.get_by_label("More", exact=True).click()
    page.get_by_role("link", name="Prices").click()
    pages["price list"] = page.url
    page.get_by_role("button", name="Save price list").click()
    page.goto(pages["order"])
    page.get_by_role("main").get_by_role("link", name="Ball").click()
    page.goto(f"{page.url}prices/")
    pages["price form"] = page.url
    page.get_by_role("button", name="Calculate prices").click()
    pages["price table"] = page.url
    page.get_by_role("checkbox").nth(1).check()  # of what is exact, once its slice is there
    page.get_by_role("button", name="Add to order").click()
    expect(page.get_by_text("Order created.")).to_be_visible()

    page.get_by_role("link", name="Failed jobs").click()
    pages["failures"] = page.url

    # Each language, scheme and width, not all of their combinations.
    for language, scheme, width in (
        ("en", "dark", 360),
        ("en", "light", 1600),
        ("de", "dark", 1600),
        (pseudo_locale.CODE, "light", 360),
    ):
        speak(page, language)
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        for name, address in pages.items():
            page.goto(address)
            faults += faults_of(page, f"{name}, {language}, {scheme}, {width}")

    assert faults == []

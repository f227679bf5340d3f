"""From a model to what is made of it: shops, orders, runs, in a real browser."""

import itertools

import pytest
from playwright.sync_api import expect

from tests.browser.walking import (
    NAME,
    Finger,
    Hand,
    Keys,
    faults_of,
    fits,
    register,
    see_verdict,
    speak,
)

pytestmark = pytest.mark.slow


def set_up_shop(hand: Hand) -> None:
    """A shop whose printer is in no catalogue."""
    page = hand.page
    hand.push(page.get_by_role("link", name="Shops"))
    hand.write(page.get_by_label("Name of the shop"), "Parts & <b>Sons</b>")
    hand.choose(page.get_by_label("Printer", exact=True), "another one, whose bed is as said below")
    hand.push(page.get_by_role("button", name="Set up the shop"))
    expect(page.get_by_text("Your shop is set up.")).to_be_visible()


def bring(hand: Hand, part: str) -> None:
    """A model that can be made."""
    page = hand.page
    hand.push(page.get_by_role("link", name="Models"))
    expect(page.get_by_role("heading", name="Models", level=1)).to_be_visible()
    page.wait_for_load_state()  # there is a script, or none
    if page.get_by_label("Choose files").is_visible():
        hand.bring(page.get_by_label("Choose files"), part)
    else:
        hand.write(page.get_by_label("Name", exact=True), NAME)
        hand.push(page.get_by_role("button", name="Next: the file"))
        hand.bring(page.get_by_label("File"), part)
        hand.push(page.get_by_role("button", name="Send the file"))
    see_verdict(page)


def order(hand: Hand, name: str = "Nr. 1") -> None:
    """Three of the model whose page is open, confirmed."""
    page = hand.page
    hand.push(page.get_by_role("link", name="Order it"))
    hand.write(page.get_by_label("What the order is called"), name)
    hand.write(page.get_by_label("Ball"), "3")
    hand.push(page.get_by_role("button", name="Order them"))
    expect(page.get_by_text("The order is made.")).to_be_visible()
    expect(page.get_by_role("main").get_by_text("It waits to be confirmed.")).to_be_visible()
    expect(page.get_by_text("Costs you")).to_be_visible()
    hand.push(page.get_by_role("button", name="Confirm the order"))
    expect(page.get_by_text("No. 3: waits for a run")).to_be_visible()


def make(hand: Hand) -> None:
    """What waits is packed and sliced, and its gcode taken home."""
    page = hand.page
    hand.push(page.get_by_role("link", name="Parts & <b>Sons</b>"))
    expect(page.get_by_role("checkbox", name="3 × Ball")).to_be_checked()
    hand.choose(page.get_by_label("How long a good packing is searched for"), "seconds")
    hand.push(page.get_by_role("button", name="Pack a run"))
    expect(page.get_by_role("main").get_by_text("It is packed.")).to_be_visible()
    expect(page.get_by_role("img", name="The packed plate, from above")).to_be_visible()
    expect(page.get_by_role("link", name="Download the gcode")).to_be_visible()
    with page.expect_download() as taken:
        hand.push(page.get_by_role("link", name="Download the gcode"))
    assert b"G1" in taken.value.path().read_bytes()


def print_it(hand: Hand) -> None:
    """The run whose page is open is printed, and lies on the plate of its printer."""
    page = hand.page
    hand.push(page.get_by_role("link", name="Printer 1"))
    for words in (
        "The plate is empty",
        "Print it here",
        "It is printing now",
        "It is done",
    ):
        expect(page.get_by_role("button", name=words)).to_be_visible()
        assert fits(page)
        hand.push(page.get_by_role("button", name=words))
    expect(page.get_by_role("button", name="The plate is cleared")).to_be_visible()


def clear(hand: Hand) -> None:
    """The plate of the printer whose page is open is cleared; one of three is made again."""
    page = hand.page
    hand.tick(page.get_by_role("checkbox", name="No. 2"))
    hand.write(page.get_by_label("What is wrong with it"), "Warped <b>")
    assert fits(page)
    hand.push(page.get_by_role("button", name="The plate is cleared"))
    expect(page.get_by_text("The plate is clear.")).to_be_visible()
    hand.push(page.get_by_role("link", name="Printers of Workshop"))
    expect(page.get_by_role("listitem").filter(has_text="Printer 1")).to_contain_text("free")
    assert fits(page)
    hand.push(page.get_by_role("link", name="Parts & <b>Sons</b>"))
    expect(page.get_by_role("checkbox", name="1 × Ball")).to_be_checked()


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        pytest.param(Hand, {}, id="by mouse"),
        pytest.param(Keys, {}, id="by keyboard alone"),
        pytest.param(Hand, {"java_script_enabled": False}, id="without script"),
        pytest.param(
            Finger,
            {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
            id="on a phone",
        ),
    ],
)
def test_parts_are_made(visit, part, kind, options):
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


def test_who_would_rather_look_first_sees_a_packed_run_by_one_button(visit):
    page = visit()
    register(Hand(page))
    page.get_by_role("link", name="Shops").click()

    page.get_by_role("button", name="Show me with sample data").click()
    expect(page.get_by_role("heading", name="Sample data")).to_be_visible()

    expect(page.get_by_role("heading", name="Sample run")).to_be_visible()
    expect(page.get_by_role("link", name="Download the gcode")).to_be_visible()


def test_every_page_of_a_shop_can_be_used_by_everybody(visit, part):
    page = visit()
    hand = Hand(page)
    register(hand)
    page.get_by_role("link", name="Shops").click()
    pages = {"set up": page.url}
    set_up_shop(hand)
    bring(hand, part)
    order(hand)
    pages["order"] = page.url
    page.get_by_role("link", name="Orders").first.click()
    pages["orders"] = page.url
    page.get_by_role("link", name="New order").click()
    pages["order form"] = page.url
    page.goto(pages["order"])
    page.get_by_role("link", name="Parts & <b>Sons</b>").click()
    pages["board"] = page.url
    page.goto(pages["order"])
    make(hand)
    pages["run"] = page.url
    print_it(hand)
    pages["printer"] = page.url
    page.get_by_role("link", name="Printers of Workshop").click()
    pages["farm"] = page.url
    page.goto(pages["board"])
    page.get_by_role("link", name="Prices").click()
    pages["price list"] = page.url
    page.get_by_role("button", name="Sell by these prices").click()
    page.goto(pages["order"])
    page.get_by_role("main").get_by_role("link", name="Ball").click()
    page.get_by_role("link", name="What it costs").click()
    pages["price form"] = page.url
    page.get_by_role("button", name="Show the prices").click()
    pages["price table"] = page.url
    page.get_by_role("checkbox").nth(1).check()  # of what is exact, once its slice is there
    page.get_by_role("button", name="Order what is ticked").click()
    expect(page.get_by_text("The order is made.")).to_be_visible()

    page.get_by_role("link", name="What failed").click()
    pages["failures"] = page.url

    faults = []
    for language, scheme, width in (
        *itertools.product(["en"], ["light", "dark"], [360, 1600]),
        ("de", "light", 360),
        ("de", "dark", 1600),
    ):
        speak(page, language)
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        for name, address in pages.items():
            page.goto(address)
            faults += faults_of(page, f"{name}, {language}, {scheme}, {width}")

    assert faults == []

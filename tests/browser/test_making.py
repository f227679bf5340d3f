"""From a model to what is made of it: shops, orders, runs, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.walking import faults_of, fits, register, see_verdict, speak

pytestmark = pytest.mark.slow


def set_up_shop(page: Page) -> None:
    """A shop whose printer is in no catalogue."""
    page.get_by_role("link", name="Shops").click()
    page.get_by_label("Name of the shop").fill("Parts & <b>Sons</b>")
    page.get_by_label("Printer", exact=True).select_option("")
    page.get_by_role("button", name="Set up the shop").click()
    expect(page.get_by_text("Your shop is set up.")).to_be_visible()


def bring(page: Page, part: str) -> None:
    """A model that can be made."""
    page.get_by_role("link", name="Models").click()
    if page.get_by_label("Choose files").is_visible():
        page.get_by_label("Choose files").set_input_files(part)
    else:
        page.get_by_label("Name", exact=True).fill('Ball <i> "№ 1" & more')
        page.get_by_role("button", name="Next: the file").click()
        page.get_by_label("File").set_input_files(part)
        page.get_by_role("button", name="Send the file").click()
    see_verdict(page)


def order(page: Page, name: str = "Nr. 1") -> None:
    """Three of the model whose page is open, confirmed."""
    page.get_by_role("link", name="Order it").click()
    page.get_by_label("What the order is called").fill(name)
    page.get_by_label("Ball").fill("3")
    page.get_by_role("button", name="Order them").click()
    expect(page.get_by_text("The order is made.")).to_be_visible()
    expect(page.get_by_role("main").get_by_text("It waits to be confirmed.")).to_be_visible()
    expect(page.get_by_text("Costs you")).to_be_visible()
    page.get_by_role("button", name="Confirm the order").click()
    expect(page.get_by_text("No. 3: waits for a run")).to_be_visible()


def make(page: Page) -> None:
    """What waits is packed and sliced, its gcode taken home, and the run brought to its end."""
    page.get_by_role("link", name="Parts & <b>Sons</b>").click()
    expect(page.get_by_role("checkbox", name="3 × Ball")).to_be_checked()
    page.get_by_label("How long a good packing is searched for").select_option("quick")
    page.get_by_role("button", name="Pack a run").click()
    expect(page.get_by_role("main").get_by_text("It is packed.")).to_be_visible()
    expect(page.get_by_role("img", name="The packed plate, from above")).to_be_visible()
    with page.expect_download() as taken:
        page.get_by_role("link", name="Download the gcode").click()
    assert b"G1" in taken.value.path().read_bytes()


def end(page: Page) -> None:
    """The run whose page is open is printed, and its plate cleared; one of three is made again."""
    page.get_by_role("link", name="Printer 1").click()
    page.get_by_role("button", name="The plate is empty").click()
    page.get_by_role("button", name="Print it here").click()
    page.get_by_role("button", name="It is printing now").click()
    assert fits(page)
    page.get_by_role("button", name="It is done").click()
    page.get_by_role("checkbox", name="No. 2").check()
    page.get_by_label("What is wrong with it").fill("Warped <b>")
    assert fits(page)
    page.get_by_role("button", name="The plate is cleared").click()
    expect(page.get_by_text("The plate is clear.")).to_be_visible()
    page.get_by_role("link", name="Printers of Workshop").click()
    expect(page.get_by_role("listitem").filter(has_text="Printer 1")).to_contain_text("free")
    assert fits(page)
    page.get_by_role("link", name="Parts & <b>Sons</b>").click()
    expect(page.get_by_role("checkbox", name="1 × Ball")).to_be_checked()


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="by mouse"),
        pytest.param({"java_script_enabled": False}, id="without script"),
        pytest.param(
            {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
            id="on a phone",
        ),
    ],
)
def test_parts_are_made(visit, part, options):
    page = visit(**options)
    register(page)
    set_up_shop(page)
    bring(page, part)
    order(page)
    assert fits(page)
    make(page)
    assert fits(page)
    end(page)


def test_who_would_rather_look_first_sees_a_packed_run_by_one_button(visit):
    page = visit()
    register(page)
    page.get_by_role("link", name="Shops").click()

    page.get_by_role("button", name="Show me with sample data").click()
    expect(page.get_by_role("heading", name="Sample data")).to_be_visible()

    expect(page.get_by_role("heading", name="Sample run")).to_be_visible()
    expect(page.get_by_role("link", name="Download the gcode")).to_be_visible()


def test_every_page_of_a_shop_can_be_used_by_everybody(visit, part):
    page = visit()
    register(page)
    page.get_by_role("link", name="Shops").click()
    pages = {"set up": page.url}
    set_up_shop(page)
    bring(page, part)
    order(page)
    pages["order"] = page.url
    page.get_by_role("link", name="Orders").first.click()
    pages["orders"] = page.url
    page.get_by_role("link", name="New order").click()
    pages["order form"] = page.url
    page.goto(pages["order"])
    page.get_by_role("link", name="Parts & <b>Sons</b>").click()
    pages["board"] = page.url
    page.goto(pages["order"])
    make(page)
    pages["run"] = page.url
    page.get_by_role("link", name="Printer 1").click()
    pages["printer"] = page.url
    page.get_by_role("button", name="The plate is empty").click()
    page.get_by_role("button", name="Print it here").click()
    page.get_by_role("button", name="It is printing now").click()
    page.get_by_role("button", name="It is done").click()
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

    faults = []
    for language in ("en", "de"):
        speak(page, language)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for width in (360, 1600):
                page.set_viewport_size({"width": width, "height": 900})
                for name, address in pages.items():
                    page.goto(address)
                    faults += faults_of(page, f"{name}, {language}, {scheme}, {width}")

    assert faults == []

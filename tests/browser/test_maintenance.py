"""Maintenance of a printer, from the plan to the log, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser import pseudo_locale
from tests.browser.scenarios import (
    Hand,
    bring,
    clear,
    faults_of,
    make,
    order,
    print_it,
    register,
    set_up_shop,
    speak,
)

pytestmark = pytest.mark.slow


def test_due_task_is_seen_on_the_dashboard_and_logged(visit, part):
    page = visit()
    hand = Hand(page)
    register(hand)
    set_up_shop(hand)
    home = page.url.partition("/bureau/")[0]
    for name, field, interval in (
        ("Clean print sheet", "Every (prints)", "1"),
        ("Lubricate rods", "Every (print hours)", "200"),
        ("Check belts", "Every (days)", "90"),
    ):
        page.goto(f"{home}/maintenance-task/new/")
        hand.write(page.get_by_role("textbox", name="Name"), name)
        hand.write(page.get_by_label(field), interval)
        hand.push(page.get_by_role("button", name="Create"))
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    bring(hand, part)
    order(hand)
    make(hand)
    print_it(hand)
    printer = page.url.partition("?")[0]
    clear(hand)

    page.goto(home)
    hand.push(page.get_by_role("link", name="Open maintenance: Printer 1: maintenance due"))
    hand.tick(page.get_by_role("checkbox", name="Clean print sheet"))
    hand.write(page.get_by_label("Notes"), "Isopropanol <b>")
    hand.push(page.get_by_role("button", name="Log maintenance"))

    expect(page.get_by_text("Changes saved.")).to_be_visible()
    log = page.get_by_role("region", name="Maintenance log")
    expect(log.get_by_role("listitem")).to_contain_text("Isopropanol <b>")
    faults = []
    for language, width in (("en", 1280), ("de", 390), (pseudo_locale.CODE, 360)):
        speak(page, language)
        page.set_viewport_size({"width": width, "height": 900})
        for name, address in (("printer", printer), ("maintenance", f"{printer}maintenance/")):
            page.goto(address)
            faults += faults_of(page, f"{name}, {language}, {width}")
    assert faults == []

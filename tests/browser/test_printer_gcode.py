"""The owner reads the start and end G-code of a printer of another slicer, and confirms it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.scenarios import Hand, faults_of
from tests.browser.test_card_payments import shoot, sign_in
from tests.browser.walker import DARK, DESK, ON_A_DESK, ON_A_PHONE, PHONE, Walker
from tests.live.client import Client
from tests.live.processes import DOMAIN
from tests.slicing.gcode_set import PLAIN, SMART

pytestmark = pytest.mark.slow


def open_gcode(walker: Walker, platform, name: str) -> None:
    """Add a printer of the catalogue, and open the G-code of its type."""
    page, hand = walker.page, walker.hand
    page.goto(f"http://{DOMAIN}:{platform.port}/printer/add/?q={name.replace(' ', '+')}")
    hand.push(page.get_by_role("link", name=f"Add: {name}").first)
    hand.write(page.get_by_label(re.compile("per hour|hourly", re.IGNORECASE)).first, "3")
    hand.push(page.get_by_role("button", name="Add printer"))
    expect(page).not_to_have_url(re.compile("/printer/add/"))
    page.goto(f"http://{DOMAIN}:{platform.port}/printer-type/")
    hand.push(page.get_by_role("link", name=name).first)
    expect(page.get_by_text("Estimates only").first).to_be_visible()
    shoot(page, f"estimates-only-{name[:7]}")
    assert faults_of(page, "printer type") == []
    hand.push(page.get_by_role("link", name="Review G-code").first)


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_PHONE])
def test_owner_confirms_the_gcode_of_a_printer(visit, platform, kind, options):
    owner = Client(platform)
    owner.shop()
    walker = Walker(kind, visit("sign-in/", **options), options)
    page, hand = walker.page, walker.hand
    sign_in(page, owner.person)
    open_gcode(walker, platform, PLAIN.partition(" 0.4")[0])
    shoot(page, "gcode-proposal")
    assert faults_of(page, "proposal") == []

    hand.tick(page.get_by_label("I have read", exact=False))
    hand.push(page.get_by_role("button", name="Confirm and test"))
    hand.push(page.get_by_role("button", name="Print with it"))

    expect(page.get_by_text("Confirmed", exact=True)).to_be_visible()
    shoot(page, "gcode-in-use")
    assert faults_of(page, "in use") == []


@pytest.mark.parametrize("options", [DESK, PHONE | DARK], ids=["on a desk", "on a dark phone"])
def test_placeholders_without_an_equivalent_are_marked(visit, platform, options):
    owner = Client(platform)
    owner.shop()
    walker = Walker(Hand, visit("sign-in/", **options), options)
    page = walker.page
    sign_in(page, owner.person)
    open_gcode(walker, platform, SMART.partition(" 0.4")[0])

    expect(page.locator("mark").first).to_be_visible()
    shoot(page, "gcode-unresolved")
    assert faults_of(page, "unresolved") == []

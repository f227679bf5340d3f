"""A visitor buys at the domain of a shop, and gets the print reports of the order as PDF."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.page_errors import watch
from tests.browser.scenarios import faults_of
from tests.browser.test_card_payments import shoot
from tests.browser.test_storefront import BUYER, open_storefront

pytestmark = pytest.mark.slow
OWN = "own.localhost"


@pytest.fixture(scope="module")
def shop(platform) -> str:
    """The address of a shop that judges the parts of its orders."""
    seller, _, bureau = open_storefront(platform, "own-shop")
    seller.make("process-limits", bureau=bureau, wall_fault=0.1, wall_risk=60)
    return f"http://{OWN}:{platform.port}/"


@pytest.mark.parametrize(("width", "script"), [(1280, True), (390, False)])
def test_visitor_orders_at_the_domain_of_the_shop(chromium: Browser, shop, part, width, script):
    viewport = {"width": width, "height": 800}
    context = chromium.new_context(viewport=viewport, locale="en-GB", java_script_enabled=script)
    with watch(context, "localhost") as faults:
        page = context.new_page()
        page.goto(shop)
        upload(page, part, script=script)
        price = page.locator("input[name^=cell-]").first
        expect(price).to_be_visible()
        shoot(page, "own-domain-prices")
        price.check()
        page.get_by_role("button", name="Checkout").first.click()
        for label, text in BUYER.items():
            page.get_by_label(label, exact=True).first.fill(text)
        page.get_by_role("button", name="Place order").click()

        expect(page.get_by_role("heading", name=re.compile("Order #"))).to_be_visible()
        assert urlsplit(page.url).hostname == OWN
        assert not script or faults_of(page, "order") == []
        shoot(page, "own-domain-order")
        page.get_by_role("link", name="Printability report as PDF").click()
        with_link = page.get_by_role("link", name="Download as PDF")
        expect(page.get_by_text("Creating PDF").or_(with_link)).to_be_visible()
        expect(with_link).to_be_visible()
        assert not script or faults_of(page, "print report") == []
        shoot(page, "own-domain-pdf")
        with page.expect_download() as download:
            with_link.click()
        assert Path(download.value.path()).read_bytes().startswith(b"%PDF-")
        context.close()
    assert faults == []


def upload(page: Page, part: str, *, script: bool) -> None:
    if script:
        page.get_by_label("Choose files").set_input_files(part)
        return
    page.get_by_label("Name", exact=True).fill("Ball")
    page.get_by_role("button", name="Next: choose file").click()
    page.get_by_label("File").set_input_files(part)
    page.get_by_role("button", name="Upload file").click()
    assert urlsplit(page.url).hostname == OWN
    page.get_by_role("button", name="Show prices").first.click()

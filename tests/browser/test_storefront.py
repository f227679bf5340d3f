"""A visitor buys at a storefront: from the shop's link to a placed order, and to a price."""

from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.scenarios import faults_of
from tests.browser.walker import (
    BY_KEYBOARD,
    ON_A_DARK_PHONE,
    ON_A_DESK,
    WITHOUT_SCRIPT,
    Walker,
)
from tests.live.client import Client
from tests.live.processes import Platform

pytestmark = pytest.mark.slow

WAYS = [ON_A_DESK, ON_A_DARK_PHONE, WITHOUT_SCRIPT, BY_KEYBOARD]
NUMBERS = count(1)
BUYER = {
    "E-mail": "joost@example.com",
    "Name": "Joost van Dijk",
    "Street": "Havenstraat 22",
    "Postal code": "28195",
    "City": "Bremen",
}


@pytest.fixture
def storefront(platform) -> str:
    """The path of the storefront of a shop that prints, and confirms orders by itself."""
    return open_storefront(platform)[1]


def open_storefront(platform: Platform, slug: str = "") -> tuple[Client, str, str]:
    """The owner of a shop that prints, and confirms orders by itself, its path and its URI."""
    seller, slug = Client(platform), slug or f"shop-{next(NUMBERS)}"
    bureau, printer = seller.shop()
    kind = seller.read(printer)["printer_type"]
    pla = seller.make(
        "material", bureau=bureau, name="PLA", cost=0.03, density=1.24, color="#c8452d"
    )
    running = {"materials": [pla], "config": seller.config(), "running_cost_per_hour": 2}
    seller.ask("PUT", kind, 204, json=running)
    workflow = seller.make("workflow", bureau=bureau, name="Print")
    seller.make("process-step", workflow=workflow, step_position=1, process_type=kind)
    prices = seller.make("price-list", bureau=bureau, name="Retail", country="DE", is_default=True)
    polish = seller.make("post-processor-type", bureau=bureau, name="Polished")
    polishing = seller.make("workflow", bureau=bureau, name="Print and polish")
    for position, process in enumerate((kind, polish), 1):
        step = {"step_position": position, "process_type": process}
        seller.make("process-step", workflow=polishing, **step)
    terms = {"price_list": prices, "name": "Material", "step": "piece", "unit": "cc", "amount": 2}
    seller.make("price-term", **terms)
    finish = {"step": "finish", "unit": "piece", "amount": 4, "post_processor_types": [polish]}
    seller.make("price-term", **terms | finish | {"name": "Polishing"})
    seller.make("tax-rule", bureau=bureau, name="VAT", category="S", country="DE", rate=19)
    selling = {"price_list": prices, "materials": [pla], "enabled": True, "review": "instant"}
    selling |= {"post_processor_types": [polish]}
    selling |= {"infill_strategies": ["15%", "40%"], "layer_thicknesses": [0.1, 0.2]}
    seller.make("storefront", bureau=bureau, slug=slug, **selling)
    return seller, f"s/{slug}/", bureau


def check(buyer: Walker, name: str) -> None:
    """What axe finds, which needs script, and what does not fit."""
    assert not buyer.has_script or faults_of(buyer.page, name) == []


def bring(buyer: Walker, part: str) -> None:
    """Upload a file and have it priced."""
    page, hand = buyer.page, buyer.hand
    if buyer.has_script:
        page.get_by_label("Choose files").set_input_files(part)
        buyer.count += 1
    else:
        hand.write(page.get_by_label("Name", exact=True), "Ball")
        hand.push(page.get_by_role("button", name="Next: choose file"))
        page.get_by_label("File").set_input_files(part)
        hand.push(page.get_by_role("button", name="Upload file"))
        hand.push(page.get_by_role("button", name="Show prices").first)


def place(buyer: Walker) -> None:
    """Order what is chosen: checkout, address, order."""
    page, hand = buyer.page, buyer.hand
    hand.push(page.get_by_role("button", name="Checkout"))
    expect(page.get_by_role("heading", name="Checkout")).to_be_visible()
    check(buyer, "checkout")
    for label, text in BUYER.items():
        hand.write(page.get_by_label(label, exact=True).first, text)
    hand.push(page.get_by_role("button", name="Place order"))
    expect(page.get_by_role("heading", name="Order #")).to_be_visible()


@pytest.mark.parametrize(("kind", "options"), WAYS)
def test_visitor_orders_at_a_storefront(visit, storefront, part, kind, options):
    buyer = Walker(kind, visit(storefront, **options), options)
    page = buyer.page
    check(buyer, "storefront")

    bring(buyer, part)
    expect(page.locator("input[name^=cell-]").first).to_be_checked()
    print(f"to a price: {buyer.count} interactions")
    check(buyer, "prices")
    place(buyer)
    buyer.ended("an order at a storefront", most=8 if buyer.has_script else 12)
    check(buyer, "order")


@pytest.mark.parametrize(("kind", "options"), WAYS)
def test_visitor_chooses_options_and_orders_again(visit, storefront, part, kind, options):
    buyer = Walker(kind, visit(storefront, **options), options)
    page, hand = buyer.page, buyer.hand
    bring(buyer, part)
    polished = page.get_by_role("row").filter(has_text="Polished")
    price = polished.locator("input[name^=cell-]").first
    expect(price).to_be_visible()
    hand.choose(page.get_by_label("Infill"), "40 %")
    hand.push(page.get_by_role("button", name="Show prices"))
    expect(page.get_by_label("Infill")).to_have_value("40%")
    expect(price).to_be_visible()
    hand.tick(price)
    place(buyer)
    expect(page.get_by_text("PLA, Polished")).to_be_visible()

    hand.push(page.get_by_role("button", name="Order again"))
    expect(page.get_by_role("complementary").get_by_text("PLA, Polished")).to_be_visible()
    check(buyer, "order again")


def test_chosen_price_stays_while_another_part_is_uploaded(visit, storefront, part, tmp_path):
    page = visit(storefront)
    second = tmp_path / "second.stl"
    second.write_bytes(Path(part).read_bytes())
    page.get_by_label("Choose files").set_input_files(part)
    polished = page.get_by_role("row").filter(has_text="Polished").first.locator("input").first
    polished.check()

    page.get_by_label("Choose files").set_input_files(str(second))

    expect(page.get_by_role("row").filter(has_text="Polished")).to_have_count(2)
    expect(polished).to_be_checked()

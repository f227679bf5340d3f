"""The owner ships an order in two parcels; the customer tracks them on the page of the order."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.scenarios import faults_of
from tests.browser.test_card_payments import shoot, sign_in
from tests.browser.test_order_documents import pdf_at
from tests.browser.walker import ON_A_DESK, ON_A_PHONE, Walker
from tests.live.client import Client
from tests.live.processes import DOMAIN, Platform
from tests.waiting import wait_for

pytestmark = pytest.mark.slow
CODE = "00340434161094042557"


def confirmed_order(platform: Platform) -> tuple[Client, str]:
    """The owner of a shop, and an order of two pieces that wait to be shipped."""
    owner = Client(platform)
    bureau, _ = owner.shop()
    parcel = owner.make("shipping", bureau=bureau, name="Parcel")
    workflow = owner.make("workflow", bureau=bureau, name="From stock")
    owner.make("process-step", workflow=workflow, step_position=1, process_type=parcel)
    customer = owner.make("customer", bureau=bureau, name="Hansa GmbH", address="Am Kai 2")
    address = {"name": "Kai Reimers", "address": "Am Kai 2\n20457 Hamburg"}
    order = owner.make("order", bureau=bureau, name="Gears", customer=customer, shipping=address)
    part = {"name": "Planet gear", "quantity": 2, "no_model_upload": True}
    item = owner.make("line-item", bureau=bureau, order=order, workflow=workflow, **part)
    wait_for(lambda: owner.read(item)["status"] == "pending")
    owner.ask("PUT", item, 204, json={"status": "confirmed"})
    return owner, order


def customer_page(owner: Client, order: str) -> str:
    """The path of the order's page for its customer."""
    link = owner.make("share-link", order=order)
    token = owner.ask("POST", f"{link}link/", 201).json()["token"]
    return f"o/{token}/"


def open_form(page: Page) -> None:
    page.locator("summary").filter(has_text="Create shipment").click()


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_PHONE])
def test_owner_ships_in_two_parcels_and_the_customer_tracks_them(visit, platform, kind, options):
    owner, order = confirmed_order(platform)
    buyer = visit(customer_page(owner, order), **options)
    walker = Walker(kind, visit("order/", **options), options)
    page = walker.page
    sign_in(page, owner.person)
    key = order.rstrip("/").rpartition("/")[2]
    page.goto(f"http://{DOMAIN}:{platform.port}/order/{key}/")

    open_form(page)
    expect(page.get_by_role("spinbutton", name="Planet gear")).to_have_value("2")
    shoot(page, "shipment-form")
    page.get_by_role("spinbutton", name="Planet gear").fill("1")
    page.get_by_label("Carrier").fill("DHL")
    page.get_by_label("Tracking number", exact=True).fill(CODE)
    page.get_by_role("button", name="Create shipment").click()
    expect(page.get_by_text("1 of 2 pieces shipped")).to_be_visible()
    page.get_by_role("button", name="Create delivery note").click()
    expect(page.get_by_role("link", name="Delivery note DN-")).to_have_count(2)
    walker.check()
    assert faults_of(page, "order with a shipment") == []
    shoot(page, "order-shipments")

    buyer.reload()
    link = buyer.get_by_role("link", name="Track shipment")
    expect(link).to_have_attribute(
        "href", f"https://www.dhl.com/global-en/home/tracking.html?tracking-id={CODE}"
    )
    assert pdf_at(buyer, "Delivery note DN-").startswith(b"%PDF-")
    assert faults_of(buyer, "shipped order") == []
    shoot(buyer, "shared-shipments")

    open_form(page)
    page.get_by_role("button", name="Create shipment").click()
    expect(page.get_by_text("2 of 2 pieces shipped")).to_be_visible()
    expect(page.get_by_role("heading", name="Gears").locator("xpath=..")).to_contain_text(
        "Completed"
    )
    shoot(page, "order-shipped")
    page.goto(f"http://{DOMAIN}:{platform.port}/shipment/")
    expect(page.get_by_role("link", name="Shipments")).to_have_attribute("aria-current", "page")
    walker.check()
    shoot(page, "shipments")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    shoot(page, "shipment")
    buyer.reload()
    expect(buyer.get_by_role("listitem").filter(has_text="Planet gear")).to_have_count(3)
    shoot(buyer, "shared-shipped")

"""The owner of a shop issues an invoice; the customer downloads it from the page of the order."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_card_payments import order_part, shoot, sign_in
from tests.browser.test_storefront import check, open_storefront
from tests.browser.walker import DESK, ON_A_DARK_PHONE, ON_A_DESK, Walker
from tests.live.client import Client
from tests.live.processes import DOMAIN, browser

pytestmark = pytest.mark.slow


def pdf_at(page: Page, title: str) -> bytes:
    """The content of the document that a link of the page leads to."""
    link = page.get_by_role("link", name=re.compile(f"^{title}"))
    answer = browser().get(link.get_attribute("href"), timeout=60)
    assert answer.headers["Content-Type"] == "application/pdf"
    return answer.content


def buy(
    visit, seller: Client, path: str, part: str, kind: str, options: dict[str, Any]
) -> tuple[Walker, Page]:
    """The buyer of a part at a storefront, whose order is confirmed, and the owner, signed in."""
    buyer = Walker(kind, visit(path, **options), options)
    order_part(buyer, part)
    expect(buyer.page.get_by_text("Amount due")).to_be_visible()
    owner = visit("order/", **{**DESK, **options})
    sign_in(owner, seller.person)
    return buyer, owner


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_DARK_PHONE])
def test_owner_issues_an_invoice_and_the_customer_downloads_it(
    visit, platform, part, kind, options
):
    seller, path, _ = open_storefront(platform)
    scheme = options.get("color_scheme", "light")
    buyer, owner = buy(visit, seller, path, part, kind, options)
    site = f"http://{DOMAIN}:{platform.port}"

    owner.goto(f"{site}/settings/")
    owner.get_by_label("Address", exact=True).fill("Hafenstr. 1\n28195 Bremen")
    owner.get_by_label("VAT number", exact=True).fill("DE136695976")
    owner.get_by_role("button", name="Save changes").click()
    owner.goto(f"{site}/order/")
    shoot(owner, f"orders-{scheme}")
    owner.get_by_role("rowheader").get_by_role("link").first.click()
    for name in ("Quote", "Order confirmation", "Invoice"):
        owner.locator("summary").filter(has_text="Create").click()
        owner.get_by_role("button", name=name, exact=True).click()
        expect(owner.get_by_role("link", name=name).first).to_be_visible()
        expect(owner.get_by_text("Creating PDF")).to_have_count(0)
    shoot(owner, f"order-documents-{scheme}")
    assert pdf_at(owner, "Invoice INV-").startswith(b"%PDF-")
    owner.get_by_role("link", name="Credit note Invoice INV-").click()
    expect(owner.get_by_role("heading", level=1)).to_contain_text("Credit note for Invoice INV-")
    check(Walker(kind, owner, options), "credit note in parts")
    shoot(owner, f"credit-note-{scheme}")
    owner.get_by_role("button", name="Create credit note").click()
    expect(owner.get_by_role("link", name="Credit note CN-")).to_be_visible()
    owner.goto(f"{site}/document/?filter[type]=invoice")
    shoot(owner, f"invoices-{scheme}")

    buyer.page.reload()
    check(buyer, "order with documents")
    shoot(buyer.page, f"shared-documents-{scheme}")
    assert pdf_at(buyer.page, "Invoice INV-").startswith(b"%PDF-")


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_DARK_PHONE])
def test_owner_invoices_selected_orders_and_sees_the_balance(visit, platform, part, kind, options):
    seller, path, bureau = open_storefront(platform)
    seller.ask(
        "PUT",
        bureau,
        204,
        json={"address": "Hafenstr. 1, 28195 Bremen", "vat_number": "DE136695976"},
    )
    _buyer, owner = buy(visit, seller, path, part, kind, options)
    site = f"http://{DOMAIN}:{platform.port}"

    owner.goto(f"{site}/order/")
    owner.get_by_role("checkbox", name="Select").check()
    shoot(owner, "orders-selected")
    owner.get_by_role("button", name="Create invoices").click()
    check(Walker(kind, owner, options), "create invoices")
    shoot(owner, "invoices-confirm")
    owner.get_by_role("button", name="Create invoices").click()
    expect(owner.get_by_text("1 of 1 invoices created")).to_be_visible()
    check(Walker(kind, owner, options), "invoices created")
    shoot(owner, "invoices-created")

    owner.goto(f"{site}/customer/")
    expect(owner.get_by_text("EUR open")).to_be_visible()
    check(Walker(kind, owner, options), "customers")
    shoot(owner, "customers")
    owner.get_by_role("rowheader").get_by_role("link").first.click()
    expect(owner.get_by_text("Open balance")).to_be_visible()
    check(Walker(kind, owner, options), "customer")
    shoot(owner, "customer")


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_DARK_PHONE])
def test_inventory_shows_its_figures(visit, platform, kind, options):
    seller, _path, bureau = open_storefront(platform)
    place = seller.make("location", bureau=bureau, name="Shelf B2")
    material = seller.make("material", bureau=bureau, name="PETG", color="#2d6fd2", density=1.27)
    lot = {"location": place, "material": material, "price": 26}
    spool = seller.make("stock", **lot, initial=1000, lot="26-114")
    seller.make("stock", **lot, initial=2500, lot="26-121")
    use = {"stock": spool, "kind": "use", "amount": -690}
    seller.ask("POST", "erp/stock-movement/", 201, json=use)
    seller.ask("PUT", material, 204, json={"reorder_point": 3000})
    owner = visit("stock/", **{**DESK, **options})
    sign_in(owner, seller.person)

    owner.goto(f"http://{DOMAIN}:{platform.port}/stock/")

    expect(owner.get_by_text("about 122 days of stock left")).to_be_visible()
    check(Walker(kind, owner, options), "inventory")
    shoot(owner, "inventory")

"""A guest orders and pays by card at Stripe's page; the owner of the shop sees the payment."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.scenarios import fits
from tests.browser.test_storefront import BUYER, check, open_storefront
from tests.browser.walker import DESK, ON_A_DARK_PHONE, ON_A_DESK, WITHOUT_SCRIPT, Walker
from tests.live.processes import DOMAIN, browser
from tests.stripe_server import KEY, SECRET, StripeServer, signature_of

pytestmark = pytest.mark.slow

WAYS = [ON_A_DESK, ON_A_DARK_PHONE, WITHOUT_SCRIPT]


def shoot(page: Page, name: str) -> None:
    """Keep a picture of the page where a folder for pictures is named."""
    if folder := os.environ.get("PICTURES"):
        width = (page.viewport_size or {})["width"]
        page.screenshot(path=Path(folder) / f"{name}-{width}.png", full_page=True)


def order_part(buyer: Walker, part: str, *, number: int = 1) -> None:
    """Order one part at the storefront; it is the order of this number."""
    page, hand = buyer.page, buyer.hand
    if buyer.has_script:
        page.get_by_label("Choose files").set_input_files(part)
        # The page is loaded anew with the prices of this part, beside those ordered before.
        expect(page.get_by_role("region", name="Prices of")).to_have_count(number)
    else:
        hand.write(page.get_by_label("Name", exact=True), "Ball")
        hand.push(page.get_by_role("button", name="Next: choose file"))
        page.get_by_label("File").set_input_files(part)
        hand.push(page.get_by_role("button", name="Upload file"))
        hand.push(page.get_by_role("button", name="Show prices").first)
    prices = page.get_by_role("region", name="Prices of").last  # the newest part
    hand.tick(prices.locator("input[name^=cell-]").first)
    hand.push(page.get_by_role("button", name="Checkout"))
    for label, text in BUYER.items():
        hand.write(page.get_by_label(label, exact=True).first, text)
    hand.push(page.get_by_role("button", name="Place order"))
    expect(page.get_by_role("heading", name=f"Order #{number}")).to_be_visible()


def sign_in(page: Page, person: dict[str, str]) -> None:
    """Sign in by the form."""
    page.get_by_label("Username").fill(person["username"])
    page.get_by_label("Password", exact=True).fill(person["password"])
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.parametrize(("kind", "options"), WAYS)
def test_guest_pays_by_card_and_the_owner_sees_it(
    visit, platform, stripe: StripeServer, part, kind, options
):
    seller, path, bureau = open_storefront(platform)
    owner = visit("settings/payments/", **DESK | {"color_scheme": options.get("color_scheme")})
    sign_in(owner, seller.person)
    owner.goto(f"http://{DOMAIN}:{platform.port}/settings/payments/")
    owner.get_by_label("Secret key").fill(KEY)
    owner.get_by_label("Signing secret of the webhook").fill(SECRET)
    owner.get_by_text("Customers can pay by card").click()
    owner.get_by_role("button", name="Save").click()
    owner.get_by_role("button", name="Test the keys").click()
    expect(owner.get_by_role("status").filter(has_text="Stripe accepts the key")).to_be_visible()
    shoot(owner, f"settings-{options.get('color_scheme', 'light')}")
    hook = owner.get_by_label("Address of the webhook").input_value()
    key = bureau.rstrip("/").rpartition("/")[2]
    assert hook.endswith(f"/stripe/{key}/")

    buyer = Walker(kind, visit(path, **options), options)
    page = buyer.page
    order_part(buyer, part)

    # The page is updated until the order is confirmed, also without script.
    expect(page.get_by_role("button", name="Pay by card")).to_be_visible()
    check(buyer, "order to pay")
    shoot(page, f"order-{options.get('color_scheme', 'light')}")
    buyer.hand.push(page.get_by_role("button", name="Pay by card"))
    expect(page.get_by_role("heading", name="Order 1")).to_be_visible()
    if buyer.has_script:  # the others come back before the webhook does
        session = stripe.pay(list(stripe.sessions)[-1])
        body = stripe.event("checkout.session.completed", session)
        headers = {"Stripe-Signature": signature_of(body), "Content-Type": "application/json"}
        assert browser().post(hook, data=body, headers=headers, timeout=60).status_code == 204
    page.get_by_role("button", name="Pay").click()

    expect(page.get_by_text("Payment received. Thank you.")).to_be_visible()
    expect(page.get_by_role("button", name="Pay by card")).to_have_count(0)
    check(buyer, "paid order")
    shoot(page, f"paid-{options.get('color_scheme', 'light')}")
    owner.goto(f"http://{DOMAIN}:{platform.port}/order/")
    owner.get_by_role("link", name="#1").first.click()
    expect(owner.get_by_text("Paid", exact=True).first).to_be_visible()
    owner.get_by_role("link", name="Payments").last.click()
    expect(owner.get_by_text("Card ·")).to_be_visible()
    shoot(owner, f"payments-{options.get('color_scheme', 'light')}")
    owner.set_viewport_size({"width": 390, "height": 800})
    assert fits(owner)
    shoot(owner, f"payments-{options.get('color_scheme', 'light')}")
    owner.goto(f"http://{DOMAIN}:{platform.port}/settings/payments/")
    assert fits(owner)
    shoot(owner, f"settings-{options.get('color_scheme', 'light')}")

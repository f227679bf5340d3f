"""A buyer orders above the limit of the company; the approver approves it; the owner sees it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_card_payments import shoot, sign_in
from tests.browser.test_customer_account import last_link
from tests.browser.test_storefront import BUYER, check, open_storefront
from tests.browser.walker import ON_A_DESK, ON_A_PHONE, Walker
from tests.live.processes import DOMAIN, wait_for

pytestmark = pytest.mark.slow
APPROVER = "chef@example.com"


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, ON_A_PHONE])
def test_approver_approves_an_order_above_the_limit(visit, platform, mails, part, kind, options):
    seller, path, bureau = open_storefront(platform)
    limit = {"name": "Hansa GmbH", "approval_limit": 0.01}
    company = seller.make("customer-company", bureau=bureau, **limit)
    for email, role in ((BUYER["E-mail"], "buyer"), (APPROVER, "approver")):
        seller.make("company-member", company=company, email=email, role=role)
    buyer = Walker(kind, visit(path, **options), options)
    page, hand = buyer.page, buyer.hand
    page.get_by_label("Choose files").set_input_files(part)
    hand.tick(page.locator("input[name^=cell-]").first)
    hand.push(page.get_by_role("button", name="Checkout"))
    for label, text in BUYER.items():
        hand.write(page.get_by_label(label, exact=True).first, text)
    hand.push(page.get_by_text("Different billing address"))
    billing = {"Street": "Postbus 7", "Postal code": "28001", "City": "Bremen"}
    for label, text in billing.items():
        hand.write(page.get_by_label(label, exact=True).last, text)
    shoot(page, "company-checkout")
    check(buyer, "checkout")
    hand.push(page.get_by_role("button", name="Place order"))
    expect(page.get_by_text("an approver of the company approves")).to_be_visible()
    shoot(page, "company-order")
    check(buyer, "order")

    approver = Walker(kind, visit(f"{path}account/", **options), options)
    page, hand = approver.page, approver.hand
    hand.write(page.get_by_label("E-mail", exact=True).first, APPROVER)
    hand.push(page.get_by_role("button", name="Send link"))
    expect(page.get_by_text("a mail with a link is on its way")).to_be_visible()
    slug = path.split("/")[1]
    wait_for(lambda: f"/{slug}/" in f"/{last_link(mails)}")
    page.goto(f"http://{DOMAIN}:{platform.port}/{last_link(mails)}")
    hand.push(page.get_by_role("button", name="Sign in"))
    expect(page.get_by_role("heading", name="Orders to approve")).to_be_visible()
    shoot(page, "company-approvals")
    check(approver, "approvals")
    hand.write(page.get_by_label("Note"), "Go ahead")
    hand.push(page.get_by_role("button", name="Approve"))
    expect(page.get_by_text("Order approved.")).to_be_visible()

    owner = Walker(kind, visit("sign-in/", **options), options)
    sign_in(owner.page, seller.person)
    expect(owner.page.get_by_role("button", name="Sign in")).to_have_count(0)
    for name, where in (("settings", "settings/"), ("companies", "customer-company/")):
        owner.page.goto(f"http://{DOMAIN}:{platform.port}/{where}")
        shoot(owner.page, f"company-owner-{name}")
    key = re.sub(".*/customer-company/", "customer-company/", company)
    owner.page.goto(f"http://{DOMAIN}:{platform.port}/{key}")
    expect(owner.page.get_by_role("heading", name="Hansa GmbH").first).to_be_visible()
    shoot(owner.page, "company-owner-company")

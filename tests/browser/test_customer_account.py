"""A customer signs in by a mailed link, looks at orders and parts, and changes addresses."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.scenarios import fits
from tests.browser.test_card_payments import order_part, shoot
from tests.browser.test_storefront import check, open_storefront
from tests.browser.walker import ON_A_DARK_PHONE, ON_A_DESK, WITHOUT_SCRIPT, Walker
from tests.live.processes import DOMAIN, wait_for
from tests.mail_server import MailServer

pytestmark = pytest.mark.slow

LINK = re.compile(r"/(s/[a-z0-9-]+/account/link/[\w-]+/)")


def last_link(mails: MailServer) -> str:
    """The path of the sign-in link that was mailed last."""
    return ([match[1] for text in mails.texts for match in LINK.finditer(text)] or [""])[-1]


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK, WITHOUT_SCRIPT, ON_A_DARK_PHONE])
def test_customer_uses_their_account(visit, platform, mails, part, kind, options):
    _seller, path, _bureau = open_storefront(platform)
    customer = Walker(kind, visit(path, **options), options)
    page, hand = customer.page, customer.hand
    name = "dark" if options.get("color_scheme") == "dark" else "light"
    order_part(customer, part)
    expect(page.get_by_role("heading", name="Order #1")).to_be_visible()

    page.goto(f"http://{DOMAIN}:{platform.port}/{path}account/")
    shoot(page, f"account-sign-in-{name}")
    check(customer, "sign-in")
    hand.write(page.get_by_label("E-mail", exact=True).first, "joost@example.com")
    hand.push(page.get_by_role("button", name="Send link"))
    expect(page.get_by_text("a mail with a link is on its way")).to_be_visible()
    slug = path.split("/")[1]
    wait_for(lambda: f"/{slug}/" in f"/{last_link(mails)}")
    page.goto(f"http://{DOMAIN}:{platform.port}/{last_link(mails)}")
    shoot(page, f"account-link-{name}")
    check(customer, "link")
    hand.push(page.get_by_role("button", name="Sign in"))

    expect(page.get_by_role("link", name="Order #1")).to_be_visible()
    expect(page.get_by_role("button", name="Order again")).to_be_visible()
    shoot(page, f"account-{name}")
    check(customer, "account")
    hand.push(page.get_by_role("link", name="Addresses and password"))
    hand.write(page.get_by_label("Name", exact=True), "Joost van Dijk")
    shoot(page, f"account-details-{name}")
    check(customer, "details")
    hand.push(page.get_by_role("button", name="Save"))
    expect(page.get_by_text("Changes saved.")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Joost van Dijk")
    assert fits(page)

"""Three orders of one customer, from upload to invoice, with the mails as an SMTP server gets them.

The first is confirmed by itself, the second by a quote, the third has a part that is replaced.
"""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from geometry.formats.stl import write_binary
from tests.browser.test_card_payments import order_part, shoot, sign_in
from tests.browser.test_order_documents import pdf_at
from tests.browser.test_storefront import BUYER, check, open_storefront
from tests.browser.walker import ON_A_DESK, Walker
from tests.geometry.shapes import box
from tests.live.processes import DOMAIN, wait_for
from tests.mail_server import MailServer, content_of

pytestmark = [pytest.mark.slow, pytest.mark.long]

LINK = re.compile(r"https?://\S+/o/[\w-]+/")
TOO_THIN, PRINTABLE = 0.4, 2.0  # mm: a plate that FDM cannot make, and one that it can


@pytest.fixture
def mailed(mails: MailServer) -> Callable[..., str]:
    """`mailed("Quote", 2)`: the path of order 2 that a mail of this subject names, once it came."""
    before = len(mails.mails)

    def link(subject: str, number: int) -> str:
        def find() -> str:
            for mail in mails.mails[before:]:
                if re.match(rf"{subject} .*order \D?{number}$", mail["Subject"]):
                    assert mail["To"] == BUYER["E-mail"]
                    return LINK.search(content_of(mail, "plain"))[0]
            return ""

        return urlsplit(wait_for(find)).path

    return link


@pytest.mark.parametrize(("kind", "options"), [ON_A_DESK])
def test_three_orders_from_upload_to_invoice(
    visit, platform, mailed, part, tmp_path, kind, options
):
    seller, path, bureau = open_storefront(platform)
    company = {"address": "Hafenstr. 1\n28195 Bremen", "vat_number": "DE136695976"}
    seller.ask("PUT", bureau, 204, json={**company, "automatic_invoices": "confirmed"})
    site = f"http://{DOMAIN}:{platform.port}"
    owner = visit("order/", **options)
    sign_in(owner, seller.person)
    buyer = Walker(kind, visit(path, **options), options)

    order_part(buyer, part)
    expect(buyer.page.get_by_text("Amount due")).to_be_visible()  # once it is confirmed
    invoiced(buyer.page, site + mailed("Invoice", 1))

    storefront = seller.ask("GET", "erp/storefront/", 200).json()["resources"][0]["uri"]
    seller.ask("PUT", storefront, 204, json={"review": "always"})
    buyer.page.goto(f"{site}/{path}")
    order_part(buyer, part, number=2)
    expect(buyer.page.get_by_text("We check the order, and show a quote here.")).to_be_visible()
    offer(owner, site, number=2)
    buyer.page.goto(site + mailed("Quote", 2))
    check(buyer, "quoted order")
    buyer.page.get_by_label("Your name").fill("Joost van Dijk")
    buyer.page.get_by_role("button", name="Accept quote and order").click()
    expect(buyer.page.get_by_text("Quote accepted by Joost van Dijk")).to_be_visible()
    invoiced(buyer.page, site + mailed("Invoice", 2))

    seller.make("process-limits", bureau=bureau, process="fdm", decision_from="fault")
    buyer.page.goto(f"{site}/{path}")
    order_part(buyer, plate(tmp_path, TOO_THIN), number=3)
    buyer.page.goto(site + mailed("Your decision", 3))
    check(buyer, "order with a question")
    shoot(buyer.page, "order-question")
    replace(buyer.page, plate(tmp_path, PRINTABLE))
    offer(owner, site, number=3)
    buyer.page.goto(site + mailed("Quote", 3))
    buyer.page.get_by_label("Your name").fill("Joost van Dijk")
    buyer.page.get_by_role("button", name="Accept quote and order").click()
    invoiced(buyer.page, site + mailed("Invoice", 3))
    shoot(buyer.page, "order-replaced")

    owner.goto(f"{site}/document/?filter[type]=invoice")
    expect(owner.get_by_text("1–3 of 3")).to_be_visible()


def offer(owner: Page, site: str, *, number: int) -> None:
    """Create a quote of an order in the console."""
    owner.goto(f"{site}/search/?q=%23{number}")
    expect(owner.get_by_role("heading", level=1)).to_contain_text(f"#{number}")
    owner.get_by_role("button", name="Create quote").click()
    expect(owner.get_by_role("button", name="Void quote")).to_be_visible()


def invoiced(page: Page, address: str) -> None:
    """Open the page of an order by the link of a mail, and download its invoice."""
    page.goto(address)
    assert pdf_at(page, "Invoice INV-").startswith(b"%PDF-")


def plate(folder: Path, thickness: float) -> str:
    """A file with a plate of 20 x 20 mm."""
    path = folder / f"plate-{thickness:g}.stl"
    write_binary(box((0, 0, 0), (20, 20, thickness)), path)
    return str(path)


def replace(page: Page, file: str) -> None:
    """Replace the file of the part that the customer is to decide about."""
    page.get_by_label("Replace the file").check()
    page.get_by_label("Your name").fill("Joost van Dijk")
    page.get_by_role("button", name="Confirm decision").click()
    page.get_by_label("STL file").set_input_files(file)
    page.get_by_role("button", name="Upload file").click()
    expect(page.get_by_text("No longer:").first).to_be_visible()

"""The whole chain on a new installation, by pages alone: uploaded, paid, printed, shipped, traced.

Two visitors order at the storefront of a shop that its owner has set up in the console. Their parts
are packed together and printed on an OctoPrint and a Moonraker; people do nothing but clear beds,
reject a piece, and ship. `make chain` prints when what happened.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import PLAIN, TIMEOUT, launch
from tests.browser.page_errors import watch
from tests.browser.seed_data import CHROMIUM
from tests.live.chain.moments import Moments
from tests.live.chain.owner import PRINTERS, SLUG
from tests.live.chain.programs import Programs
from tests.live.chain.visitor import Part, Visitor
from tests.live.chain.worker import Worker
from tests.live.processes import DOMAIN, ROOT, Platform, browser
from tests.mail_server import MailServer
from tests.stripe_server import StripeServer
from tests.waiting import wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.single("its platform has settings of its own"),
]

# From the payment to the start of the first print; `make chain` allows 60 on an idle machine.
MAX_SECONDS = float(os.environ.get("CHAIN_SECONDS", "600"))
JOOST = {"E-mail": "joost@example.com", "Name": "Joost van Dijk"}
MIA = {"E-mail": "mia@example.com", "Name": "Mia Berg"}
BLACK, WHITE = PRINTERS.values()
PARTS = [
    Part("knob", 8.5, BLACK),
    Part("cap", 9.5, BLACK),
    Part("foot", 10, WHITE),
]
OTHERS = [Part("clip", 8, BLACK), Part("plug", 9, WHITE)]


@pytest.fixture(scope="module")
def stripe() -> Iterator[StripeServer]:
    server = StripeServer().start()
    server.page_origin = server.url.replace("127.0.0.1", f"stripe.{DOMAIN}")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def mail() -> Iterator[MailServer]:
    server = MailServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def platform(stripe: StripeServer, mail: MailServer) -> Iterator[Platform]:
    """A new installation, whose mails go to `mail` and whose card payments to `stripe`."""
    running = Platform(
        EMAIL_URL=f"smtp://127.0.0.1:{mail.port}",
        DJANGO_SETTINGS_MODULE="tests.live.chain.settings",
        TEST_STRIPE=f"{stripe.url} {stripe.page_origin}",
        PYTHONPATH=f"{ROOT}:{ROOT / 'platform'}",
    )
    try:
        running.start()
        yield running
    finally:
        left = running.stop()
    assert left == []


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    running = Programs(tmp_path_factory.mktemp("programs"))
    yield running
    running.kill()


@pytest.fixture
def chromium() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip("Chromium is missing: make test-slow installs it")
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium, PLAIN)
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium: Browser) -> Iterator[Callable[[], Page]]:
    """`new_page()`: the browser of a person. Any error on a page fails the test."""
    expect.set_options(timeout=TIMEOUT)
    with ExitStack() as stack:
        seen = []

        def open_page() -> Page:
            context = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
            context.set_default_timeout(TIMEOUT)
            seen.append(stack.enter_context(watch(context, DOMAIN)))
            stack.callback(context.close)
            return context.new_page()

        yield open_page
    assert [fault for faults in seen for fault in faults] == []


def subjects_to(mail: MailServer, who: dict[str, str]) -> list[str]:
    """The subjects of the mails to an address."""
    return [str(one["Subject"]) for one in mail.mails if one["To"] == who["E-mail"]]


def test_uploaded_parts_are_paid_printed_shipped_and_traced(
    platform: Platform,
    programs: Programs,
    stripe: StripeServer,
    mail: MailServer,
    new_page: Callable[[], Page],
    tmp_path: Path,
):
    begun, moments = time.time(), Moments(platform)
    shop = Worker(new_page(), platform.port)
    shop.register()
    shop.set_up_shop()
    webhook = shop.set_up_selling()
    shop.connect_printers(programs)
    shop.start_automatically()
    print(f"set up by pages in {time.time() - begun:.0f} s")

    def deliver(body: bytes, signature: str) -> None:
        headers = {"Stripe-Signature": signature, "Content-Type": "application/json"}
        assert browser().post(webhook, data=body, headers=headers, timeout=60).status_code == 204

    stripe.deliver = deliver
    joost, mia = (Visitor(new_page(), platform.port) for _ in range(2))
    mia.order(SLUG, OTHERS, tmp_path, MIA)
    page = joost.order(SLUG, PARTS, tmp_path, JOOST)
    for visitor in (mia, joost):
        visitor.go_to_payment()
    mia.pay()
    paid = joost.pay()
    for visitor in (mia, joost):
        visitor.see("Payment received. Thank you.")
    shop.confirm_empty_beds()

    on_beds = [
        shop.clear_bed("Printer 1", reject="cap No. 1"),
        shop.clear_bed("Printer 2"),
        shop.clear_bed("Printer 1"),
    ]
    shop.ship(order=2)

    wanted = ("in production", "Payment of your order 2", "shipped")
    for moment in wanted:
        wait_for(lambda moment=moment: any(moment in one for one in subjects_to(mail, JOOST)))
    for one in mail.mails:
        moments.add(f"mail to {one['To']}", str(one["Subject"]), one["Date"].datetime.timestamp())
    piece, build, attempt, order, payment = shop.trace("cap", 2)
    moments.stop()
    print(moments.table(paid))

    assert len(moments.starts()) == 3
    assert moments.starts()[0] - paid <= MAX_SECONDS
    assert programs.octoprint.completed() == 2
    both = [{"clip No. 1", "knob No. 1", "cap No. 1"}, {"plug No. 1", "foot No. 1"}]
    assert on_beds == [*both, {"cap No. 2"}]
    assert "Joost van Dijk" in piece
    assert "cap" in build
    assert "Printer 1" in attempt
    assert "Paid" in order and "Piece 1 rejected" in order
    assert "26." in payment
    joost.open(page)
    joost.see("DHL")

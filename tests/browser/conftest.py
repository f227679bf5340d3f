"""Debian's Chromium, on the real platform."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserType, Page, expect, sync_playwright

from tests.browser import pseudo_locale
from tests.browser.page_errors import watch
from tests.browser.scenarios import NAME
from tests.browser.seed_data import CHROMIUM, OPERATOR, PASSWORD, fill
from tests.console.visitor import MISSING
from tests.live.client import ball
from tests.live.processes import DOMAIN, Platform
from tests.mail_server import MailServer
from tests.slicing.gcode_set import write_gcode_set
from tests.stripe_server import StripeServer

TIMEOUT = 120_000  # ms for anything that is waited for, on a machine that is busy
# Pages are drawn without a graphics card, and without a program in place of one, which takes half
# of the time; three dimensions need that program, and no warning that there is no card.
PLAIN = "--disable-gpu"
DRAWS = ["--enable-unsafe-swiftshader", "--use-angle=swiftshader", "--ignore-gpu-blocklist"]
# A page of the console; those of the API show JSON.
CONSOLE = re.compile(rf"http://{re.escape(DOMAIN)}(:\d+)?/(?!docs/|admin/)")
expect.set_options(timeout=TIMEOUT)


# Not of the whole session: while the browser is there, an event loop runs in this thread, in
# which Django refuses to ask the database.
@pytest.fixture(scope="package")
def stripe() -> Iterator[StripeServer]:
    """A server that behaves as Stripe does, at a name that is one of the platform's domain."""
    server = StripeServer().start()
    server.page_origin = server.url.replace("127.0.0.1", f"stripe.{DOMAIN}")
    yield server
    server.stop()


@pytest.fixture(scope="package")
def mails() -> Iterator[MailServer]:
    """The server that gets the mails of the platform."""
    server = MailServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="package")
def orca_presets(tmp_path_factory) -> Path:
    """A folder with presets of another slicer."""
    return write_gcode_set(tmp_path_factory.mktemp("orca") / "presets").parent


@pytest.fixture(scope="package")
def platform(stripe, mails, orca_presets) -> Iterator[Platform]:
    """A platform with rows of every kind."""
    running = Platform(
        EMAIL_URL=f"smtp://127.0.0.1:{mails.port}",
        ORCA_PRESETS=str(orca_presets),
        STOREFRONT_DOMAINS="own.localhost=own-shop",
        DJANGO_SUPERUSER_PASSWORD=PASSWORD,
        DJANGO_SETTINGS_MODULE="tests.browser.settings",
        TEST_STRIPE=f"{stripe.url} {stripe.page_origin}",
    )
    pseudo_locale.write(running.folder / "locale")
    try:
        running.start()
        fill(running)
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="package")
def chromium(platform) -> Iterator[Browser]:
    """One browser for all tests; each has a context of its own."""
    if not CHROMIUM.exists():
        pytest.skip("Chromium is missing: make test-slow installs it")
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium, PLAIN)
        yield browser
        browser.close()


def launch(kind: BrowserType, *arguments: str) -> Browser:
    """A browser that is told these things as it starts."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    return kind.launch(executable_path=CHROMIUM, args=[*sandbox, *arguments])


@pytest.fixture
def page(chromium) -> Iterator[Page]:
    """An empty page. Whatever the browser finds wrong while the test uses it fails the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(TIMEOUT)
    with watch(context, DOMAIN) as faults:
        yield context.new_page()
        context.close()
    assert faults == []


@pytest.fixture
def admin(platform) -> Callable[[str], str]:
    """`admin("users/user/")`: the address of an operators' page."""
    return lambda path="": platform.url(f"admin/{path}")


@pytest.fixture
def log_in(page, admin) -> Callable[..., None]:
    """`log_in("operator", "password")`: through the form, as people do."""

    def fill_in(name: str = OPERATOR, password: str = PASSWORD, code: str = "") -> None:
        page.goto(admin())
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password:", exact=True).fill(password)
        page.get_by_label("One-time password").fill(code)
        page.get_by_role("button", name="Log in").click()

    return fill_in


@pytest.fixture
def visit(chromium, platform) -> Iterator[Callable[..., Page]]:
    """`visit(viewport=..., ...)`: somebody's browser on the first page, as Chromium is told.

    Whatever the browser finds wrong fails the test.
    """
    with ExitStack() as stack:
        seen, pages = [], []

        def open_page(path: str = "", browser: Browser = chromium, **options) -> Page:
            options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB"} | options
            context = browser.new_context(**options)
            context.set_default_timeout(TIMEOUT)
            seen.append(stack.enter_context(watch(context, DOMAIN)))
            page = context.new_page()
            stack.callback(context.close)
            pages.append(page)
            page.goto(f"http://{DOMAIN}:{platform.port}/{path}")
            return page

        yield open_page
        shown = [page for page in pages if not page.is_closed() and CONSOLE.match(page.url)]
        assert [text for page in shown if MISSING.search(text := page.inner_text("body"))] == []
    assert [fault for faults in seen for fault in faults] == []


@pytest.fixture
def part(tmp_path) -> str:
    """A file that can be printed."""
    path = tmp_path / f"{NAME}.stl"
    path.write_bytes(ball(12))
    return str(path)

"""A visitor buys in a frame of another website, where the shop's storefront is an element."""

import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.page_errors import watch
from tests.browser.scenarios import faults_of
from tests.browser.test_card_payments import shoot
from tests.browser.test_storefront import BUYER, open_storefront
from tests.live.processes import DOMAIN

pytestmark = pytest.mark.slow

PAGE = """<!doctype html><html lang="en"><title>Widgets</title><h1>Widgets</h1>
<script>
  const orders = [];
  addEventListener("done", event => orders.push(event.detail.number));
</script>
<script src="{home}/embed.js" async></script><print-quote shop="{slug}"></print-quote>"""


@pytest.fixture
def website() -> Iterator[Callable[[str], str]]:
    """`website(html)`: the origin of a website whose pages all are this one."""
    content = ""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

    def serve(page: str = "") -> str:
        nonlocal content
        content = page
        return f"http://localhost:{server.server_port}"

    yield serve
    server.shutdown()
    server.server_close()


@pytest.fixture
def shop(platform, website) -> Callable[..., str]:
    """`shop(is_named)`: the website, with the element of a storefront that names it or does not."""

    def make(*, is_named: bool) -> str:
        seller, path, bureau = open_storefront(platform)
        uri = seller.read(f"erp/storefront/?filter[bureau]={bureau}")["resources"][0]["uri"]
        if is_named:
            seller.ask("PUT", uri, 204, json={"origins": [website()]})
        home = f"http://{DOMAIN}:{platform.port}"
        return website(PAGE.format(home=home, slug=path.split("/")[1]))

    return make


@pytest.mark.parametrize("width", [1280, 390])
def test_visitor_orders_in_the_frame_of_a_website(chromium: Browser, shop, part, width):
    context = chromium.new_context(viewport={"width": width, "height": 800}, locale="en-GB")
    with watch(context, "localhost") as faults:
        page = context.new_page()
        page.goto(shop(is_named=True))
        frame = page.frame_locator("print-quote iframe")

        frame.get_by_label("Choose files").set_input_files(part)
        price = frame.locator("input[name^=cell-]").first
        expect(price).to_be_visible()
        expect(frame.get_by_text("Prices marked ≈ are estimates")).to_have_count(0)
        # The frame is as high as its page.
        expect_no_scrollbar(page)
        shoot(page, "framed-prices")
        price.check()
        frame.get_by_role("button", name="Checkout").first.click()
        for label, text in BUYER.items():
            frame.get_by_label(label, exact=True).first.fill(text)
        frame.get_by_role("button", name="Place order").click()

        expect(frame.get_by_role("heading", name="Order #1 placed")).to_be_visible()
        shoot(page, "framed-placed")
        page.wait_for_function("orders.length > 0")
        assert page.evaluate("orders") == [1]
        frame.get_by_role("link", name="Open order").click()
        expect(page.get_by_role("heading", name="Order #1")).to_be_visible()
        assert faults_of(page, "order") == []
        context.close()
    assert faults == []


def expect_no_scrollbar(page: Page) -> None:
    """Wait until the page in the frame fits into it."""
    (inner,) = (frame for frame in page.frames if "/s/" in frame.url)
    inner.wait_for_function(
        "document.documentElement.scrollHeight <= innerHeight"
        " && document.documentElement.scrollWidth <= innerWidth"
    )


def test_browser_shows_no_storefront_on_a_website_that_it_does_not_name(chromium: Browser, shop):
    context = chromium.new_context()
    page = context.new_page()
    with page.expect_console_message(lambda each: "frame-ancestors" in each.text) as message:
        page.goto(shop(is_named=False))

    assert re.search("violates .*frame-ancestors 'none'", message.value.text)
    expect(page.frame_locator("print-quote iframe").get_by_label("Choose files")).to_have_count(0)
    context.close()

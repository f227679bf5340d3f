"""A storefront in the frame of another website."""

import re

from django.conf import settings

from apps.erp.models import Storefront
from tests.console.test_storefront import ADDRESS, prepared, uploaded
from tests.console.visitor import Browser, main_of, text_of

SITE = "https://www.example.com"


class FramedBrowser(Browser):
    """A browser that shows the page in a frame of another website."""

    def generic(self, *arguments, headers=None, **options):
        headers = {**(headers or {}), "sec-fetch-dest": "iframe"}
        return super().generic(*arguments, headers=headers, **options)


def ancestors(answer) -> str:
    return re.search("frame-ancestors ([^;]+)", answer["Content-Security-Policy"])[1]


def test_storefront_can_be_framed_by_the_websites_that_it_names(storefront):
    path = storefront(origins=[SITE, "http://localhost:4000"])

    assert ancestors(Browser().get(path)) == f"{SITE} http://localhost:4000"
    assert ancestors(Browser().get(f"{path}checkout/", follow=True)) != "'none'"
    assert "X-Frame-Options" not in Browser().get(path)
    assert ancestors(Browser().get("/sign-in/")) == "'none'"
    assert ancestors(Browser().get("/s/unknown/")) == "'none'"


def test_storefront_without_websites_cannot_be_framed(storefront):
    assert ancestors(FramedBrowser().get(storefront())) == "'none'"


def test_visit_in_a_frame_has_a_partitioned_cookie(storefront):
    path = storefront(origins=[SITE])

    framed = FramedBrowser().send(f"{path}visit/")["Set-Cookie"]
    by_script = Browser().send(f"{path}visit/?framed=1")["Set-Cookie"]
    direct = Browser().send(f"{path}visit/")

    for header in (framed, by_script):
        assert header.startswith("visit=")
        assert header.endswith(f"Path={path}; HttpOnly; Secure; SameSite=None; Partitioned")
    assert "Set-Cookie" not in direct.headers
    assert direct.cookies["visit"]["samesite"] == "Lax"


def test_order_in_a_frame_leads_to_a_page_that_opens_the_order_outside_of_it(
    storefront, upload, cube, sliced
):
    path, visitor = storefront(origins=[SITE], review="instant"), FramedBrowser()
    _take_cookie(visitor, visitor.send(f"{path}visit/"))
    uploaded(visitor, path, upload, cube)
    sliced()
    key = prepared(visitor, path, sliced)

    placed = visitor.send(f"{path}checkout/", key=key, **ADDRESS)

    assert placed.status_code == 200
    page = placed.content.decode()
    assert 'data-done="1"' in page
    assert "Order #1 placed" in main_of(placed)
    link = re.search(r'href="([^"]+)" target="_top"', page)[1]
    assert "Order #1" in text_of(Browser().get(link.removeprefix("http://platform.test")))


def _take_cookie(visitor: Browser, answer) -> None:
    """Keep the cookie as browsers do that know partitioned ones; the test client does not."""
    visitor.cookies["visit"] = re.match("visit=([^;]+)", answer["Set-Cookie"])[1]


def test_forms_of_the_website_that_shows_the_frame_are_rejected(storefront):
    path = storefront(origins=[SITE])

    assert FramedBrowser().send(f"{path}visit/", origin=SITE).status_code == 403


def test_script_of_the_element_is_small_and_for_every_website(browser):
    answer = browser.get("/embed.js")

    assert answer["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert len(answer.content) < 2000
    assert (
        answer.content == (settings.BASE_DIR / "apps/console/static/console/embed.js").read_bytes()
    )


def test_page_of_a_storefront_has_the_lines_for_a_website(ada, storefront):
    storefront(origins=[SITE])

    page = text_of(ada.get(f"/storefront/{Storefront.objects.get().uuid}/"))

    assert "On your website" in page
    assert "&lt;script src=&quot;http://platform.test/embed.js&quot; async" in page.replace(
        '"', "&quot;"
    )
    assert "&lt;print-quote shop=&quot;parts&quot;" in page.replace('"', "&quot;")

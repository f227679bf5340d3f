"""No page shows a value that is not there: None, null, undefined or NaN."""

import html
import re
from urllib.parse import urljoin, urlsplit

import pytest

from apps.erp.models import LineItem
from core.uris import base_url
from tests.console.visitor import MISSING, ask, confirmed_order, drop, pack, sell

# One page of each of these is enough: all are drawn by the same template from the same document.
GENERIC = re.compile(r"/(edit|delete|new)/$")
UUID_TEXT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ELSEWHERE = ("/static", "/docs", "/client")
PAGES = ("/", "/model/", "/order/", "/bureau/", "/failed/", "/order/new/", "/link/")


def pages_from(browser, start: tuple[str, ...]) -> dict[str, str]:
    """The HTML of all pages of the console to which links lead from these, by their paths."""
    pages: dict[str, str] = {}
    forms: set[str] = set()
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        form = UUID_TEXT.sub("", path.partition("?")[0])
        if path in pages or form in forms or re.search(r"[?&](sort|format|filter)\b", path):
            continue
        if GENERIC.search(form):
            forms.add(form)
        answer = browser.get(path)
        is_page = answer["Content-Type"].startswith("text/html") and not answer.streaming
        pages[path] = answer.content.decode() if is_page else ""
        targets = [html.unescape(each) for each in re.findall(r'href="([^"]+)"', pages[path])]
        for target in (urlsplit(urljoin(f"http://platform.test{path}", each)) for each in targets):
            if target.netloc == "platform.test" and not target.path.startswith(
                ("/static", "/docs")
            ):
                waiting.append(target.path + (f"?{target.query}" if target.query else ""))
    return pages


@pytest.fixture
def bare_shop(ada, client_of, person, upload, run_jobs, cube, part, shop) -> str:
    """A shop whose orders, parts and prices have nothing but what is required; its path."""
    confirmed_order(ada, lambda path: upload({"uri": path}, cube), run_jobs)
    assert pack(ada, shop).status_code == 303
    erp = client_of("erp", person)
    line = {"bureau": f"{base_url('erp')}{shop}", "quantity": 1, "no_model_upload": True}
    order = erp.post("/order/", {"bureau": line["bureau"], "name": "Bare"}).json()["uri"]
    for extra in ({}, {"order": order}, {"order": order}):
        assert erp.post("/line-item/", {**line, **extra}).status_code == 201
    run_jobs()
    LineItem.objects.update(name="")  # as those of earlier versions
    last = LineItem.objects.latest("pk")
    assert erp.put(last.uri, {"status": "confirmed"}).status_code == 204
    upload({"uri": drop(ada, "broken")["Location"]}, b"solid nothing")
    run_jobs()
    sell(ada, shop)
    assert ask(ada, part).status_code == 303
    return shop


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_page_of_the_console_shows_a_missing_value(ada, bare_shop, language):
    ada.send("/language/", language=language, next="/")

    pages = pages_from(ada, (*PAGES, bare_shop))

    assert len(pages) > 20
    shown = {path: MISSING.findall(text) for path, text in pages.items()}
    assert {path: each for path, each in shown.items() if each} == {}

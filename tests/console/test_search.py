"""Search: results by kind; numbers, identifiers and labels lead to their page."""

import re
from urllib.parse import urlencode

import pytest

from apps.erp.models import LineItem, Order, Piece
from tests.console.visitor import PASSWORD, Browser, drop, main_of


@pytest.fixture
def ordered(confirmed) -> Order:
    """A confirmed order of three cubes."""
    return Order.objects.get()


def search(browser: Browser, text: str):
    return browser.get(f"/search/?{urlencode({'q': text})}")


def links(page) -> list[str]:
    (main,) = re.findall(r"<main.*?</main>", page.content.decode(), re.DOTALL)
    return re.findall(r'<a class="quiet" href="([^"]+)"', main)


def test_search_without_text_shows_its_field(ada):
    page = ada.get("/search/")

    assert 'name="q"' in page.content.decode()
    assert links(page) == []
    assert "Nothing found" not in main_of(page)


def test_results_are_grouped_by_kind(ada, ordered, client_of, person):
    erp = client_of("erp", person)
    bureau = {"bureau": ordered.bureau.uri}
    customer = erp.post("/customer/", {**bureau, "name": "Cubes & Co"}).json()
    Order.objects.update(name="Ten cubes")

    page = search(ada, "cube")

    model = LineItem.objects.get().model_uri
    assert re.findall(r"<h2>(.*?)</h2>", page.content.decode()) == [
        "Orders",
        "Parts",
        "Order lines",
        "Customers",
    ]
    assert links(page) == [
        f"/order/{ordered.pk}/",
        f"/model/{model.split('/')[-2]}/",
        f"/order/{ordered.pk}/",
        f"/customer/{customer['uri'].split('/')[-2]}/",
    ]
    assert "#1 Ten cubes" in main_of(page)
    assert "cube #1 · 3 pieces" in main_of(page)
    assert "Cubes &amp; Co" in main_of(page)
    orders = re.search(r'href="(/order/\?[^"]*customer[^"]*)"', page.content.decode())[1]
    assert "Cubes &amp; Co" in main_of(ada.get(orders))


def test_search_returns_printers_materials_and_lots(ada, ordered, client_of, person):
    erp = client_of("erp", person)
    (place,), (material,) = (
        erp.get(f"/{kind}/").json()["resources"] for kind in ("location", "material")
    )
    lot = {"location": place["uri"], "material": material["uri"], "lot": "B-2217"}
    made = erp.post("/stock/", lot).json()

    assert len(links(search(ada, "printer 1"))) == 1
    assert links(search(ada, "pla")) == [f"/material/{material['uri'].split('/')[-2]}/"]
    assert links(search(ada, "B-2217")) == [f"/stock/{made['uri'].split('/')[-2]}/"]


def test_search_returns_orders_by_purchase_order_number(ada, ordered):
    Order.objects.update(customer_po="4500-8812")

    assert links(search(ada, "4500-8812")) == [f"/order/{ordered.pk}/"]


def test_empty_result_has_a_message(ada, shop):
    assert "Nothing found for “&lt;b&gt;”." in main_of(search(ada, "<b>"))


@pytest.mark.parametrize("text", ["#1", "1", " # 1 "])
def test_an_order_number_leads_to_its_order(ada, ordered, text):
    matches = search(ada, text)

    assert (matches.status_code, matches["Location"]) == (303, f"/order/{ordered.pk}/")


def test_a_number_of_no_order_is_searched_for(ada, ordered):
    drop(ada, "bracket 77")

    page = search(ada, "77")

    assert page.status_code == 200
    assert "bracket 77" in main_of(page)


def test_labels_uris_and_identifiers_lead_to_their_page(ada, ordered):
    piece = Piece.objects.earliest("pk")
    page = f"/piece/{piece.pk}/"

    for text in (f"http://platform.test{page}", piece.uri, piece.uri[:-1], page, str(piece.pk)):
        matches = search(ada, text)
        assert (text, matches.status_code, matches["Location"]) == (text, 303, page)
    assert search(ada, str(ordered.pk))["Location"] == f"/order/{ordered.pk}/"


def test_addresses_without_a_page_are_searched_for(ada, shop):
    for text in ("http://evil.example/", "https://[", "a/b", str(Order().pk)):
        assert search(ada, text).status_code == 200


def test_search_excludes_foreign_resources(ada, ordered, stranger):
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)

    for text in (str(ordered.pk), "cube", "#1"):
        page = search(bob, text)
        assert (page.status_code, links(page)) == (200, [])


def test_strangers_sign_in_first(browser):
    assert search(browser, "cube")["Location"] == "/sign-in/?next=%2Fsearch%2F%3Fq%3Dcube"

"""Scanning: the code of a label leads to its page, from the page for it and from the search."""

from urllib.parse import urlsplit

import pytest

from apps.erp.models import Bureau, Location, Material, Order, Piece
from tests.console.visitor import confirmed_order, main_of


@pytest.fixture
def piece(ada, shop, upload, cube, run_jobs) -> Piece:
    """A piece of a confirmed order."""
    confirmed_order(ada, lambda model: upload({"uri": model}, cube), run_jobs)
    return Piece.objects.order_by("number").first()


def test_code_of_a_label_leads_to_its_page(ada, piece, client_of, person):
    path = urlsplit(piece.uri).path
    order = urlsplit(Order.objects.get().uri).path
    body = {
        "location": Location.objects.get().uri,
        "material": Material.objects.get().uri,
        "lot": "L-2026-7",
        "initial": 1000,
    }
    lot = client_of("erp", person).post("/stock/", body).headers["Location"]
    codes = {
        f"http://platform.test{path}": path,
        f"http://print-server.local:8000{path.rstrip('/')}": path,
        str(piece.pk): path,
        piece.uri: path,
        "#1": order,
        "L-2026-7": urlsplit(lot).path,
    }

    for code, target in codes.items():
        answer = ada.get("/scan/", {"q": code})
        assert (answer.status_code, answer["Location"]) == (303, target), code
    assert ada.get("/search/", {"q": f"http://platform.test{path}"})["Location"] == path


def test_unknown_code_is_explained_and_kept_in_the_field(ada, shop):
    answer = ada.get("/scan/", {"q": "X-77"})

    assert answer.status_code == 404
    assert "No page has the code “X-77”" in main_of(answer)
    assert 'value="X-77"' in answer.content.decode()


def test_scan_is_in_the_rail_and_the_bottom_bar(ada, shop):
    page = ada.get("/scan/").content.decode()

    assert Bureau.objects.exists()
    assert page.count('href="/scan/"') == 2
    assert 'action="/scan/"' in page

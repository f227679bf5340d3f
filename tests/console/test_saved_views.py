"""Saved views and columns of lists."""

import re
from urllib.parse import urlencode

import pytest

from apps.users.models import SavedView
from tests.console.visitor import main_of, text_of

QUERY = urlencode({"search[name]": "Nylon", "sort": "-name", "columns": "density"})


@pytest.fixture
def materials(ada, shop) -> str:
    """The list of materials, in which there is PLA."""
    return "/material/"


def heads_of(page) -> list[str]:
    (head,) = re.findall("<thead>(.*?)</thead>", page.content.decode(), re.S)
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", head)).split()


def test_columns_of_a_list_are_chosen_and_stay_in_its_links(ada, materials):
    page = ada.get(f"{materials}?columns=density&columns=cost&columns=nothing")

    assert {"Density", "Cost"} <= {*heads_of(page)} != {*heads_of(ada.get(materials))}
    body = page.content.decode()
    assert 'name="columns" value="density" checked' in body
    assert "columns=density%2Ccost" in body


def test_view_of_a_list_is_saved_opened_and_deleted(ada, materials):
    saved = ada.send(f"{materials}views/", name="Nylons", query=QUERY)
    assert saved["Location"] == f"{materials}?{QUERY}&done=view-saved"
    page = ada.get(saved["Location"])
    assert "View saved." in text_of(page)
    assert 'value="Nylon"' in page.content.decode()
    row = SavedView.objects.get()
    assert (row.page, row.query) == (materials, QUERY)
    assert "Nylons" in main_of(ada.get(materials))
    assert "Nylons" not in main_of(ada.get("/customer/"))

    gone = ada.send(f"{materials}views/", delete=str(row.pk), query=QUERY, name="")

    assert gone["Location"] == f"{materials}?{QUERY}"
    assert not SavedView.objects.exists()


def test_list_as_it_is_can_be_saved_and_a_taken_name_is_refused(ada, materials):
    body = ada.get(materials).content.decode()
    query = re.search(r'name="query" value="([^"]+)"', body)[1]
    assert query.startswith("columns=")
    assert ada.send(f"{materials}views/", name="All", query=query).status_code == 303

    refused = ada.send(f"{materials}views/", name="All", query=query)

    assert refused.status_code == 409
    assert "The name is taken." in text_of(refused)

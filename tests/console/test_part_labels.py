"""Folders and tags in the parts library."""

import re

import pytest

from apps.warehouse.models import Label, Model
from tests.console.visitor import drop, main_of, text_of


@pytest.fixture
def parts(ada) -> list[str]:
    """The URIs of three parts."""
    for name in ("bracket", "gear", "knob"):
        drop(ada, name)
    return [
        Model.uri_of(key) for key in Model.objects.order_by("name").values_list("pk", flat=True)
    ]


def names_of(page) -> list[str]:
    return re.findall(r'<bdi class="d-block clamp">([^<]+)', page.content.decode())


def test_selected_parts_move_to_a_folder_which_filters_the_library(ada, parts):
    sent = ada.send("/model/labels/", part=parts[:2], do="move", folder=" Customers / Hansa ")
    assert sent["Location"] == "/model/?done=labelled"
    ada.send("/model/labels/", part=parts[2:], do="move", folder="Customers")

    page = ada.get("/model/?filter[folder]=Customers/Hansa")

    assert names_of(page) == ["gear", "bracket"]
    assert "Customers 3" in main_of(page)
    assert "Hansa 2" in main_of(page)
    assert len(names_of(ada.get("/model/?filter[folder]=Customers"))) == 3
    assert names_of(ada.get("/model/?filter[folder]=Customers&search[name]=kn")) == ["knob"]


def test_tags_are_added_filtered_and_removed(ada, parts):
    assert ada.send("/model/labels/", part=parts[:2], do="tag", tag="ESD").status_code == 303
    assert names_of(ada.get("/model/?filter[tag]=ESD")) == ["gear", "bracket"]

    sent = ada.send("/model/labels/?filter[tag]=ESD", part=parts[:1], do="untag", tag="ESD")

    assert sent["Location"] == "/model/?filter%5Btag%5D=ESD&done=labelled"
    assert names_of(ada.get(sent["Location"])) == ["gear"]
    assert "Folders and tags saved." in text_of(ada.get(sent["Location"]))


def test_refused_labels_are_named_on_the_page(ada, parts):
    refused = {
        "Select parts.": {"do": "move", "folder": "A"},
        "Enter a tag.": {"part": parts[:1], "do": "tag", "tag": " "},
        "A folder's name is empty": {"part": parts[:1], "do": "move", "folder": "A//B"},
    }
    for words, fields in refused.items():
        page = ada.send("/model/labels/", **fields)
        assert page.status_code == 400
        assert words in page.content.decode().replace("&#x27;", "'")
        assert len(names_of(page)) == 3
    assert not Label.objects.exists()


def test_library_without_a_match_offers_all_parts(ada, parts):
    page = ada.get("/model/?filter[tag]=none")

    assert "No matching parts." in text_of(page)

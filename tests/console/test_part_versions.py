"""New versions of parts in the console."""

from uuid import uuid4

import pytest

from apps.warehouse.models import Model, ModelVersion
from tests.console.visitor import PASSWORD, Browser, drop, main_of


@pytest.fixture
def bracket(ada) -> str:
    """The path of the page of a part."""
    return drop(ada, "bracket")["Location"]


def renew(browser, path: str, name: str, **fields: str):
    form = {"name": name, "type": "stl", "note": "", "key": str(uuid4())}
    return browser.send(f"{path}version/", **form | fields)


def test_new_version_replaces_a_part_in_the_library(ada, bracket):
    form = ada.get(f"{bracket}version/")
    assert 'value="bracket"' in form.content.decode()

    made = renew(ada, bracket, "bracket B", note="Wall 3 mm")

    assert made.status_code == 303
    page = ada.get(made["Location"])
    assert "Upload file" in main_of(page)  # it waits for its file
    assert "2: bracket B" in main_of(page)
    assert "Wall 3 mm" in main_of(page)
    library = main_of(ada.get("/model/"))
    assert "Version 2" in library
    assert "1 part" in library
    assert "2 parts" in main_of(ada.get("/model/?versions=all"))


def test_older_version_leads_to_the_newest(ada, bracket):
    newest = renew(ada, bracket, "bracket B")["Location"]

    page = ada.get(bracket)

    assert "There is a newer version of this part: version 2" in main_of(page)
    assert newest in page.content.decode()
    assert ada.get(f"{bracket}version/")["Location"] == f"{newest}version/"


def test_same_form_sent_twice_makes_one_version(ada, bracket):
    key = str(uuid4())
    first, again = (renew(ada, bracket, "bracket B", key=key) for _ in range(2))
    assert first["Location"] == again["Location"]
    assert (Model.objects.count(), ModelVersion.objects.count()) == (2, 2)


def test_replaced_part_is_not_replaced_again(ada, bracket):
    renew(ada, bracket, "bracket B")

    refused = renew(ada, bracket, "bracket C")

    assert refused.status_code == 409
    assert "There is a newer version of this part" in main_of(refused)
    assert Model.objects.filter(deleted=None).count() == 2


def test_part_of_another_person_gets_no_new_version(ada, bracket, stranger):
    other = Browser()
    other.send("/sign-in/", username=stranger.username, password=PASSWORD)
    assert renew(other, bracket, "bracket B").status_code == 404

"""Adding printers: from the catalogue, of a type that the shop has, or by the size of the bed."""

import re
from html import unescape
from uuid import uuid4

import pytest

from tests.console.test_invitations import invited, register
from tests.console.visitor import main_of, text_of


def links(page, part: str) -> list[str]:
    """The addresses that are labelled with this text."""
    found = re.findall(r'href="(/printer/add/[^"]+)"([^>]*)>([^<]*)', page.content.decode())
    return [path.replace("&amp;", "&") for path, label, text in found if part in label + text]


def add(browser, path: str, **fields: str):
    """Send the form of an address with what it has filled in."""
    form = browser.get(path).content.decode()
    inputs = re.findall(r'<input type="(?:text|number)" name="(\w+)" value="([^"]*)"', form)
    filled = {name: unescape(value) for name, value in inputs}
    location = re.search(r'<option value="([^"]+)"[^>]*>Workshop', form)[1]
    materials = re.findall(r'name="materials" value="([^"]+)"', form)
    sent = {**filled, "location": location, "materials": materials, "key": str(uuid4()), **fields}
    return browser.send(path, **sent)


@pytest.fixture
def catalogue(ada, shop):
    return ada.get("/printer/add/")


@pytest.mark.engine
def test_printer_of_the_catalogue_is_added_with_its_type_and_workflow(ada, catalogue):
    models = ada.get("/printer/add/", {"q": "mini PRUSA"})
    assert "Printer not listed" in main_of(models)
    (path, *_others) = links(models, "Add: Original Prusa MINI")

    made = add(ada, path, hour="3")

    assert made.status_code == 303, text_of(made)
    page = main_of(ada.get(made["Location"]))
    assert "Original Prusa MINI" in page
    types = main_of(ada.get("/printer-type/"))
    assert types.count("Original Prusa MINI") >= 1
    assert "Print on Original Prusa MINI" in main_of(ada.get("/workflow/"))
    # The next one of this type is numbered.
    (again,) = [each for each in links(ada.get("/printer/add/"), "Prusa MINI") if "type=" in each]
    second = add(ada, again)
    assert re.search(r"Prusa MINI.* 2", main_of(ada.get(second["Location"])))


def test_printer_without_a_model_is_added_by_its_bed(ada, catalogue):
    (path,) = links(catalogue, "Printer not listed")

    refused = add(ada, path, x="0")
    made = add(ada, path, name="Delta", x="180", y="180", z="300")

    assert refused.status_code == 400
    assert made.status_code == 303
    assert "Delta" in main_of(ada.get("/printer/"))
    assert "180" in main_of(ada.get("/printer-type/"))


def test_unknown_model_leads_back_to_the_catalogue(ada, catalogue):
    assert "Printer not listed" in main_of(ada.get("/printer/add/", {"preset": "x"}))
    assert ada.get("/printer/add/", {"preset": str(uuid4())}).status_code == 404
    assert "matches" in main_of(ada.get("/printer/add/", {"q": "no such printer"}))


def test_location_of_the_address_is_preset(ada, catalogue, shop):
    printers = ada.get("/printer/").content.decode()
    location = re.search(r'href="(/location/[^"]+)"', printers)[1]
    page = ada.get(location).content.decode()

    path = re.search(r'href="(/printer/add/\?location=[^"]+)"', page)[1]

    (other,) = links(ada.get(path), "not listed")
    assert "location=" in other
    assert re.search(r'<option value="[^"]+" selected>Workshop', ada.get(other).content.decode())


@pytest.mark.parametrize(
    ("role", "adds", "other_models"),
    [("production", True, False), ("owner", True, True), ("sales", False, False)],
)
def test_printers_are_offered_to_those_who_may_add_them(ada, shop, role, adds, other_models):
    bo = register("bo")
    bo.send(invited(ada, role))

    printers = bo.get("/printer/")
    catalogue = bo.get("/printer/add/")

    assert ("Add printer" in main_of(printers)) is adds
    assert catalogue.status_code == (200 if adds else 403)
    assert ("Another one of your printers" in main_of(catalogue)) is adds
    assert ("Printer not listed" in main_of(catalogue)) is other_models
    if role == "production":
        (path,) = [each for each in links(catalogue, "Add: ") if "type=" in each]
        assert add(bo, path, name="Second").status_code == 303

"""Sample data: from one button to a packed run, by the pages alone."""

import re
from uuid import uuid4

import pytest

from apps.erp.models import Bureau, LineItem, Run
from apps.warehouse.models import Model
from tests.console.visitor import PASSWORD, Browser, text_of


@pytest.fixture
def begun(ada) -> str:
    """The page of a sample order whose parts wait to be judged."""
    key = re.search(r'name="key" value="([^"]+)"', ada.get("/bureau/").content.decode())[1]
    made = ada.send("/sample/", key=key)
    assert made.status_code == 303, text_of(made)
    assert ada.send("/sample/", key=key)["Location"] == made["Location"]
    return made["Location"]


def test_resubmitted_demo_form_creates_one_shop_with_its_models(ada, begun):
    assert Bureau.objects.get().name == "Sample shop"
    assert sorted(Model.objects.values_list("name", flat=True)) == ["bracket", "clip", "spacer"]
    page = ada.get(begun)
    assert "4 × spacer Estimating" in re.sub(" … ", " ", text_of(page))
    assert "data-go-on" not in page.content.decode()

    assert "Confirm order" not in text_of(ada.send(begun))  # too early: nothing happens

    assert set(LineItem.objects.values_list("status", flat=True)) == {"new"}


@pytest.mark.slow
def test_demo_order_is_confirmed_and_packed_by_one_form(ada, begun, run_jobs):
    run_jobs()
    assert list(Model.objects.values_list("status", "manifold")) == [("processed", True)] * 3
    assert "data-go-on" in ada.get(begun).content.decode()

    run = ada.send(begun)

    made = Run.objects.get()
    assert run["Location"] == f"/run/{made.pk}/"
    assert made.places.count() == 8
    assert ada.get(begun)["Location"] == ada.send(begun)["Location"] == run["Location"]


def test_strangers_cannot_see_a_demo_order(ada, begun, stranger):
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)

    assert bob.get(begun).status_code == bob.send(begun).status_code == 404
    assert bob.send("/sample/", key=str(uuid4())).status_code == 303
    assert Bureau.objects.count() == 2


def test_administrator_can_start_the_demo(operator):
    root = Browser()
    root.send("/sign-in/", username="root", password=PASSWORD)
    assert "Try with sample data" in text_of(root.get("/bureau/"))

    made = root.send("/sample/", key=str(uuid4()))

    assert "3 × clip" in text_of(root.get(made["Location"]))

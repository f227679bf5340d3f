"""What failed, in one list, and each of it tried again."""

import pytest

from apps.erp.models import Bureau, LineItem
from apps.integrations.models import Operation
from apps.slicing.models import Slice
from apps.warehouse.models import Model
from tests.console.visitor import PASSWORD, Browser, drop, set_up, text_of
from tests.rows import row_of

FAULT = {"code": "broken", "title": "It broke."}


@pytest.fixture
def model(ada) -> Model:
    drop(ada, "cube")
    return Model.objects.get()


@pytest.fixture
def made(person, model, client_of) -> Slice:
    """A slice that failed."""
    slicing = client_of("slicing", person)
    config = slicing.post("/config/curated/", {"engine": "slic3r", "parameters": {}})
    body = {"model": model.uri, "config": config["Location"]}
    assert slicing.post("/slice/", body).status_code == 201
    row = Slice.objects.get()
    row.move("processing")
    row.move("error", errors=[FAULT])
    return row


def test_failed_jobs_page_is_empty_without_failures(ada):
    assert "No failed jobs." in text_of(ada.get("/failed/"))


def test_failed_slice_is_retried_once(ada, made):
    page = text_of(ada.get("/failed/"))
    assert "cube Slice" in page
    assert "It broke." in page

    first = ada.send("/failed/", work=f"slice/{made.pk}")
    second = ada.send("/failed/", work=f"slice/{made.pk}")

    assert first["Location"] == second["Location"]
    assert Slice.objects.exclude(pk=made.pk).get().status == "queued"


def test_failed_operation_is_retried(ada, person, model):
    failed = row_of(Operation, owner=person, model_uri=model.uri, status="error")
    Model.objects.update(status="processed")
    assert "cube Operation" in text_of(ada.get("/failed/"))

    answer = ada.send("/failed/", work=f"operation/{failed.pk}")

    assert answer["Location"] == f"/model/{model.pk}/?done=tried"
    assert Operation.objects.exclude(pk=failed.pk).get().service == failed.service


def test_failed_line_item_is_estimated_again(ada, person):
    set_up(ada)
    item = row_of(
        LineItem,
        bureau=Bureau.objects.get(),
        creator=person,
        name="cube",
        no_model_upload=True,
        status="error",
        errors=[FAULT],
    )
    assert "cube Order line" in text_of(ada.get("/failed/"))

    ada.send("/failed/", work=f"line-item/{item.pk}")

    item.refresh_from_db()
    assert item.status == "calculating_estimates"


def test_failed_model_is_listed_without_a_retry_button(ada, model):
    Model.objects.update(status="error", errors=[FAULT])

    page = ada.get("/failed/")

    assert "cube Part" in text_of(page)
    assert 'name="work"' not in page.content.decode()


@pytest.mark.parametrize("work", ["", "slice", "slice/x", "model/x", "../x", "run/"])
def test_invalid_work_value_retries_nothing(ada, work):
    assert ada.send("/failed/", work=work)["Location"].startswith("/failed/")


def test_strangers_can_neither_see_nor_retry_failed_jobs(ada, made, stranger):
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)

    assert "No failed jobs." in text_of(bob.get("/failed/"))
    assert bob.send("/failed/", work=f"slice/{made.pk}").status_code == 404
    assert Slice.objects.count() == 1

"""Large price tables: pending, computed by a job, or refused beyond the work limit."""

import json

import pytest

from apps.callbacks.models import Event
from apps.erp.actors import compute_price_table
from apps.erp.models import PriceList, PriceTable, PriceTerm
from apps.erp.price_tables.domain import price_table_cells
from apps.slicing.models import Slice
from apps.warehouse.models import Model
from core.queue.row_jobs import fail_permanently
from tests.erp.conftest import key_of
from tests.erp.test_price_tables import ask, shop, slice_all  # noqa: F401  fixtures
from tests.erp.test_prices import refused

LONG = "min(" + ",".join(["+".join(["cc"] * 9)] * 15) + ")"
MANY = list(range(1, 41))


@pytest.fixture
def long_terms(shop):  # noqa: F811
    """`long_terms(60)`: the list has so many more terms, each a formula of some 150 parts."""

    def add(count: int) -> None:
        of = {"bureau": PriceList.objects.get().bureau, "price_list": PriceList.objects.get()}
        long = {"step": "piece", "unit": "formula", "formula": LONG}
        # Not by the API, which tries the whole list at each of them.
        PriceTerm.objects.bulk_create(
            PriceTerm(**of, **long, name=f"Long {at}", position=100 + at) for at in range(count)
        )

    return add


@pytest.fixture
def large(ask, long_terms) -> dict:  # noqa: F811
    """A table of 80 cells that is pending."""
    long_terms(20)
    return ask(quantities=MANY).json()


def events_of(table: dict) -> list[str]:
    rows = Event.objects.filter(uri=table["uri"]).order_by("pk")
    return list(rows.values_list("type", flat=True))


def test_table_beyond_the_work_limit_is_refused_before_any_slice_is_made(ask, long_terms):  # noqa: F811
    long_terms(90)

    answer = ask(
        quantities=list(range(1, 101)), due=[None, *(f"2100-01-0{day}" for day in range(1, 5))]
    )

    assert answer.status_code == 400, answer.json()
    (fault,) = answer.json()["errors"]
    assert (fault["code"], fault["field"]) == ("limit-exceeded", "quantities")
    assert "ask for fewer cells" in fault["title"]
    assert not Slice.objects.exists()
    assert ask(quantities=[1, 2]).status_code == 201


def test_large_table_is_pending_until_a_job_has_computed_its_cells(
    erp,
    ask,  # noqa: F811
    large,
    queued,
    slice_all,  # noqa: F811
):
    sent = [json.loads(words) for name, words in queued() if name == "compute_price_table"]
    first = large["cells"][0]
    assert (large["status"], len(large["cells"])) == ("pending", 80)
    assert (first["quantity"], first["net"], first["review"], first["terms"]) == (1, None, None, [])
    assert ask(quantities=MANY).json() == large
    assert sent == [[key_of(large)]]

    compute_price_table.fn(*sent[0])

    table = erp.get(large["uri"]).json()
    small = ask(quantities=[1, 2]).json()
    assert (table["status"], small["status"]) == ("estimated", "estimated")
    assert table["cells"][:2] == small["cells"][:2]
    assert None not in [cell["net"] for cell in table["cells"]]
    assert events_of(table) == ["price-table.estimated"]

    compute_price_table.fn(*sent[0])  # the message came twice

    assert events_of(table) == ["price-table.estimated"]


def test_slices_that_end_before_a_large_table_is_computed_are_in_it(
    erp,
    large,
    slice_all,  # noqa: F811
    run_jobs,
):
    slice_all()
    assert erp.get(large["uri"]).json()["status"] == "pending"

    run_jobs()

    table = erp.get(large["uri"]).json()
    assert (table["status"], table["cells"][0]["basis"]) == ("exact", "slice")
    assert events_of(table) == ["price-table.exact"]


def test_slice_that_ends_while_a_large_table_is_computed_is_not_missed(
    erp,
    large,
    slice_all,  # noqa: F811
    run_jobs,
    monkeypatch,
):
    compute = price_table_cells.cells_of

    def slices_end_meanwhile(*args, **options):
        cells = compute(*args, **options)
        slice_all()
        return cells

    monkeypatch.setattr(price_table_cells, "cells_of", slices_end_meanwhile)
    compute_price_table.fn(key_of(large))
    monkeypatch.undo()
    assert PriceTable.objects.get().status == "pending"

    run_jobs()

    assert erp.get(large["uri"]).json()["status"] == "exact"


def test_large_table_becomes_exact_by_a_job_when_its_slices_end(erp, large, slice_all, run_jobs):  # noqa: F811
    compute_price_table.fn(key_of(large))

    slice_all()
    run_jobs()

    assert erp.get(large["uri"]).json()["status"] == "exact"
    assert events_of(large) == ["price-table.estimated", "price-table.exact"]


def test_cells_of_a_pending_table_cannot_be_ordered(erp, make, bureau, large):
    order = make("order", bureau=bureau["uri"], name="1")

    answer = erp.put(large["uri"], {"order": order["uri"], "cells": [1]})

    assert refused(answer) == {("cell-not-priced", "cells")}
    assert "still being computed" in answer.json()["errors"][0]["title"]


def test_failed_computation_has_an_error_and_can_be_asked_for_again(erp, ask, large):  # noqa: F811
    fail_permanently("compute_price_table", key_of(large), {"reason": "worker-died", "starts": 3})

    table = erp.get(large["uri"]).json()
    assert table["status"] == "error"
    assert [error["code"] for error in table["errors"]] == ["worker-died"]
    assert events_of(large) == ["price-table.error"]
    again = ask(quantities=MANY).json()
    assert (again["status"], again["errors"]) == ("pending", None)
    assert again["uri"] != large["uri"]


def test_large_table_of_a_deleted_model_fails_with_the_reason(erp, large):
    Model.objects.update(deleted="2026-01-01T00:00:00Z")

    compute_price_table.fn(key_of(large))

    table = erp.get(large["uri"]).json()
    assert (table["status"], table["errors"][0]["code"]) == ("error", "resource-not-found")
    assert table["errors"][0]["title"] == "A model of the table was deleted."


def test_deleted_table_is_not_computed(erp, large, queued):
    assert erp.delete(large["uri"]).status_code == 204

    assert "compute_price_table" not in dict(queued())


def test_jobs_of_large_tables_are_limited_for_each_account(ask, long_terms, settings):  # noqa: F811
    settings.LIMITS = settings.LIMITS | {"waiting.packing": 1}
    long_terms(20)

    assert ask(quantities=MANY).status_code == 201
    answer = ask(quantities=MANY[:-1])

    assert answer.status_code == 429
    assert PriceTable.objects.count() == 1

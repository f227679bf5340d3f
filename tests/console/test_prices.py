"""The pages of prices: a shop's first list, and tables of what models cost."""

import re
from uuid import uuid4

import pytest

from apps.erp.actors import refresh_price_tables
from apps.erp.models import LineItem, Order, PriceList, PriceTerm, TaxRule
from apps.erp.price_tables.domain import computing
from apps.slicing.models import Slice
from core.queue.row_jobs import fail_permanently
from tests.console.visitor import PASSWORD, Browser, ask, sell, text_of


@pytest.fixture
def selling(ada, shop, made_by) -> str:
    """A shop with prices."""

    def make() -> str:
        assert sell(ada, shop).status_code == 303
        return shop

    return made_by(ada, "shop with prices", make)


def slice_all() -> None:
    """Every slice that waits is done, and the tables that wait for it know."""
    figures = {"build_time_seconds": 3600, "build_volume_cc": 8.1, "support_volume_cc": 0.5}
    for row in Slice.objects.filter(status="queued"):
        row.move("processing")
        row.move("processed", estimates=figures, figures={"layers": 100})
        refresh_price_tables.fn(row.uri)


def test_resubmitted_price_form_creates_one_price_list(ada, shop):
    key = str(uuid4())
    assert "Prices equal cost until a price list exists." in text_of(ada.get(f"{shop}prices/"))

    for _ in range(2):
        assert sell(ada, shop, key=key)["Location"] == f"{shop}prices/?done=priced"

    assert PriceTerm.objects.count() == 4
    assert TaxRule.objects.get().country == "DE"
    assert "Setup 5.0" in text_of(ada.get(f"{shop}prices/"))


def test_price_form_creates_a_gross_list_with_limits_and_a_date(ada, shop, part):
    options = {"includes_tax": "on", "percentages": "add", "max_size": "300"}
    assert sell(ada, shop, **options, since="2026-01-01").status_code == 303

    row = PriceList.objects.get()
    assert (row.includes_tax, row.percentages, row.max_size) == (True, "add", 300)
    page = text_of(ada.get(f"{shop}prices/"))
    limit = "Manual review above (mm, longest side): 300"
    assert all(line in page for line in ("Prices include tax", "Percentages: Add up", limit))
    table = ask(ada, part)["Location"]
    slice_all()
    # 10 x 8.1 x 0.4 + 10 x 3.9 + 5, the parcel: gross
    page = ada.get(table).content.decode()
    assert "82.30 EUR" in page
    assert "7.64 EUR per piece incl. tax" in page


def test_price_table_requires_a_price_list(ada, shop, part):
    refused = ask(ada, part)

    assert refused.status_code == 409
    assert "No price list: create one first." in text_of(refused)
    assert f'href="{shop}prices/"' in refused.content.decode()


def test_price_table_is_estimated_then_exact_and_can_be_ordered(ada, selling, part):
    made = ask(ada, part)
    assert made.status_code == 303, text_of(made)
    assert ask(ada, part)["Location"] == made["Location"]
    page = text_of(ada.get(made["Location"]))
    assert "0 of 2 prices are final" in page
    assert re.search(r"≈ [\d.]+ EUR", page)
    assert "± 50 %" in page

    slice_all()
    page = text_of(ada.get(made["Location"]))
    # 10 x 8.1 x 0.4 + 10 x 3.9 + 5, the parcel, 19 % on it
    assert "97.94 EUR" in page
    assert "7.64 EUR per piece excl. tax" in page
    assert "ready by" in page
    assert "prices are final" not in page

    order = ada.send(made["Location"], cells="1", key="0")
    twice = ada.send(made["Location"], cells="1", key="0")

    assert order["Location"] == twice["Location"]
    assert order["Location"].endswith("?done=ordered")
    assert (Order.objects.count(), LineItem.objects.get().quantity) == (1, 10)


def test_part_ordered_from_a_price_table_is_called_as_its_model(ada, selling, part):
    table = ask(ada, part)["Location"]
    slice_all()

    made = ada.send(table, cells="0", key="0")

    assert LineItem.objects.get().name == "cube"
    assert "1 × cube" in text_of(ada.get(made["Location"]))


def test_rejected_order_from_a_price_table_creates_no_order(ada, selling, part):
    table = ask(ada, part)["Location"]
    slice_all()

    for _ in range(2):
        refused = ada.send(table, cells="99", key="0")
        assert refused.status_code == 400, text_of(refused)
        assert Order.objects.count() == 0

    assert ada.send(table, cells="1", key="0").status_code == 303
    assert LineItem.objects.get().order == Order.objects.get()


def test_rejected_order_form_of_a_price_table_can_be_resubmitted(ada, selling, part):
    table = ask(ada, part)["Location"]
    slice_all()
    PriceTerm.objects.filter(name="Material").update(most=1)

    refused = ada.send(table, cells="1", key="0")
    assert refused.status_code == 409, text_of(refused)
    assert Order.objects.count() == 0

    PriceTerm.objects.filter(name="Material").update(most=None)
    assert ada.send(table, cells="1", key="0").status_code == 303


def test_large_price_table_shows_its_progress_until_it_is_computed(
    ada, selling, part, monkeypatch, run_jobs
):
    monkeypatch.setattr(computing, "AT_ONCE_STEPS", 10)
    table = ask(ada, part)["Location"]

    page = ada.get(table)
    assert "Prices are being calculated." in text_of(page)
    assert "Manual review" not in text_of(page)
    assert 'class="skel' in page.content.decode()
    assert "data-busy" in page.content.decode()
    monkeypatch.undo()
    run_jobs()

    page = text_of(ada.get(table))
    assert "Prices are being calculated." not in page
    assert re.search(r"[\d.]+ EUR", page)


def test_failed_price_table_shows_the_reason(ada, selling, part, monkeypatch):
    monkeypatch.setattr(computing, "AT_ONCE_STEPS", 10)
    table = ask(ada, part)["Location"]
    fail_permanently("compute_price_table", table.split("/")[2], {"reason": "internal"})

    page = text_of(ada.get(table))

    assert "Prices could not be calculated." in page
    assert "try again later" in page
    assert "Add to order" not in page


def test_unpriced_cell_shows_the_reason(ada, selling, part):
    PriceTerm.objects.filter(name="Material").update(most=1)

    page = text_of(ada.get(ask(ada, part)["Location"]))

    assert "Manual review required. Above the limit for automatic pricing." in page
    assert "Add to order" not in page


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"quantities": "1, many"}, "Comma-separated integers."),
        ({"quantities": "0"}, "greater than or equal to 1"),
        ({"materials": "x"}, "is not one of the available choices"),
    ],
)
def test_invalid_price_table_form_shows_the_error_at_its_field(ada, selling, part, fields, told):
    refused = ask(ada, part, **fields)

    assert refused.status_code == 400
    assert told in text_of(refused)


def test_order_form_without_valid_cells_is_rejected(ada, selling, part):
    table = ask(ada, part)["Location"]

    for cells in ([], ["x"], ["99999"], ["0"]):
        refused = ada.send(table, cells=cells, key="0")
        assert refused.status_code in (400, 409)

    assert LineItem.objects.count() == 0


def test_strangers_see_no_prices(ada, selling, part, stranger):
    table = ask(ada, part)["Location"]
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)

    for answer in (
        bob.get(table),
        bob.send(table, cells="0"),
        bob.get(f"{part}prices/"),
        bob.get(f"{selling}prices/"),
        sell(bob, selling),
    ):
        assert answer.status_code == 404

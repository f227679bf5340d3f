"""Prices on the page of a part: print options, the matrix, and orders made of a cell."""

import re

import pytest

from apps.erp.models import LineItem, Order, PriceTable
from tests.console.test_prices import selling, slice_all  # noqa: F401
from tests.console.visitor import order, text_of

OPTIONS = {"supports": "on", "infill": "45", "layer_height": "0.1", "orientation": "upright"}


@pytest.fixture
def priced_part(ada, selling, part):  # noqa: F811
    """The page of a part whose prices in all materials were requested, for 1 and 10 pieces."""
    page = ada.get(part).content.decode()
    action = re.search(r'action="([^"]+/prices/[^"]*)"', page)[1]
    materials = re.findall(r'name="materials" value="([^"]+)"', page)
    sent = ada.send(action, part="1", materials=materials, quantities="1, 10", **OPTIONS)
    assert sent.status_code == 303, text_of(sent)
    assert sent["Location"].startswith(f"{part}?table=")
    return sent["Location"]


def form_of(page) -> dict[str, str]:
    """The address and the hidden fields of the form that adds a cell to an order."""
    body = page.content.decode()
    (form,) = re.findall(
        r'<form method="post" action="(/price-table/[^"]+)">(.*?)</form>', body, re.S
    )
    fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[1]))
    return {"path": form[0], **fields}


def test_part_without_a_table_offers_materials_and_print_options(ada, selling, part):  # noqa: F811
    page = ada.get(part).content.decode()

    assert 'id="matrix"' not in page
    assert all(f'name="{name}"' in page for name in ("materials", "quantities", *OPTIONS))


def test_matrix_fills_with_radios_while_slices_come_in(ada, priced_part, part):
    page = ada.get(priced_part)
    assert "0 of 2 prices are final" in text_of(page)
    assert 'type="radio"' not in page.content.decode()

    slice_all()
    page = ada.get(part)  # the newest table of the part, without its key in the address

    assert len(re.findall('type="radio" name="cells"', page.content.decode())) == 2
    assert "prices are final" not in text_of(page)
    assert "Layer height 0.1 mm · Infill 45 % · Supports: Always" in text_of(page)
    assert 'name="infill" value="45' in page.content.decode()


def test_order_of_a_cell_has_its_quantity_material_and_print_options(ada, priced_part):
    slice_all()
    form = form_of(ada.get(priced_part))

    made = ada.send(**form, cells="1")

    item = LineItem.objects.get()
    assert made["Location"] == f"/order/{item.order_id}/?done=ordered"
    assert (item.quantity, item.base_material.name) == (10, "PLA")
    assert (item.support_strategy, item.infill_strategy) == ("on", "45%")
    assert (item.layer_thickness, item.orientation) == (0.1, "upright")
    assert item.price["agreed"] == PriceTable.objects.get().uri


def test_cell_is_added_once_to_the_chosen_draft_order(ada, priced_part, part):
    draft = order(ada, part, number=2)["Location"].partition("?")[0]
    slice_all()
    form = form_of(page := ada.get(priced_part))
    (uri,) = re.findall(r'<option value="(http[^"]+/order/[^"]+)">#1 Nr. 1<', page.content.decode())

    for _ in range(2):
        assert ada.send(**form, cells="1", order=uri)["Location"] == f"{draft}?done=added"
    assert ada.send(**form, cells="0", order=uri).status_code == 303

    assert Order.objects.count() == 1
    assert sorted(LineItem.objects.values_list("quantity", flat=True)) == [1, 2, 10]


def test_invalid_quantities_are_shown_at_their_field_with_the_options(ada, selling, part):  # noqa: F811
    refused = ada.send(f"{part}prices/", part="1", quantities="many", **OPTIONS)

    assert refused.status_code == 400
    assert "Comma-separated integers." in text_of(refused)
    assert '<input type="hidden" name="part" value="1">' in refused.content.decode()

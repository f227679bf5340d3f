"""Price tables with print options and a printer type of their own."""

import pytest

from apps.erp.models import LineItem, PriceTable
from apps.slicing.domain.installed_engines import settings_of
from apps.slicing.models import Config
from tests.erp.conftest import key_of
from tests.erp.test_price_tables import ask, shop, slice_all  # noqa: F401
from tests.erp.test_prices import refused

pytestmark = pytest.mark.django_db

OPTIONS = {
    "support_strategy": "on",
    "infill_strategy": "45%",
    "layer_thickness": 0.1,
    "orientation": "upright",
}


def test_print_options_of_a_table_reach_its_slices_and_its_line_items(
    erp,
    make,
    bureau,
    ask,  # noqa: F811
    slice_all,  # noqa: F811
):
    plain = ask().json()
    table = ask(**OPTIONS).json()
    slice_all()

    assert {name: table[name] for name in OPTIONS} == OPTIONS
    assert table["uri"] != plain["uri"]
    assert {plain[name] for name in OPTIONS} == {None}
    (pair,) = PriceTable.objects.get(pk=key_of(table)).slices
    settings = settings_of(Config.objects.get(pk=key_of({"uri": pair.split()[1]})))
    assert (settings["fill_density"], settings["layer_height"]) == ("45%", "0.1")
    order = make("order", bureau=bureau["uri"], name="1")
    assert erp.put(table["uri"], {"order": order["uri"], "cells": [1]}).status_code == 204
    item = erp.get(f"{LineItem.objects.get().uri}").json()
    assert {name: item[name] for name in OPTIONS} == OPTIONS
    assert item["quantity"] == 10


def test_table_put_back_as_it_was_read_changes_nothing(erp, ask):  # noqa: F811
    table = ask(**OPTIONS).json()

    answer = erp.put(table["uri"], table)

    assert answer.status_code == 204, answer.json()
    assert erp.get(table["uri"]).json() == table


def test_orientation_alone_makes_another_table(ask):  # noqa: F811
    assert ask(orientation="as_is")["Location"] != ask()["Location"]


def test_chosen_printer_type_prints_all_materials_that_it_supports(
    make,
    bureau,
    ask,  # noqa: F811
    shop,  # noqa: F811
):
    body = {"bureau": bureau["uri"], "build_volume": {"x": 200, "y": 200, "z": 200}}
    config, (plastic, _nylon) = shop["machine"]["config"], shop["materials"]
    other = make("printer-type", **body, name="Other", materials=[plastic], config=config)

    table = ask(printer_type=other["uri"], quantities=[1]).json()

    assert table["printer_type"] == other["uri"]
    assert [cell["review"] and cell["review"][0]["code"] for cell in table["cells"]] == [
        None,
        "no-rule",
    ]
    assert PriceTable.objects.get().basis["materials"][0]["machine"] == other["uri"]


@pytest.mark.parametrize(
    "fields",
    [
        {"support_strategy": "maybe"},
        {"infill_strategy": "101%"},
        {"infill_strategy": "many"},
        {"layer_thickness": 0},
        {"orientation": "sideways"},
        {"printer_type": "nothing"},
    ],
)
def test_unusable_options_are_refused_at_their_field(ask, fields):  # noqa: F811
    assert {where for _, where in refused(ask(**fields))} == set(fields)


def test_tables_are_filtered_by_model(erp, ask, cube_model):  # noqa: F811
    uri = ask().json()["uri"]

    def tables_of(model: str) -> list[str]:
        rows = erp.get("/price-table/", {"filter[model]": model}).json()["resources"]
        return [row["uri"] for row in rows]

    assert tables_of(cube_model["uri"]) == [uri]
    assert tables_of(cube_model["uri"].replace("model/0", "model/1")) == []

"""Price tables of printer types by preset, and whose their slices and configs are."""

import pytest

from apps.erp.actors import refresh_price_tables
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import Config, Slice

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def material(make, bureau) -> dict:
    fields = {"name": "Black", "filament_type": "PLA", "density": 1.24}
    return make("material", bureau=bureau["uri"], **fields)


@pytest.fixture
def machine(type_of, material) -> dict:
    """A printer type that has presets and no config."""
    return type_of(materials=[material["uri"]], time_factor=1.5)


@pytest.fixture
def ask(erp, make, bureau, machine, material, cube_model):
    """`ask(client)`: a table of the cube in the material, 1.00 an hour; as Ada unless said."""
    uri = bureau["uri"]
    make("tax-rule", bureau=uri, name="Full", category="S", country="DE", rate=19)
    sold_by = make("price-list", bureau=uri, name="Retail", country="DE", is_default=True)
    fields = {"name": "Time", "step": "piece", "unit": "hour", "amount": 1}
    make("price-term", price_list=sold_by["uri"], **fields)

    def post(client=None, **fields):
        body = {
            "bureau": uri,
            "models": [cube_model["uri"]],
            "materials": [material["uri"]],
            "quantities": [1],
            **fields,
        }
        answer = (client or erp).post("/price-table/", body)
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return post


@pytest.fixture
def shared(cube_model, bureau, client_of, person):
    """The cube is told to the bureau's people."""
    granted = {"namespace": "models", "object": cube_model["uri"], "right": "read"}
    body = {**granted, "holder": bureau["group"]}
    answer = client_of("users", person).post("/permissions/", body)
    assert answer.status_code == 201, answer.json()


def finish_the_slice() -> Slice:
    (row,) = Slice.objects.all()
    row.move("processing")
    figures = {"build_time_seconds": 3600, "build_volume_cc": 8.1, "support_volume_cc": 0.0}
    row.move("processed", estimates=figures, figures={"layers": 100})
    refresh_price_tables.fn(row.uri)
    return row


def test_price_from_presets_is_estimated_and_exact_after_slicing(erp, ask):
    table = ask()

    (cell,) = table["cells"]
    assert (table["status"], cell["basis"], cell["within"]) == ("estimated", "estimate", 50)
    assert cell["net"] > 0

    finish_the_slice()

    (cell,) = erp.get(table["uri"]).json()["cells"]
    assert (cell["basis"], cell["net"]) == ("slice", 1.5)  # an hour, and half of one


def test_incompatible_presets_are_the_reason_of_an_unpriced_cell(make, bureau, erp, ask, machine):
    nylon = make("material", bureau=bureau["uri"], name="Nylon", filament_type="PA", density=1.1)
    assert erp.put(machine["uri"], {"materials": [nylon["uri"]]}).status_code == 204

    (cell,) = ask(materials=[nylon["uri"]])["cells"]

    (reason,) = cell["review"]
    assert (cell["net"], reason["code"]) == (None, "number-missing")
    assert "No filament preset of type PA fits Acme Flat" in reason["title"]
    assert Slice.objects.count() == 0


def test_configs_and_slices_of_price_tables_belong_to_the_bureau_creator(
    erp, make, client_of, person, member, bureau, ask, shared, price, payer
):
    payer(person)
    theirs = client_of("erp", member)

    table = ask(theirs)
    assert ask()["uri"] == table["uri"]
    assert ask(quantities=[2])["uri"] != table["uri"]
    row = finish_the_slice()

    assert {row.owner, Config.objects.get().owner} == {person}
    assert client_of("slicing", member).get(row.uri).status_code == 200
    assert theirs.get(table["uri"]).json()["status"] == "exact"


def test_member_is_not_charged_for_slices_of_a_price_table(
    client_of, person, member, ask, shared, price, payer
):
    payer(member)

    (cell,) = ask(client_of("erp", member))["cells"]

    assert (cell["basis"], Slice.objects.count()) == ("estimate", 0)


def test_line_item_ordered_from_a_cell_reuses_the_slice_of_its_table(
    erp, make, client_of, member, bureau, ask, shared, estimate
):
    theirs = client_of("erp", member)
    table = ask(theirs)
    row = finish_the_slice()
    order = make("order", bureau=bureau["uri"], name="1")

    answer = theirs.put(table["uri"], {"order": order["uri"], "cells": [0]})
    estimate()

    assert answer.status_code == 204, answer.json()
    (uri,) = erp.get(table["uri"]).json()["line_items"]
    item = erp.get(uri).json()
    assert (item["status"], item["slice"]) == ("pending", row.uri)
    assert (item["price"]["net"], Slice.objects.count()) == (1.5, 1)


def test_price_table_can_be_put_unchanged_and_rejects_other_changes(erp, make, bureau, ask):
    told = ask()
    order = make("order", bureau=bureau["uri"], name="1")

    assert erp.put(told["uri"], told).status_code == 204
    assert erp.put(told["uri"], {"currency": "EUR", "bureau": bureau["uri"]}).status_code == 204
    assert erp.get(told["uri"]).json() == told
    finish_the_slice()
    assert erp.put(told["uri"], told).status_code == 204  # older than what is there now
    now = erp.get(told["uri"]).json()
    assert erp.put(told["uri"], {**now, "order": order["uri"], "cells": [0]}).status_code == 204
    assert len(erp.get(told["uri"]).json()["line_items"]) == 1
    for fields in ({"currency": "JPY"}, {"quantities": [2]}, {"cells": told["cells"]}):
        answer = erp.put(told["uri"], fields)
        assert answer.status_code == 400, fields

"""Prices of what goes into a run that is made anyway."""

import pytest

from apps.erp.actors import refresh_price_tables
from apps.erp.models import LineItem, Piece, PrinterType
from apps.erp.production.services.runs import create_run
from apps.slicing.models import Slice
from tests.erp.conftest import key_of
from tests.erp.test_prices import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def machine(make, bureau, config, material) -> dict:
    """20 mm cubes stand in it three by three by one, 1 mm apart."""
    room = {"x": 64, "y": 64, "z": 22}
    fields = {"config": config["uri"], "materials": [material["uri"]], "build_volume": room}
    return make("printer-type", bureau=bureau["uri"], name="SLS", **fields)


@pytest.fixture
def material(make, bureau) -> dict:
    return make("material", bureau=bureau["uri"], name="PA 12", density=1.0)


@pytest.fixture
def run_of(erp, make, bureau, person, machine, material, cube_model):
    """`run_of(6)`: a run that is not begun, of so many cubes."""
    workflow = make("workflow", bureau=bureau["uri"], name="Print")["uri"]
    make("process-step", workflow=workflow, step_position=1, process_type=machine["uri"])

    def create(quantity: int):
        kind = PrinterType.objects.get(pk=key_of(machine))
        item = LineItem.objects.create(
            bureau=kind.bureau,
            workflow_id=key_of({"uri": workflow}),
            model_uri=cube_model["uri"],
            base_material_id=key_of(material),
            quantity=quantity,
            status="pending",
            creator=person,
        )
        assert erp.put(item.uri, {"status": "confirmed"}).status_code == 204
        return create_run(
            actor=person,
            bureau=kind.bureau,
            name="Monday",
            operation="printing",
            pieces=list(Piece.objects.filter(line_item=item)),
            printer_type=kind,
            status="calculated",
        )

    return create


@pytest.fixture
def ask(erp, make, bureau, machine, material, cube_model):
    """`ask(nested=True)`: a table of 1, 3, 4 and 12 cubes: 1.00 each, and 80.00 a build."""
    uri = bureau["uri"]
    make("tax-rule", bureau=uri, name="Full", category="S", country="DE", rate=19)
    sold_by = make("price-list", bureau=uri, name="Retail", country="DE", is_default=True)
    for name, step, amount in (("Part", "piece", 1), ("Build", "build", 80)):
        make("price-term", price_list=sold_by["uri"], name=name, step=step, amount=amount)

    def post(**fields):
        body = {
            "bureau": uri,
            "models": [cube_model["uri"]],
            "materials": [material["uri"]],
            "quantities": [1, 3, 4, 12],
            **fields,
        }
        answer = erp.post("/price-table/", body)
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return post


def told(table: dict) -> list[tuple[float, int]]:
    return [(cell["net"], cell["nested"]) for cell in table["cells"]]


def test_nested_price_charges_only_additional_builds(ask, run_of):
    run_of(6)

    plain, nested = ask(), ask(nested=True)

    assert told(plain) == [(81, 0), (83, 0), (84, 0), (172, 0)]
    assert told(nested) == [(1, 1), (3, 3), (84, 3), (92, 3)]


def test_started_full_or_other_material_run_accepts_no_nested_parts(ask, run_of, make, bureau):
    run = run_of(9)
    full = told(ask(nested=True))
    run.places.all()[0].delete()
    with_space = told(ask(nested=True))
    run.move("queued")
    begun = told(ask(nested=True))

    assert full == begun == [(81, 0), (83, 0), (84, 0), (172, 0)]
    assert with_space[0] == (1, 1)


def test_bed_outline_limits_nested_parts_more_than_its_bounding_box(ask, run_of, machine):
    run_of(6)
    PrinterType.objects.filter(pk=key_of(machine)).update(
        outline=[[0, 32], [32, 0], [64, 32], [32, 64]],
        packing_mode=PrinterType.Packing.PLATE,
        build_packer_type=PrinterType.Packer.PREMIUM,
    )

    assert [nested for _, nested in told(ask(nested=True))] == [0, 0, 0, 0]


def test_nested_price_table_rejects_too_many_materials(erp, make, bureau, ask, cube_model):
    materials = [make("material", bureau=bureau["uri"], name=f"{at}")["uri"] for at in range(13)]
    body = {"bureau": bureau["uri"], "models": [cube_model["uri"]], "quantities": [1]}

    answer = erp.post("/price-table/", {**body, "materials": materials, "nested": True})

    assert refused(answer) == {("property-value-not-in-allowed-values", "nested")}


def test_nested_price_is_valid_until_the_run_starts(erp, make, bureau, ask, run_of):
    run = run_of(6)
    table = ask(nested=True)
    (row,) = Slice.objects.all()
    row.move("processing")
    row.move("processed", estimates={"build_time_seconds": 60, "build_volume_cc": 8.0})
    refresh_price_tables.fn(row.uri)
    order = make("order", bureau=bureau["uri"], name="1")
    body = {"order": order["uri"], "cells": [0]}

    assert erp.put(table["uri"], body).status_code == 204
    run.move("queued")
    answer = erp.put(table["uri"], body)

    assert refused(answer) == {("price-changed", None)}
    (changed,) = answer.json()["errors"][0]["details"]["cells"]
    assert (changed["was"]["net"], changed["now"]["net"]) == (1, 81)

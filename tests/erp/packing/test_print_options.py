"""Print options: the same supports, infill and layer height in estimate, price and plate."""

import numpy as np
import pytest

from apps.erp.models import LineItem
from apps.slicing.domain.installed_engines import installed_engines, prusaslicer, settings_of
from apps.slicing.models import Config, Slice
from tests.conftest import CORNERS, SIDES, binary_stl
from tests.erp.conftest import key_of

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)

BOX = CORNERS[SIDES] * np.array([12, 12, 4])
# A table: a plate on a column, most of whose lower side hangs over.
COLUMN = CORNERS[SIDES] * np.array([6, 6, 8]) + np.array([7, 7, 0])
TABLE = np.concatenate([COLUMN, CORNERS[SIDES] * np.array([20, 20, 2]) + np.array([0, 0, 8])])


@pytest.fixture
def printer_of(make, bureau, location, client_of, person):
    """`printer_of(supports="off")`: a printer without a preset, whose type has these options."""

    def create(engine: str = "slic3r", **options) -> dict:
        body = {"engine": engine, "parameters": {"infill_density": 20}}
        config = client_of("slicing", person).post("/config/curated/", body).json()["uri"]
        kind = make(
            "printer-type",
            bureau=bureau["uri"],
            name="Own",
            build_volume={"x": 200, "y": 200, "z": 200},
            config=config,
            packing_mode="plate",
            allowed_orientations="as_is",
            minimum_packing_distance=2,
            slice_runs=True,
            **options,
        )
        return make("printer", location=location["uri"], printer_type=kind["uri"], name="P1")

    return create


@pytest.fixture
def item_of(erp, make, bureau, work_on):
    """`item_of(printer, model, ...)`: a pending line item that is printed on it."""

    def create(printer: dict, model: dict, **fields) -> dict:
        workflow = make("workflow", bureau=bureau["uri"], name="Print")["uri"]
        kind = printer["printer_type"]
        make("process-step", workflow=workflow, step_position=1, process_type=kind)
        fields = {"model": model["uri"], "workflow": workflow, "quantity": 1, **fields}
        item = make("line-item", bureau=bureau["uri"], **fields)
        for step in ("estimate_line_item", "slice_model", "continue_estimates"):
            work_on(step)
        work_on("estimate_line_item")
        return erp.get(item["uri"]).json()

    return create


def pieces_of(erp, item: dict) -> list[str]:
    assert erp.put(item["uri"], {"status": "confirmed"}).status_code == 204
    row = LineItem.objects.get(pk=key_of(item))
    return [piece.uri for piece in row.pieces.order_by("number")]


def supports_on_plate(run: dict) -> dict[str, float]:
    """cm3 of supports of each piece on the plate of a run, by the piece."""
    row = Slice.objects.get(pk=key_of({"uri": run["slice"]}))
    names = {piece["name"]: piece["piece"] for piece in row.build["pieces"]}
    rows = row.objects_on_plate
    return {names[each["name"]]: each["support_cc"] for each in rows if each["name"] in names}


@pytest.mark.parametrize(
    ("default", "own", "expected"),
    [
        ("auto", None, True),
        ("auto", "off", False),
        ("off", None, False),
        ("off", "on", True),
        ("off", "auto", True),
        ("on", "whatever suits", True),
    ],
)
def test_supports_of_an_overhanging_part_are_in_its_estimate(
    printer_of, item_of, analysed_model, default, own, expected
):
    model = analysed_model(binary_stl(TABLE))

    item = item_of(printer_of(supports=default), model, support_strategy=own)

    sliced_with = item["estimates"]["sliced_with"]
    assert (sliced_with["supports"], sliced_with["infill"], sliced_with["layer_height"]) == (
        expected,
        20,
        0.2,
    )
    row = Slice.objects.get(pk=key_of({"uri": item["slice"]}))
    assert (row.estimates["support_volume_cc"] > 0.1) is expected


def test_part_without_overhangs_has_no_automatic_supports(printer_of, item_of, analysed_model):
    item = item_of(printer_of(), analysed_model(binary_stl(BOX)))

    assert item["estimates"]["sliced_with"]["supports"] is False


def test_supports_cost_material_and_time(printer_of, item_of, analysed_model):
    printer, model = printer_of(), analysed_model(binary_stl(TABLE))

    without = item_of(printer, model, support_strategy="off")["estimates"]
    automatic = item_of(printer, model)["estimates"]

    assert automatic["per_piece"]["print_time"] > without["per_piece"]["print_time"]


def test_infill_and_layer_height_of_a_line_item_or_its_printer_type_are_used(
    printer_of, item_of, analysed_model
):
    model = analysed_model(binary_stl(BOX))
    printer = printer_of(infill=35, layer_height=0.15)

    default = item_of(printer, model)
    own = item_of(printer, model, infill_strategy="60 %", layer_thickness=0.3)

    sliced_with = [each["estimates"]["sliced_with"] for each in (default, own)]
    assert [(each["infill"], each["layer_height"]) for each in sliced_with] == [
        (35, 0.15),
        (60, 0.3),
    ]
    config = Config.objects.get(pk=key_of({"uri": sliced_with[0]["config"]}))
    assert settings_of(config)["top_solid_layers"] == "6"  # 0.8 mm, as with layers of 0.2


def test_options_hold_with_a_config_of_cura(printer_of, item_of, analysed_model):
    if (cura := installed_engines()["cura"]).version() is None:
        pytest.skip(cura.missing())
    printer = printer_of(engine="cura", layer_height=0.3)

    item = item_of(printer, analysed_model(binary_stl(TABLE)), infill_strategy="45%")

    sliced_with = item["estimates"]["sliced_with"]
    names = ("supports", "infill", "layer_height")
    assert [sliced_with[name] for name in names] == [True, 45, 0.3]
    assert item["estimates"]["print_time"] > 0
    config = Config.objects.get(pk=key_of({"uri": sliced_with["config"]}))
    assert settings_of(config)["machine_width"] == "200"


def test_options_hold_with_a_raw_config_of_cura(
    erp, printer_of, item_of, analysed_model, client_of, person
):
    if (cura := installed_engines()["cura"]).version() is None:
        pytest.skip(cura.missing())
    content = "layer_height=0.15\nwall_line_count==2 + 1\nadhesion_type=none"
    body = {"engine": "cura", "content": content}
    raw = client_of("slicing", person).post("/config/raw/", body).json()["uri"]
    printer = printer_of()
    assert erp.put(printer["printer_type"], {"config": raw}).status_code == 204
    model = analysed_model(binary_stl(TABLE))

    default = item_of(printer, model)
    own = item_of(
        printer, model, support_strategy="off", infill_strategy="45%", layer_thickness=0.3
    )

    sliced_with = [item["estimates"]["sliced_with"] for item in (default, own)]
    names = ("supports", "infill", "layer_height")
    assert [[each[name] for name in names] for each in sliced_with] == [
        [True, 20, 0.15],
        [False, 45, 0.3],
    ]
    config = Config.objects.get(pk=key_of({"uri": sliced_with[1]["config"]}))
    settings = settings_of(config)
    assert (settings["wall_line_count"], settings["top_layers"]) == ("3", "3")  # 0.8 mm
    refused = item_of(printer, model, layer_thickness=0.6)
    assert "Layers of 0.6 mm are higher than the nozzle" in str(refused["estimates"]["terms"])


def test_layers_higher_than_the_nozzle_are_refused_in_the_estimate(
    printer_of, item_of, analysed_model
):
    item = item_of(printer_of(), analysed_model(binary_stl(BOX)), layer_thickness=0.6)

    assert item["estimates"]["print_time"] is None
    assert "Layers of 0.6 mm are higher than the nozzle" in str(item["estimates"]["terms"])


@pytest.mark.parametrize("engine", ["slic3r", "cura"])
def test_parts_of_one_plate_have_their_own_supports_and_infill(
    erp, printer_of, item_of, analysed_model, run_of, engine
):
    if (program := installed_engines()[engine]).version() is None:
        pytest.skip(program.missing())
    printer, table = printer_of(engine), analysed_model(binary_stl(TABLE), rotation=False)
    plain, automatic, off = (
        item_of(printer, model, **fields)
        for model, fields in (
            (analysed_model(binary_stl(BOX)), {"infill_strategy": "80%"}),
            (table, {}),
            (table, {"support_strategy": "off"}),
        )
    )
    pieces = [pieces_of(erp, item)[0] for item in (plain, automatic, off)]

    run = run_of(printer, pieces)

    assert run["slicing"] == "processed", run["slicing_errors"]
    supports = supports_on_plate(run)
    alone = Slice.objects.get(pk=key_of({"uri": automatic["slice"]})).estimates
    row = Slice.objects.get(pk=key_of({"uri": run["slice"]}))
    if engine == "cura":  # it prints supports for all objects together
        supports[pieces[1]] = row.objects_on_plate[-1]["support_cc"]
    assert supports[pieces[1]] == pytest.approx(alone["support_volume_cc"], rel=0.1)
    assert (supports[pieces[0]], supports[pieces[2]]) == (0, 0)
    figures = {each["name"]: each for each in row.objects_on_plate}
    name = next(piece["name"] for piece in row.build["pieces"] if piece["piece"] == pieces[0])
    solid = Slice.objects.get(pk=key_of({"uri": plain["slice"]})).estimates["build_volume_cc"]
    assert figures[name]["volume_cc"] == pytest.approx(solid, rel=0.15)


def test_parts_of_different_layer_heights_do_not_share_a_plate(
    erp, printer_of, item_of, analysed_model, run_of
):
    printer, model = printer_of(), analysed_model(binary_stl(BOX))
    items = [item_of(printer, model, layer_thickness=height) for height in (0.1, 0.3)]

    run = run_of(printer, [pieces_of(erp, item)[0] for item in items])

    (error,) = run["slicing_errors"]
    assert (run["slicing"], error["code"]) == ("error", "config-missing")
    assert "different configs or layer heights" in error["title"]


def test_options_cannot_change_after_confirmation(erp, printer_of, item_of, analysed_model):
    item = item_of(printer_of(), analysed_model(binary_stl(BOX)))
    pieces_of(erp, item)

    answer = erp.put(item["uri"], {"support_strategy": "on"})

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"]) == (409, "already-confirmed")


def test_price_table_prices_supports_of_overhanging_parts(
    erp, make, bureau, printer_of, analysed_model, work_on
):
    printer, material = printer_of(), make("material", bureau=bureau["uri"], name="PLA", cost=1)
    erp.put(printer["printer_type"], {"materials": [material["uri"]]})
    make("tax-rule", bureau=bureau["uri"], name="Full", category="S", country="DE", rate=19)
    prices = make("price-list", bureau=bureau["uri"], name="Retail", country="DE", is_default=True)
    term = {"name": "Time", "step": "piece", "unit": "hour", "amount": 60}
    make("price-term", price_list=prices["uri"], **term)
    models = [analysed_model(binary_stl(shape))["uri"] for shape in (TABLE, BOX)]

    table = make(
        "price-table",
        bureau=bureau["uri"],
        models=models,
        materials=[material["uri"]],
        quantities=[1],
    )
    work_on("slice_model")

    configs = {row.model_uri: settings_of(row.config) for row in Slice.objects.all()}
    assert [configs[uri]["support_material"] for uri in models] == ["1", "0"]
    order = make("order", bureau=bureau["uri"], name="Nr. 1")
    work_on("refresh_price_tables")
    assert erp.put(table["uri"], {"order": order["uri"], "cells": [0, 1]}).status_code == 204
    items = LineItem.objects.order_by("pk")
    used = [Config.objects.get(pk=key_of({"uri": item.config_uri})) for item in items]
    assert [settings_of(config)["support_material"] for config in used] == ["1", "0"]

"""Printer types by preset: what they take over, and what line items are sliced with."""

import pytest

from apps.slicing.domain.installed_engines import prusaslicer, settings_of
from apps.slicing.models import Config
from tests.erp.conftest import key_of

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def printed_on(make, bureau):
    """`printed_on(printer_type)`: a workflow that prints on it."""

    def create(printer_type: dict) -> str:
        workflow = make("workflow", bureau=bureau["uri"], name="Print")["uri"]
        make("process-step", workflow=workflow, step_position=1, process_type=printer_type["uri"])
        return workflow

    return create


@pytest.fixture
def item_of(erp, make, bureau, cube_model, estimate, finish_slice):
    """`item_of(workflow=..., ...)`: a line item of a cube, whose slice is done."""

    def create(**fields) -> dict:
        fields = {"bureau": bureau["uri"], "model": cube_model["uri"], "quantity": 1, **fields}
        item = make("line-item", **fields)
        estimate()
        item = erp.get(item["uri"]).json()
        return finish_slice(item) if item["status"] != "pending" else item

    return create


def test_printer_type_takes_its_build_volume_from_its_preset(type_of):
    assert type_of()["build_volume"] == {"x": 200, "y": 150, "z": 180}

    assert type_of("Acme Round")["build_volume"] == {"x": 160, "y": 160, "z": 180}


def test_build_volume_may_be_smaller_but_not_larger_than_of_the_preset(
    erp, type_of, bureau, uri_of
):
    small = type_of(build_volume={"x": 100, "y": 100, "z": 100})
    assert small["build_volume"]["x"] == 100

    answer = erp.put(small["uri"], {"build_volume": {"x": 100, "y": 151, "z": 100}})

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["field"]) == (400, "build_volume.y")
    assert "builds 200 x 150 x 180 mm" in error["title"]


def test_printer_type_requires_preset_or_build_volume(erp, bureau):
    answer = erp.post("/printer-type/", {"bureau": bureau["uri"], "name": "?"})

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"]) == (400, "missing-parameter")
    assert error["field"] == "build_volume"


def test_printer_type_rejects_presets_of_wrong_kind_and_foreign_materials(
    erp, bureau, uri_of, make
):
    material = make("material", bureau=bureau["uri"], name="PLA")["uri"]
    body = {
        "bureau": bureau["uri"],
        "name": "?",
        "preset": uri_of("Acme PLA"),
        "print_preset": uri_of("Acme Flat"),
        "filaments": [
            {"material": material, "preset": uri_of("Acme Flat")},
            {"material": bureau["uri"], "preset": uri_of("Acme PLA")},
        ],
    }

    answer = erp.post("/printer-type/", body)

    assert answer.status_code == 400
    assert sorted(error["field"] for error in answer.json()["errors"]) == [
        "filaments.0.preset",
        "filaments.1.material",
        "preset",
        "print_preset",
    ]


def test_line_item_is_sliced_with_the_presets_of_its_printer_type(
    client_of, person, type_of, printed_on, item_of
):
    item = item_of(workflow=printed_on(type_of(time_factor=1.5)))

    assert item["status"] == "pending"
    told = item["estimates"]["sliced_with"]
    assert told["presets"] == {
        "printer": "Acme Flat",
        "print": "0.20 mm normal @ACME",
        "filament": "Acme PLA",
    }
    assert (told["layer_height"], told["time_factor"]) == (0.2, 1.5)
    assert item["estimates"]["per_piece"]["print_time"] == 5400  # 3600 s by the engine
    config = client_of("slicing", person).get(told["config"]).json()
    assert config["kind"] == "preset"


def test_line_item_settings_select_and_override_presets(
    client_of, person, make, bureau, type_of, printed_on, item_of, uri_of
):
    petg = make("material", bureau=bureau["uri"], name="Clear", filament_type="petg")["uri"]
    workflow = printed_on(type_of(print_preset=uri_of("0.20 mm normal @ACME")))

    item = item_of(
        workflow=workflow,
        materials={"base": petg},
        layer_thickness=0.1,
        infill_strategy="40%",
        support_strategy="true",
    )

    told = item["estimates"]["sliced_with"]
    assert told["presets"]["print"] == "0.10 mm fine @ACME"
    assert told["presets"]["filament"] == "Acme PETG"
    parameters = client_of("slicing", person).get(told["config"]).json()["parameters"]
    assert (parameters["infill_density"], parameters["support"]) == (40, True)


def test_printer_type_maps_a_material_to_its_filament_preset(
    make, bureau, type_of, printed_on, item_of, uri_of
):
    pla = make("material", bureau=bureau["uri"], name="Black", filament_type="PLA")["uri"]
    joined = [{"material": pla, "preset": uri_of("Generic PLA @ACME")}]

    item = item_of(workflow=printed_on(type_of(filaments=joined)), materials={"base": pla})

    assert item["estimates"]["sliced_with"]["presets"]["filament"] == "Generic PLA @ACME"


def test_missing_filament_preset_is_a_reason_and_does_not_block(
    make, bureau, type_of, printed_on, item_of
):
    pa = make("material", bureau=bureau["uri"], name="Nylon", filament_type="PA")["uri"]

    item = item_of(workflow=printed_on(type_of()), materials={"base": pa})

    assert item["status"] == "pending"
    terms = {term["name"]: term for term in item["estimates"]["terms"]}
    assert "No filament preset of type PA fits Acme Flat" in terms["machine_time"]["reason"]
    assert item["estimates"]["sliced_with"] is None


def test_own_config_overrides_presets_and_equal_choices_share_one_config(
    type_of, printed_on, item_of, config, person
):
    workflow = printed_on(type_of())

    own = item_of(workflow=workflow, config=config["uri"])
    first, second = item_of(workflow=workflow), item_of(workflow=workflow)

    used = Config.objects.get(pk=key_of({"uri": own["estimates"]["sliced_with"]["config"]}))
    assert own["config"] == config["uri"]
    assert own["estimates"]["sliced_with"]["presets"] is None
    assert settings_of(used) == settings_of(Config.objects.get(pk=key_of(config))) | {
        "bed_shape": "5x5,205x5,205x155,5x155",
        "max_print_height": "180",
    }
    shared = {row["estimates"]["sliced_with"]["config"] for row in (first, second)}
    assert len(shared) == 1
    assert Config.objects.filter(kind="preset").count() == 1
    assert key_of({"uri": shared.pop()}) == str(Config.objects.get(kind="preset").pk)


def test_change_of_layer_thickness_restarts_the_estimate_with_a_new_slice(
    erp, type_of, printed_on, item_of, estimate
):
    item = item_of(workflow=printed_on(type_of()))

    assert erp.put(item["uri"], {"layer_thickness": 0.3}).status_code == 204
    estimate()

    changed = erp.get(item["uri"]).json()
    assert changed["status"] == "calculating_estimates"
    assert changed["slice"] != item["slice"]

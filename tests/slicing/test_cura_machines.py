"""Machines of Cura over HTTP: list, one, and what can be chosen of it."""

import json
import os
from uuid import uuid4

import pytest

from apps.slicing.domain.cura_machines import CuraMachine, cura_machines
from apps.slicing.engines.curaengine import CuraEngine

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

OTHERS = {
    "bare": {
        "inherits": "fdmprinter",
        "name": "Bare",
        "metadata": {"visible": True, "has_materials": False},
    },
    "hidden": {"inherits": "fdmprinter", "name": "Hidden", "metadata": {"visible": False}},
    "lost": {
        "inherits": "fdmprinter",
        "name": "Lost",
        "metadata": {"visible": True, "machine_extruder_trains": {"0": "lost_extruder"}},
    },
    "lost_extruder": {"inherits": "gone", "metadata": {"machine": "lost"}},
}


@pytest.fixture
def machines(nova):
    """CuraEngine with Nova, a machine that says little, and definitions without a machine."""
    folder = nova.definitions / nova.program_version() / "machines"
    for name, content in OTHERS.items():
        (folder / f"{name}.def.json").write_text(json.dumps(content))
    return nova


@pytest.fixture
def listed(slicing, machines):
    """`listed("sort=name")`: the machines of a list."""

    def get(query: str = "") -> list[dict]:
        answer = slicing.get(f"/cura-machine/?{query}")
        assert answer.status_code == 200, answer.json()
        return answer.json()["resources"]

    return get


@pytest.fixture
def choices(slicing, nova):
    """`choices("nozzle=0.8 mm")`: the answer for Nova."""
    uri = slicing.get("/cura-machine/?filter[identifier]=nova").json()["resources"][0]["uri"]
    return lambda query="": slicing.get(f"{uri}choices/?{query}")


def test_machine_has_maker_build_volume_and_filament(slicing, listed, nova):
    (row,) = listed("filter[identifier]=nova")

    assert slicing.get(row["uri"]).json() == row
    assert row.pop("uri").endswith("/cura-machine/074a37ac-01af-5444-8c16-be8f39b6aece/")
    assert row == {
        "identifier": "nova",
        "name": "Nova",
        "manufacturer": "Nova & Sons",
        "build_volume": {"x": 150.0, "y": 140.0, "z": 130.0},
        "filament_diameter": 1.75,
        "engine_version": nova.version(),
    }


def test_unknown_maker_and_build_volume_are_null(listed):
    (row,) = listed("filter[identifier]=bare")

    assert (row["manufacturer"], row["build_volume"]) == (None, None)
    assert row["filament_diameter"] == 2.85


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("sort=name", ["Bare", "Nova"]),
        ("sort=-name", ["Nova", "Bare"]),
        ("sort=manufacturer", ["Nova", "Bare"]),
        ("search[name]=NOV", ["Nova"]),
        ("search[manufacturer]=sons", ["Nova"]),
        ("filter[manufacturer]=Nova %26 Sons", ["Nova"]),
        ("filter[identifier]=acme", []),
        ("page[limit]=1&sort=name", ["Bare"]),
    ],
)
def test_machines_are_filtered_searched_and_sorted(listed, query, names):
    assert [row["name"] for row in listed(query)] == names


def test_unknown_machine_is_not_found(slicing, machines):
    path = f"/cura-machine/{uuid4()}/"

    assert slicing.get(path).status_code == 404
    assert slicing.get(f"{path}choices/").status_code == 404


def test_list_is_empty_without_machines_or_engine(slicing, nova, monkeypatch, tmp_path):
    monkeypatch.setattr(CuraEngine, "version", lambda self: None)
    assert slicing.get("/cura-machine/").json()["resources"] == []
    monkeypatch.undo()

    assert "nova" not in {row.identifier for row in cura_machines()}


def test_added_definition_is_listed(listed, nova):
    folder = nova.definitions / nova.program_version() / "machines"
    before = len(listed())

    (folder / "second.def.json").write_text(json.dumps(OTHERS["bare"] | {"name": "Second"}))
    os.utime(folder, ns=(0, folder.stat().st_mtime_ns + 1))

    assert len(listed()) == before + 1


def test_rows_of_a_list_are_made_once(machines):
    first, second = cura_machines(), cura_machines()

    assert all(one is other for one, other in zip(first, second, strict=True))
    assert isinstance(first[0], CuraMachine)


def test_preferred_profiles_are_chosen(choices):
    answer = choices().json()

    assert answer["nozzles"] == ["0.4 mm", "0.8 mm"]
    assert answer["materials"] == [
        {
            "identifier": f"{kind.lower()}_175",
            "name": f"Generic {kind.removeprefix('generic_')}",
            "brand": "Generic",
            "type": kind.removeprefix("generic_"),
        }
        for kind in ("generic_PLA", "PETG")
    ]
    assert answer["qualities"] == [{"quality": "fine", "name": "Fine print", "layer_height": 0.12}]
    assert answer["intents"] == ["engineering"]
    chosen = [answer[name] for name in ("nozzle", "material", "quality")]
    assert chosen == ["0.4 mm", "generic_pla_175", "fine"]


def test_nozzle_narrows_materials_qualities_and_intents(choices):
    answer = choices("nozzle=0.8 mm").json()

    assert [row["identifier"] for row in answer["materials"]] == ["generic_pla_175"]
    assert answer["qualities"] == [{"quality": "rough", "name": "quality", "layer_height": 0.3}]
    assert (answer["quality"], answer["intents"]) == ("rough", [])


def test_material_and_quality_are_chosen_by_name(choices):
    answer = choices("material=Generic PETG&quality=Fine print").json()

    assert (answer["material"], answer["quality"]) == ("petg_175", "fine")


@pytest.mark.parametrize(
    ("query", "field", "names"),
    [
        ("nozzle=1 mm", "nozzle", ["0.4 mm", "0.8 mm"]),
        ("nozzle=0.8 mm&material=petg_175", "material", ["generic_pla_175"]),
        ("quality=rough", "quality", ["fine"]),
    ],
)
def test_unknown_name_is_refused_with_the_names_of_the_machine(choices, query, field, names):
    answer = choices(query)

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["field"]) == (400, field)
    assert error["code"] == "property-value-not-in-allowed-values"
    assert error["details"]["names"] == names


def test_unknown_argument_is_refused(choices):
    (error,) = choices("intent=engineering").json()["errors"]

    assert (error["code"], error["field"]) == ("request-validation-error", "intent")


def test_choices_of_a_machine_without_profiles_are_empty(slicing, listed):
    (row,) = listed("filter[identifier]=bare")

    answer = slicing.get(f"{row['uri']}choices/").json()

    assert answer == {
        **dict.fromkeys(("nozzles", "materials", "qualities", "intents"), []),
        **dict.fromkeys(("nozzle", "material", "quality")),
    }


def test_machine_without_metadata_has_those_of_the_root(slicing, listed, nova):
    folder = nova.definitions / nova.program_version() / "machines"
    (folder / "plain.def.json").write_text(
        json.dumps({"inherits": "fdmprinter", "name": "Plain", "metadata": {"visible": True}})
    )
    os.utime(folder, ns=(0, folder.stat().st_mtime_ns + 1))
    (row,) = listed("filter[identifier]=plain")

    answer = slicing.get(f"{row['uri']}choices/").json()

    assert (answer["material"], row["manufacturer"]) == ("generic_pla", None)

"""The catalogue of presets over HTTP; where an engine is needed, it is the real one."""

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.serializers.preset import PresetAnswer
from tests.slicing.vendor_bundle import BUNDLE

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.engine,
    pytest.mark.usefixtures("presets_folder"),
]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def listed(slicing):
    """`listed("filter[kind]=print")`: the presets of a list."""

    def get(query: str = "") -> list[dict]:
        answer = slicing.get(f"/preset/?page[limit]=1000&{query}")
        assert answer.status_code == 200, answer.json()
        return answer.json()["resources"]

    return get


def names(presets: list[dict]) -> list[str]:
    return sorted(preset["name"] for preset in presets)


def test_printer_preset_has_bed_and_default_presets(slicing, listed):
    (flat,) = listed("search[name]=Acme flat&filter[nozzle_diameter]=0.4")

    assert set(flat) == set(PresetAnswer.__annotations__)
    assert (flat["kind"], flat["vendor"], flat["version"]) == ("printer", "Acme & Sons", "1.2.3")
    assert flat["engine_version"] == prusaslicer().version()
    assert (flat["usable"], flat["reasons"]) == (True, [])
    assert flat["bed"]["outline"] == [[5.0, 5.0], [205.0, 5.0], [205.0, 155.0], [5.0, 155.0]]
    assert slicing.get(flat["default_print"]).json()["name"] == "0.20 mm normal @ACME"
    assert slicing.get(flat["default_filament"]).json()["name"] == "Acme PLA"
    assert (flat["layer_height"], flat["temperatures"]) == (None, None)
    assert slicing.get(flat["uri"]).json() == flat


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("filter[kind]=printer&filter[usable]=false", ["Acme Careless"]),
        ("filter[layer_height]%3C0.2&filter[kind]=print", ["0.10 mm fine @ACME"]),
        ("filter[filament_type]=PETG", ["Acme PETG"]),
        ("filter[printer_model]=Acme Round %26 Tall", ["Acme Round"]),
        ("filter[vendor]=Nobody", []),
        ("search[name]=%25", []),
        ("filter[kind]=print&sort=-layer_height&page[limit]=1", ["0.30 mm quick @ACME"]),
    ],
)
def test_presets_are_filtered_searched_and_sorted(listed, query, found):
    assert names(listed(query)) == found


def test_presets_are_filtered_by_compatible_printer_and_print(listed):
    (wide,) = listed("filter[nozzle_diameter]=0.6")
    (coarse,) = listed("search[name]=0.30 mm")

    fitting = listed(f"filter[printer]={wide['uri']}")
    both = listed(f"filter[printer]={wide['uri']}&filter[print]={coarse['uri']}")

    assert names(fitting) == ["0.30 mm quick @ACME", "Acme PETG", "Acme PLA", "Generic PLA @ACME"]
    assert names(both) == ["Acme PLA", "Generic PLA @ACME"]
    assert listed(f"filter[printer]={coarse['uri']}") == []


TEMPLATES = """
[vendor]
name = Templates
templates_profile = 1

[filament:*any*]
filament_type = PLA
filament_diameter = 1.75
compatible_printers_condition = printer_notes!~/.*NO_TEMPLATES.*/

[filament:Generic PLA]
inherits = *any*

[filament:Generic PVA]
inherits = *any*
filament_type = PVA
"""
BARE = """
[printer:Bare]
nozzle_diameter = 0.4

[printer:Bare and choosy]
nozzle_diameter = 0.4
printer_notes = NO_TEMPLATES

[print:0.2 mm bare]
layer_height = 0.2
"""


def test_template_filaments_are_offered_when_the_vendor_has_none(listed, slicing, presets_folder):
    (presets_folder / "Templates.ini").write_text(TEMPLATES)
    (presets_folder / "Bare.ini").write_text(BARE)
    flat, bare, choosy = (
        next(row for row in listed("filter[kind]=printer") if row["name"] == name)
        for name in ("Acme Flat", "Bare", "Bare and choosy")
    )

    def filaments(printer: dict) -> list[str]:
        return names(listed(f"filter[kind]=filament&filter[printer]={printer['uri']}"))

    assert filaments(flat) == ["Acme PETG", "Acme PLA", "Generic PLA @ACME", "Generic PVA"]
    assert filaments(bare) == ["Generic PLA", "Generic PVA"]
    assert filaments(choosy) == []
    assert slicing.get(flat["default_filament"]).json()["name"] == "Acme PLA"
    assert slicing.get(bare["default_filament"]).json()["vendor"] == "Templates"
    assert choosy["default_filament"] is None


def test_unreadable_condition_counts_as_met_with_a_note(listed, presets_folder):
    condition = "\ncompatible_printers_condition = nozzle_diameter[0]*2==0.8\n"
    (presets_folder / "Bare.ini").write_text(BARE + condition)
    (bare,) = (row for row in listed("filter[kind]=printer") if row["name"] == "Bare")

    (print_,) = listed(f"filter[kind]=print&filter[printer]={bare['uri']}")

    assert "cannot be read and counts as met" in print_["notes"][0]


def test_pages_of_presets_keep_the_filter(slicing):
    first = slicing.get("/preset/?filter[kind]=print&page[limit]=2&sort=name").json()
    second = slicing.get(first["links"]["next"]).json()

    assert first["meta"] == {"count": 3}
    assert names(first["resources"] + second["resources"]) == [
        "0.10 mm fine @ACME",
        "0.20 mm normal @ACME",
        "0.30 mm quick @ACME",
    ]
    assert second["links"]["next"] is None


def test_presets_reject_anonymous_users_and_other_methods(slicing, client_of, listed):
    uri = listed()[0]["uri"]

    assert client_of("slicing").get("/preset/").status_code == 401
    assert slicing.post("/preset/", {}).status_code == 405
    assert slicing.delete(uri).status_code == 405
    assert slicing.get("/preset/01a1fe8b-701d-7002-a193-fe3a9263b851/").status_code == 404
    assert slicing.get("/preset/?filter[colour]=red").status_code == 400


def test_upgraded_preset_bundle_is_read_again_and_keeps_its_uris(slicing, listed, presets_folder):
    (flat,) = listed("filter[printer_model]=Acme Flat&filter[nozzle_diameter]=0.6")

    newer = BUNDLE.replace("config_version = 1.2.3", "config_version = 1.2.40")
    (presets_folder / "Acme.ini").write_text(newer)

    assert slicing.get(flat["uri"]).json()["version"] == "1.2.40"


def test_unreadable_bundle_is_left_out_and_others_stay(listed, presets_folder, capsys):
    (presets_folder / "Evil.ini").write_text("[print:P]\nperimeters = 1\x00\n")
    (presets_folder / "Worse.ini").write_text("[print:P]\ninherits = P\n")

    call_command("presets")

    told = capsys.readouterr().out
    assert "Evil: left out. Line 2: the character U+0000 is not allowed" in told
    assert "Acme & Sons: Acme Flat: usable" in told
    assert "Acme & Sons: Acme Careless: The installed PrusaSlicer refuses it" in told
    (circle,) = listed("filter[vendor]=Worse")
    assert "inherits from itself" in circle["reasons"][0]


def test_presets_check_command_slices_a_cube_for_each_printer(capsys):
    call_command("presets", check=True, vendor="Acme & Sons")

    told = capsys.readouterr().out.splitlines()
    assert sum(line.endswith(": usable") for line in told) == 4
    with pytest.raises(CommandError, match="Acme & Sons"):
        call_command("presets", vendor="Nobody")


def test_presets_models_command_lists_printer_models(capsys):
    call_command("presets", models=True)

    listed = json.loads(capsys.readouterr().out)
    assert listed["prusaslicer"] == prusaslicer().version()
    assert [(row["name"], row["nozzles"], row["extruders"]) for row in listed["models"]] == [
        ("Acme Flat", [0.4, 0.6], [1, 2]),
        ("Acme Round & Tall", [0.4], [1]),
    ]
    assert [row["reasons"] for row in listed["models"]] == [[], []]


def test_printer_model_rejected_by_the_engine_is_listed_with_its_reason(capsys, presets_folder):
    (presets_folder / "Acme.ini").unlink()
    (presets_folder / "Other.ini").write_text(
        "[printer:Careless]\ngcode_flavor = marlin\nuse_relative_e_distances = 1\n"
        "[printer:Resin]\nprinter_technology = SLA\n"
    )

    call_command("presets", models=True)

    (row,) = json.loads(capsys.readouterr().out)["models"]
    assert row["name"] == "Careless"
    assert 'must be a "G92 E0"' in row["reasons"][0]


def test_presets_random_command_slices_a_cube_with_random_triples(capsys):
    call_command("presets", random=4)

    told = capsys.readouterr().out.splitlines()
    assert len(told) == 4
    assert all(line.endswith(": sliced") for line in told)


def test_documented_printer_list_matches_the_installed_presets(capsys, settings):
    lists = sorted((settings.BASE_DIR / "docs" / "printers").glob("*.json"))
    by_version = {json.loads(file.read_text())["prusaslicer"]: file for file in lists}
    file = by_version.get(prusaslicer().version())
    installed = Path("/usr/share/PrusaSlicer/profiles")
    if file is None or not installed.is_dir():
        pytest.skip("The installed PrusaSlicer is of no supported Debian, or has no presets.")
    kept, name = json.loads(file.read_text()), file.stem
    settings.PRESETS = installed

    call_command("presets", models=True)

    words = f"manage.py presets --models > docs/printers/{name}.json, then make printers"
    assert json.loads(capsys.readouterr().out) == kept, words


@pytest.mark.slow
def test_installed_presets_slice_for_printers_of_a_dozen_vendors(capsys):
    """One printer of each vendor; `make presets` tries them all."""
    installed = type(settings.BASE_DIR)("/usr/share/PrusaSlicer/profiles")
    if not installed.is_dir():
        pytest.skip("The package of PrusaSlicer has no presets here.")
    settings.PRESETS = installed

    call_command("presets", check=True, limit=1)

    told = capsys.readouterr().out.splitlines()
    assert sum(line.endswith(": usable") for line in told) >= 12

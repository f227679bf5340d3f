"""Presets of OrcaSlicer in the catalogue: estimates, and G-code that is not handed out."""

import json
import zipfile

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from apps.slicing.domain.catalogue import catalogue
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.interface import gcode_file
from apps.slicing.models import Config
from core.files import blobs
from tests.slicing.orca_set import PRINTER, START, write_set

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.engine,
    pytest.mark.usefixtures("presets_folder", "orca_set"),
]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def orca_set(presets_folder):
    """A set of one maker beside the package's presets."""
    return write_set(settings.ORCA_PRESETS)


def printer_of(slicing, name: str) -> dict:
    (row,) = slicing.get("/preset/", {"filter[kind]": "printer", "search[name]": name}).json()[
        "resources"
    ]
    return row


def test_printer_of_another_slicer_is_listed_for_estimates(slicing):
    row = printer_of(slicing, PRINTER)

    assert (row["origin"], row["vendor"], row["version"]) == ("OrcaSlicer", "Nova", "1.2")
    assert (row["estimate_only"], row["usable"], row["engine"]) == (True, True, "slic3r")
    assert row["dropped"] == ["machine_start_gcode", "scan_first_layer"]
    assert row["bed"]["outline"] == [[0, 0], [180, 0], [180, 180], [0, 180]]
    assert any("confirm both" in note for note in row["notes"])
    assert slicing.get(row["default_print"]).json()["name"] == "0.20mm Nova"
    assert slicing.get(row["default_filament"]).json()["name"] == "Nova PLA"


def test_presets_command_lists_what_is_used_of_an_exported_file(tmp_path, capsys):
    exported = tmp_path / "mine.orca_printer"
    profiles = [
        {"type": "machine", "name": "My Nova", "inherits": PRINTER, "scan_first_layer": "0"},
        {"type": "process", "name": "Lost", "inherits": "gone"},
    ]
    with zipfile.ZipFile(exported, "w") as archive:
        for number, profile in enumerate(profiles):
            archive.writestr(f"{number}.json", json.dumps(profile))

    call_command("presets", file=exported)

    printer, lost = (
        line
        for line in capsys.readouterr().out.splitlines()
        if line.startswith(("printer: My Nova", "print: Lost"))
    )
    assert "dropped: machine_start_gcode, scan_first_layer." in printer
    assert "inherits from 'gone'" in lost
    exported.write_bytes(b"no preset")
    with pytest.raises(CommandError, match="mine.orca_printer: The file is no JSON"):
        call_command("presets", file=exported)


def test_presets_are_filtered_by_origin_and_purpose(slicing):
    def names(**query: str) -> list[str]:
        rows = slicing.get("/preset/", {"filter[kind]": "printer", **query}).json()["resources"]
        return sorted(row["name"] for row in rows)

    estimates = names(**{"filter[estimate_only]": "true"})
    assert estimates == ["Nova Bare", "Nova Broken", PRINTER]
    assert names(**{"filter[origin]": "OrcaSlicer"}) == estimates
    assert "Acme Flat" in names(**{"filter[estimate_only]": "false"})


def test_printer_whose_parent_is_missing_is_not_usable(slicing):
    row = printer_of(slicing, "Nova Broken")

    assert row["usable"] is False
    assert "inherits from 'fdm_gone'" in row["reasons"][0]


def test_printer_without_prints_and_filaments_gets_generic_ones(slicing):
    row = printer_of(slicing, "Nova Bare")

    way, stuff = (slicing.get(row[f"default_{kind}"]).json() for kind in ("print", "filament"))
    assert (way["name"], way["layer_height"]) == ("0.3 mm generic @Nova Bare", 0.3)
    assert (stuff["name"], stuff["filament_type"]) == ("Generic PLA", "PLA")
    assert "Generic settings of the platform" in way["notes"][0]


def test_set_is_read_again_when_it_has_changed(slicing, orca_set):
    before = catalogue()
    data = json.loads(orca_set.read_text())
    data["vendor"] = "Nova Industries"
    orca_set.write_text(json.dumps(data))

    assert printer_of(slicing, PRINTER)["vendor"] == "Nova Industries"
    assert catalogue() is not before


@pytest.mark.parametrize("content", [b"{}", b'{"profiles": [1]}', b"[", b"\xff"])
def test_file_that_is_no_set_is_left_out_and_named(slicing, orca_set, content):
    orca_set.write_bytes(content)

    assert list(catalogue().refused) == ["orca-Nova"]
    assert slicing.get("/preset/", {"filter[origin]": "PrusaSlicer"}).json()["resources"]


def test_slice_is_an_estimate_and_its_gcode_is_not_handed_out(slicing, part, run_jobs):
    made = slicing.post("/config/preset/", {"printer": printer_of(slicing, PRINTER)["uri"]})
    config = made.json()
    assert config["preset"]["estimate_only"] is True
    sliced = slicing.post("/slice/", {"model": part["uri"], "config": config["uri"]}).json()
    run_jobs()

    row = slicing.get(sliced["uri"]).json()
    assert row["status"] == "processed", row["errors"]
    assert row["estimates"]["build_time_seconds"] > 60
    assert row["content"] is None
    assert [warning["code"] for warning in row["warnings"]] == ["estimate-only"]
    assert gcode_file(row["uri"]).estimate_only is True


def test_gcode_of_the_maker_is_in_no_config(slicing):
    config = slicing.post("/config/preset/", {"printer": printer_of(slicing, PRINTER)["uri"]})

    row = Config.objects.get(pk=config.json()["uri"].split("/")[-2])
    with blobs.local_copy(row.content_id) as path:
        content = path.read_text()
    assert "start_gcode = G90" in content
    assert START not in content

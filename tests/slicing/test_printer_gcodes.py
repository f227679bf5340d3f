"""Start and end G-code of a printer: proposed, confirmed by a person, tested, then printed with."""

import pytest
from django.conf import settings

from apps.slicing.configs.text import entries
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.interface import gcode_file
from apps.slicing.models import Config
from core.files import blobs
from tests.slicing.gcode_set import END, PLAIN, SMART, START, write_gcode_set
from tests.slicing.orca_set import PRINTER as MACRO
from tests.slicing.orca_set import write_set

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.engine,
    pytest.mark.usefixtures("presets_folder", "sets"),
]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def sets(presets_folder):
    """Two sets of profiles of OrcaSlicer beside the package's presets."""
    write_set(settings.ORCA_PRESETS)
    return write_gcode_set(settings.ORCA_PRESETS)


def printer_of(slicing, name: str) -> dict:
    query = {"filter[kind]": "printer", "search[name]": name}
    (row,) = slicing.get("/preset/", query).json()["resources"]
    return row


def proposal_of(slicing, name: str) -> dict:
    answer = slicing.get(f"{printer_of(slicing, name)['uri']}gcode-proposal/")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def texts_of(proposal: dict) -> dict[str, str]:
    return {each["field"]: each["text"] for each in proposal["gcodes"] if each["text"]}


@pytest.fixture
def confirm(slicing, run_jobs):
    """`confirm(name, **changes)`: the answer to a POST of the proposal, and its row when tested."""

    def send(name: str = PLAIN, **changes):
        proposal = proposal_of(slicing, name)
        body = {"printer": proposal["printer"], **texts_of(proposal), "confirm": True, **changes}
        answer = slicing.post("/printer-gcode/", body)
        run_jobs()
        return answer, slicing.get(answer["Location"]).json() if "Location" in answer else {}

    return send


def codes_of(answer) -> list[str]:
    return [error["code"] for error in answer.json()["errors"]]


def test_proposal_shows_original_and_translation(slicing):
    proposal = proposal_of(slicing, PLAIN)

    assert (proposal["origin"], proposal["complete"]) == ("OrcaSlicer", True)
    start, _before, layer, end = proposal["gcodes"]
    assert start["original"] == START
    assert "M190 S{first_layer_bed_temperature[0]}" in start["text"]
    assert [one["name"] for one in start["assumed"]] == ["curr_bed_type"]
    assert layer["text"].splitlines() == ["; layer {layer_num+1} of {total_layer_count}", "G92 E0"]
    assert "{max_layer_z+4}" in end["text"]
    assert any("X-2 in line 15" in warning for warning in proposal["warnings"])


def test_proposal_names_what_has_no_equivalent(slicing):
    proposal = proposal_of(slicing, SMART)

    assert proposal["complete"] is False
    (fault,) = proposal["gcodes"][0]["unresolved"]
    assert (fault["line"], fault["name"]) == (8, "filament_map")
    assert any("the maker's own" in warning for warning in proposal["warnings"])


def test_gcode_of_another_slicer_is_translated_and_not_stored(slicing):
    uri = printer_of(slicing, "Nova Bare")["uri"]
    body = {"start_gcode": "M109 S[nozzle_temperature_initial_layer]\nG28", "end_gcode": END}

    proposal = slicing.post(f"{uri}gcode-translation/", body)

    assert proposal.status_code == 200
    assert proposal.json()["complete"] is True
    assert texts_of(proposal.json())["start_gcode"].startswith("M109 S{first_layer_temperature[0]}")
    assert any("Copy them" in warning for warning in proposal_of(slicing, "Nova Bare")["warnings"])


def test_confirmed_gcode_is_tested_and_then_printed_with(slicing, confirm, part, run_jobs):
    answer, row = confirm()
    assert (answer.status_code, row["status"]) == (201, "processed"), row["errors"]
    assert row["test"]["highest_nozzle_temperature"] == 220
    assert row["test"]["highest_bed_temperature"] == 60

    body = {"printer": row["printer"], "printer_gcode": row["uri"]}
    config = slicing.post("/config/preset/", body).json()
    assert config["preset"]["estimate_only"] is False
    assert config["preset"]["printer_gcode"] == row["uri"]
    body = {"model": part["uri"], "config": config["uri"]}
    sliced = slicing.post("/slice/", body).json()
    run_jobs()

    sliced = slicing.get(sliced["uri"]).json()
    assert sliced["status"] == "processed", sliced["errors"]
    assert sliced["warnings"] == []
    assert sliced["content"]
    assert gcode_file(sliced["uri"]).estimate_only is False
    with blobs.local_copy(gcode_file(sliced["uri"]).sha256) as path:
        gcode = path.read_text()
    assert "M190 S60\nM109 S220\nG29 A X" in gcode
    printed = gcode.partition("; prusaslicer_config = begin")[0]
    assert ";===== Terra One =====" in printed
    assert "G29.1" not in printed


def test_config_without_confirmed_gcode_stays_an_estimate(slicing, confirm):
    _, row = confirm()

    config = slicing.post("/config/preset/", {"printer": row["printer"]}).json()

    assert config["preset"]["estimate_only"] is True
    assert config["preset"]["printer_gcode"] is None


def test_another_text_is_confirmed_and_tested_anew(slicing, confirm, client_of):
    _, first = confirm()
    body = {"printer": first["printer"], "printer_gcode": first["uri"]}
    config = slicing.post("/config/preset/", body).json()

    assert slicing.put(first["uri"], {"start_gcode": "G28"}).status_code == 405
    _, second = confirm(start_gcode=START.splitlines()[0] + "\nG28\nM109 S215")

    assert (second["status"], second["uri"] != first["uri"]) == ("processed", True)
    stored = Config.objects.get(pk=config["uri"].split("/")[-2])
    with blobs.local_copy(stored.content_id) as path:
        settings_of_config = {entry.key: entry.value for entry in entries(path.read_text())}
    assert "G29 A X{first_layer_print_min[0]}" in settings_of_config["start_gcode"]


def test_unknown_placeholders_are_refused_by_line(slicing, confirm):
    refused, _ = confirm(SMART)

    assert (refused.status_code, set(codes_of(refused))) == (400, {"unknown-placeholder"})
    assert [error["details"] for error in refused.json()["errors"]] == [
        {"line": 8, "name": "filament_map"},
        {"line": 8, "name": "initial_no_support_extruder"},
    ]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"confirm": False}, "not-confirmed"),
        ({"start_gcode": ""}, "missing-parameter"),
        ({"start_gcode": "x" * 60_001}, "property-value-not-in-allowed-values"),
        ({"printer": "http://slicing.platform.test/preset/0/"}, "resource-not-found"),
    ],
)
def test_confirmation_is_refused(confirm, changes, code):
    refused, _ = confirm(**changes)

    assert (refused.status_code, codes_of(refused)) == (400, [code])


@pytest.mark.parametrize(
    ("start", "code"),
    [
        ("G28\nM109 S{first_layer_temperature[0]+300}", "too-hot"),
        ("G28\nM190 S{first_layer_bed_temperature[0]*4}\nM109 S200", "too-hot"),
        ("G28\nM104 S0\nM140 S0", "not-heated"),
        ("G28\nM109 S200\n{if temperature[0]}x{endif}", "config-not-usable"),
        ("G28\nM109 S200\nG92 E0\nG1 X400 Y20 E9 F1000", "object-off-bed"),
    ],
)
def test_test_slice_decides(confirm, start, code):
    _, row = confirm(start_gcode=start)

    assert row["status"] == "error", row
    assert row["errors"][0]["code"] == code


def test_macro_of_the_firmware_may_heat(confirm):
    _, row = confirm(start_gcode="M104 S0\nM140 S0\nSTART HOTEND={first_layer_temperature[0]}")

    assert row["status"] == "processed", row["errors"]


def test_untested_gcode_is_used_by_no_config(slicing):
    proposal = proposal_of(slicing, PLAIN)
    body = {"printer": proposal["printer"], **texts_of(proposal), "confirm": True}
    queued = slicing.post("/printer-gcode/", body).json()

    body = {"printer": proposal["printer"], "printer_gcode": queued["uri"]}
    refused = slicing.post("/config/preset/", body)

    assert (refused.status_code, codes_of(refused)) == (
        400,
        ["property-value-not-in-allowed-values"],
    )


def test_gcode_of_another_printer_is_refused(slicing, confirm):
    _, row = confirm()

    body = {"printer": printer_of(slicing, MACRO)["uri"], "printer_gcode": row["uri"]}
    refused = slicing.post("/config/preset/", body)

    assert refused.status_code == 400
    assert "confirm another" in refused.json()["errors"][0]["title"]


def test_others_cannot_read_use_or_delete_it(slicing, confirm, client_of, stranger):
    _, row = confirm()
    stranger = client_of("slicing", stranger)

    assert stranger.get(row["uri"]).status_code == 404
    assert stranger.delete(row["uri"]).status_code == 404
    body = {"printer": row["printer"], "printer_gcode": row["uri"]}
    refused = stranger.post("/config/preset/", body)
    assert (refused.status_code, codes_of(refused)) == (400, ["resource-not-found"])
    assert stranger.get("/printer-gcode/").json()["resources"] == []


def test_deleted_gcode_is_used_no_more(slicing, confirm):
    _, row = confirm()

    assert slicing.delete(row["uri"]).status_code == 204

    body = {"printer": row["printer"], "printer_gcode": row["uri"]}
    assert slicing.post("/config/preset/", body).status_code == 400

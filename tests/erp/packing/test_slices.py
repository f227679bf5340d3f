"""Slices of packed runs: one gcode, in which every piece has its name, time and filament."""

import re

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from apps.callbacks import interface as callbacks
from apps.erp.models import Run
from apps.slicing.domain.installed_engines import prusaslicer
from apps.slicing.models import Config, Slice
from core.files import blobs
from project.event_catalogue import SCHEMAS
from tests.erp.conftest import key_of

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)


@pytest.fixture
def plate_printer(make, location, type_of):
    """`plate_printer("Acme Flat", ...)`: a printer that packs plates of small parts."""

    def create(preset: str = "Acme Flat", **fields) -> dict:
        fields = {"packing_mode": "plate", "minimum_packing_distance": 4, **fields}
        kind = type_of(preset, **fields)
        return make("printer", location=location["uri"], printer_type=kind["uri"], name="P1")

    return create


@pytest.fixture
def parts(confirmed, box_model) -> list[str]:
    """Pieces of two models: three and two."""
    return confirmed(box_model(10, 12, 3), 3) + confirmed(box_model(30, 8, 2), 2)


def gcode_of(run: dict) -> str:
    row = Slice.objects.get(pk=key_of({"uri": run["slice"]}))
    with blobs.local_copy(row.content_id) as path:
        return path.read_text()


def test_run_is_sliced_automatically_with_time_and_label_of_each_piece(
    erp, client_of, person, plate_printer, run_of, parts, uri_of
):
    printer = plate_printer(slice_runs=True, time_factor=2, time_per_run=600)

    run = run_of(printer, parts)

    assert (run["slicing"], run["slicing_errors"]) == ("processed", None)
    slicing = client_of("slicing", person)
    made = slicing.get(run["slice"]).json()
    assert (made["status"], made["model"], made["run"]) == ("processed", run["model"], run["uri"])
    assert slicing.get(run["config"]).json()["preset"]["printer"] == uri_of("Acme Flat")
    objects = slicing.get(f"{run['slice']}objects/").json()["resources"]
    assert [row["piece"] for row in objects[:-1]] == run["report"]["out_order"]
    assert (objects[-1]["name"], objects[-1]["piece"]) == ("shared", None)
    total = made["estimates"]["build_time_seconds"]
    assert sum(row["time_seconds"] for row in objects) == pytest.approx(total)
    filament = made["figures"]["filament_mm"]
    assert sum(row["filament_mm"] for row in objects) == pytest.approx(filament)
    assert run["estimates"]["print_time"] == pytest.approx(2 * total + 600)
    assert run["estimates"]["presets"]["printer"] == "Acme Flat"
    (low, high) = made["figures"]["bounds"]
    assert low[0] > 5 and high[0] < 205 and low[1] > 5 and high[1] < 155
    text = gcode_of(run)
    names = {row["name"] for row in objects[:-1]}
    assert len(names) == 5
    assert set(re.findall(r"^; printing object (\S+) id", text, re.MULTILINE)) == names
    assert re.findall(r"^M486 A(\S+)", text, re.MULTILINE) == [row["name"] for row in objects[:-1]]
    assert "; thumbnail begin 220x124 " in text


def test_run_is_sliced_on_request_and_its_slice_is_readable_by_members(
    erp, client_of, member, plate_printer, run_of, parts, carry_on
):
    run = run_of(plate_printer(), parts)
    assert (run["slicing"], run["slice"]) == (None, None)

    assert erp.put(run["uri"], {"slicing": "queued"}).status_code == 204
    assert erp.get(run["uri"]).json()["slicing"] == "queued"
    carry_on()

    run = erp.get(run["uri"]).json()
    assert (run["slicing"], run["status"]) == ("processed", "calculated")
    assert client_of("slicing", member).get(run["slice"]).json()["status"] == "processed"
    again = erp.put(run["uri"], {"slicing": "queued"})
    assert (again.status_code, again.json()["errors"][0]["code"]) == (409, "illegal-transition")
    traced = erp.get("/trace/", {"uri": run["uri"]}).json()
    assert run["slice"] in str(traced)


def test_run_is_sliced_again_with_another_config(
    erp, client_of, person, plate_printer, run_of, parts, uri_of, carry_on
):
    run = run_of(plate_printer(slice_runs=True), parts)
    body = {"printer": uri_of("Acme Flat"), "overrides": {"perimeters": 1}}
    config = client_of("slicing", person).post("/config/preset/", body).json()["uri"]

    changes = {"config": config, "slicing": "queued"}
    assert erp.put(run["uri"], changes).status_code == 204
    carry_on()

    again = erp.get(run["uri"]).json()
    assert (again["slicing"], again["config"]) == ("processed", config)
    assert again["slice"] != run["slice"]


def test_slicing_is_rejected_in_volume_mode_and_without_config(
    erp, make, bureau, location, plate_printer, run_of, parts
):
    stacked = run_of(plate_printer(packing_mode="volume"), parts[:3])
    kind = make(
        "printer-type",
        bureau=bureau["uri"],
        name="Plain",
        packing_mode="plate",
        build_volume={"x": 200, "y": 200, "z": 200},
    )
    plain = make("printer", location=location["uri"], printer_type=kind["uri"], name="P2")
    bare = run_of(plain, parts[3:])

    answers = [erp.put(run["uri"], {"slicing": "queued"}) for run in (stacked, bare)]

    assert [answer.json()["errors"][0]["code"] for answer in answers] == [
        "plate-needed",
        "config-missing",
    ]
    assert {answer.status_code for answer in answers} == {409}


def test_packing_leaves_clearance_for_supports_of_the_run_config(
    client_of, person, plate_printer, run_of, parts, uri_of
):
    body = {"printer": uri_of("Acme Flat"), "overrides": {"support": True}}
    config = client_of("slicing", person).post("/config/preset/", body).json()["uri"]

    run = run_of(plate_printer(slice_runs=True), parts, config=config)

    assert (run["slicing"], run["slicing_errors"]) == ("processed", None)
    assert run["report"]["smallest_distance"] >= 10


def test_packing_leaves_clearance_for_supports_of_the_printer_type_config(
    client_of, person, make, bureau, location, run_of, parts
):
    body = {"engine": "slic3r", "parameters": {"support": True}}
    config = client_of("slicing", person).post("/config/curated/", body).json()["uri"]
    kind = make(
        "printer-type",
        bureau=bureau["uri"],
        name="Plain",
        packing_mode="plate",
        build_volume={"x": 200, "y": 200, "z": 200},
        config=config,
        supports="on",
        slice_runs=True,
    )
    plain = make("printer", location=location["uri"], printer_type=kind["uri"], name="P2")

    run = run_of(plain, parts)

    assert (run["slicing"], run["slicing_errors"]) == ("processed", None)
    assert run["report"]["smallest_distance"] >= 10


def test_run_events_report_slicing_progress(person, plate_printer, run_of, parts):
    run = run_of(plate_printer(slice_runs=True), parts)

    events = callbacks.events_after(owner_id=person.pk, position=0, limit=100, types=["run.*"])
    assert [(event.type, event.changes.get("slicing")) for event in events] == [
        ("run.calculating", None),
        ("run.calculated", "queued"),
        ("run.calculated", "processed"),
    ]
    for event in events:
        told = {"uri": event.uri, **event.changes}
        Draft202012Validator(SCHEMAS[event.type]).validate(told)
    assert events[-1].changes["estimates.print_time"] == run["estimates"]["print_time"]


def test_overlapping_supports_fail_the_slice_but_not_the_run(
    erp, client_of, person, plate_printer, run_of, parts, uri_of, carry_on
):
    run = run_of(plate_printer(), parts)
    body = {"printer": uri_of("Acme Flat"), "overrides": {"support": True}}
    config = client_of("slicing", person).post("/config/preset/", body).json()["uri"]

    assert erp.put(run["uri"], {"config": config, "slicing": "queued"}).status_code == 204
    carry_on()

    failed = erp.get(run["uri"]).json()
    assert (failed["status"], failed["slicing"]) == ("calculated", "error")
    (error,) = failed["slicing_errors"]
    assert error["code"] in ("supports-would-meet", "object-off-bed")
    assert "p_1_" in error["title"]
    assert erp.put(run["uri"], {"slicing": "queued"}).status_code == 204


def test_round_bed_holds_the_whole_plate(plate_printer, run_of, parts, client_of, person):
    run = run_of(plate_printer("Acme Round", slice_runs=True), parts)

    assert run["slicing"] == "processed", run["slicing_errors"]
    made = client_of("slicing", person).get(run["slice"]).json()
    assert made["figures"]["bounds"][0][0] < 0 < made["figures"]["bounds"][1][0]


def test_round_bed_is_packed_to_its_edge(
    client_of, operator, bureau, plate_printer, run_of, confirmed, box_model
):
    feature = {"bureau": bureau["uri"], "name": "premium-packer", "enabled": True}
    assert client_of("erp", operator).post("/feature/", feature).status_code == 201
    kind = {"slice_runs": True, "minimum_packing_distance": 2}
    bars = confirmed(box_model(30, 30, 1), 12)  # of which nine go into the square
    true_shape = plate_printer("Acme Round", **kind, build_packer_type="premium_packer")

    run = run_of(true_shape, bars, budget="quick", do_build_volume_check=False)

    assert (run["slicing"], run["slicing_errors"]) == ("processed", None)
    assert len(run["report"]["out_order"]) > 9
    assert run["report"]["walls"] >= 0


def test_klipper_printer_type_gets_klipper_object_labels(plate_printer, run_of, parts):
    run = run_of(plate_printer(slice_runs=True, firmware="klipper"), parts)

    assert gcode_of(run).count("EXCLUDE_OBJECT_DEFINE") == 5


def test_pieces_of_several_materials_require_a_config(
    erp, make, bureau, plate_printer, run_of, confirmed, box_model
):
    black, white = (
        make("material", bureau=bureau["uri"], name=name)["uri"] for name in ("Black", "White")
    )
    pieces = [
        piece
        for material in (black, white)
        for piece in confirmed(box_model(10, 10, 2), 1, base_material_id=key_of({"uri": material}))
    ]

    run = run_of(plate_printer(slice_runs=True), pieces)

    assert run["slicing"] == "error"
    assert run["slicing_errors"][0]["code"] == "config-missing"
    assert "Black, White" in run["slicing_errors"][0]["title"]


def test_admin_starts_cancels_and_repeats_the_slice_of_a_run(
    erp, client_of, operator, plate_printer, run_of, parts, carry_on
):
    uri = run_of(plate_printer(), parts)["uri"]
    pages = Client(SERVER_NAME="admin.platform.test")
    pages.post("/login/", {"username": "root", "password": "correct horse battery"})

    def act(page: str, action: str, row) -> list[str]:
        body = {"action": action, "_selected_action": [str(row.pk)]}
        answer = pages.post(f"/{page}/", body, follow=True)
        return [str(message) for message in answer.context["messages"]]

    row = Run.objects.get()
    assert act("erp/run", "cancel_slice", row)[0].endswith("slicing is None.")
    assert act("erp/run", "slice", row) == ["1 sent to slicing."]
    assert act("erp/run", "cancel_slice", row) == ["1 not sliced any more."]
    carry_on()
    ended = erp.get(uri).json()
    assert (ended["status"], ended["slicing"]) == ("calculated", "error")
    assert ended["slicing_errors"][0]["code"] == "slice-deleted"

    assert act("erp/run", "slice", row) == ["1 sent to slicing."]
    carry_on()
    again = erp.get(uri).json()
    assert again["slicing"] == "processed"
    Slice.objects.filter(deleted=None).update(status="error")
    made = Slice.objects.get(deleted=None)
    said = act("slicing/slice", "slice_again", made)
    assert said[0] == "0 sliced again." and f"have {uri} sliced again" in said[1]


def test_deleting_the_run_deletes_its_slice(erp, plate_printer, run_of, parts):
    run = run_of(plate_printer(), parts)
    assert erp.put(run["uri"], {"slicing": "queued"}).status_code == 204

    assert erp.delete(run["uri"]).status_code == 204

    assert Slice.objects.get().deleted is not None
    assert not Run.objects.exists()
    assert Config.objects.count() == 1

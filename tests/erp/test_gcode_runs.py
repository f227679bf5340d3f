"""Runs that print uploaded G-code of any slicer: created, matched, printed and completed."""

import io
import zipfile

import pytest

from apps.erp.models import Run
from tests.erp.conftest import key_of
from tests.gcode.slicer_files import FILES, SECONDS


@pytest.fixture
def mk4(make, bureau) -> dict:
    """A printer type that G-code of PrusaSlicer names."""
    return make(
        "printer-type",
        bureau=bureau["uri"],
        name="Prusa MK4",
        build_volume={"x": 250, "y": 210, "z": 220},
        time_per_run=60,
    )


@pytest.fixture
def uploaded(client_of, person, upload, run_jobs):
    """`uploaded(content)`: G-code of Ada's that is analysed."""
    slicing = client_of("slicing", person)

    def send(content: bytes, name: str = "bracket.gcode") -> dict:
        gcode = slicing.post("/gcode/", {"name": name}).json()
        upload(gcode, content)
        run_jobs()
        return slicing.get(gcode["uri"]).json()

    return send


@pytest.fixture
def gcode(uploaded) -> dict:
    return uploaded(FILES["PrusaSlicer"][1])


@pytest.fixture
def machine(make, erp, location, mk4) -> dict:
    """A printer that a person operates, with an empty plate."""
    made = make("printer", location=location["uri"], printer_type=mk4["uri"], name="Number 5")
    assert erp.put(made["uri"], {"driver": "manual"}).status_code == 204
    assert erp.post(f"{made['uri']}clear/", {}).status_code == 200
    return made


def create(client, gcode: dict, **fields):
    return client.post("/create-gcode-run/", {"gcode": gcode["uri"], **fields})


def codes(answer) -> list[str]:
    return [error["code"] for error in answer.json()["errors"]]


@pytest.mark.parametrize("slicer", FILES)
def test_gcode_of_each_slicer_is_printed_to_a_completed_run(erp, uploaded, machine, mk4, slicer):
    name, content = FILES[slicer]
    gcode = uploaded(content, name)
    assert gcode["metadata"]["slicer"] == slicer
    answer = create(erp, gcode, printer_type=mk4["uri"])
    assert answer.status_code == 201, answer.json()
    run = answer.json()
    assert answer["Location"] == run["uri"]
    assert (run["status"], run["operation"], run["pieces"]) == ("calculated", "printing", [])
    assert (run["gcode"], run["any_of_type"], run["name"]) == (gcode["uri"], True, name)
    estimates = run["estimates"]
    assert estimates["stated_time"] == SECONDS
    assert estimates["sliced_time"] == pytest.approx(SECONDS, rel=0.05)
    assert estimates["print_time"] == pytest.approx(SECONDS + 60, rel=0.05)
    assert estimates["material"] == pytest.approx(80 * 1.33 * 2.405 / 1000, rel=0.01)

    assert erp.put(run["uri"], {"status": "queued"}).status_code == 204
    (waiting,) = erp.get(f"{mk4['uri']}queue/").json()["resources"]
    assert (waiting["run"], waiting["printer"]) == (run["uri"], machine["uri"])
    attempt = erp.post("/attempt/", {"run": run["uri"]}).json()
    assert erp.put(attempt["uri"], {"status": "done"}).status_code == 204
    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200

    assert erp.get(run["uri"]).json()["status"] == "complete"
    used = erp.get(attempt["uri"]).json()["used"]
    assert (used["source"], used["volume"]) == ("gcode", pytest.approx(0.256, abs=0.001))


def test_failed_print_without_pieces_ends_its_run_in_error(erp, gcode, machine):
    run = create(erp, gcode, printer=machine["uri"]).json()
    attempt = erp.post("/attempt/", {"run": run["uri"]}).json()
    assert erp.put(attempt["uri"], {"status": "failed"}).status_code == 204
    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200

    assert erp.get(run["uri"]).json()["status"] == "error"


def test_run_makes_the_pieces_that_it_names(erp, gcode, machine, confirm, pieces_of):
    item = confirm(quantity=2)
    pieces = [piece["uri"] for piece in pieces_of(item)]
    run = create(erp, gcode, printer=machine["uri"], pieces=pieces, run_name="Two").json()
    assert (run["name"], run["pieces"], run["printer"]) == ("Two", pieces, machine["uri"])
    assert {piece["status"] for piece in pieces_of(item)} == {"queued"}

    attempt = erp.post("/attempt/", {"run": run["uri"]}).json()
    erp.put(attempt["uri"], {"status": "done"})
    erp.post(f"{machine['uri']}clear/", {})

    assert erp.get(item["uri"]).json()["status"] == "complete"


def test_gcode_is_matched_by_printer_filament_and_names_of_objects(
    erp, make, bureau, gcode, mk4, printer_type, confirm, pieces_of
):
    make("material", bureau=bureau["uri"], name="PETG", filament_type="PETG")
    pla = make("material", bureau=bureau["uri"], name="White", filament_type="PLA")
    item = confirm(quantity=3)
    assert erp.put(item["uri"], {"name": "bracket"}).status_code == 204

    answer = erp.get(f"{bureau['uri']}gcode-match/?gcode={gcode['uri']}")

    matches = answer.json()
    assert answer.status_code == 200, matches
    assert [(row["printer_type"], row["fits"]) for row in matches["printer_types"]] == [
        (mk4["uri"], True),
        (printer_type["uri"], False),
    ]
    assert [row["code"] for row in matches["printer_types"][1]["reasons"]] == ["other-model"]
    assert matches["material"] == pla["uri"]
    first, second, _third = (piece["uri"] for piece in pieces_of(item))
    assert matches["objects"] == [
        {"name": "Bracket.stl", "count": 2, "pieces": [first, second], "ambiguous": False}
    ]
    run = create(erp, gcode, printer_type=mk4["uri"]).json()
    assert run["material"] == pla["uri"]


def test_printer_with_another_material_does_not_take_the_run(
    erp, make, bureau, location, gcode, machine
):
    make("material", bureau=bureau["uri"], name="White", filament_type="PLA")
    petg = make("material", bureau=bureau["uri"], name="Black", filament_type="PETG")
    spool = make("stock", location=location["uri"], material=petg["uri"])
    assert erp.put(machine["uri"], {"loaded": [spool["uri"]]}).status_code == 204
    run = create(erp, gcode, printer=machine["uri"]).json()

    (candidate,) = erp.get(f"{run['uri']}candidates/").json()["resources"]

    assert [reason["code"] for reason in candidate["reasons"]] == ["other-material"]


def test_gcode_that_is_larger_than_the_printer_is_refused(erp, make, bureau, gcode):
    small = make(
        "printer-type",
        bureau=bureau["uri"],
        name="Small MK4",
        build_volume={"x": 60, "y": 60, "z": 60},
    )

    answer = create(erp, gcode, printer_type=small["uri"])

    assert (answer.status_code, codes(answer)) == (409, ["does-not-fit"])
    assert Run.objects.count() == 0


def test_run_needs_gcode_that_is_analysed_and_a_printer(erp, client_of, person, gcode, mk4):
    waiting = client_of("slicing", person).post("/gcode/", {}).json()

    not_ready = create(erp, waiting, printer_type=mk4["uri"])
    assert (not_ready.status_code, codes(not_ready)) == (409, ["gcode-not-ready"])
    without = create(erp, gcode)
    assert (without.status_code, codes(without)) == (400, ["missing-parameter"])
    unknown = create(erp, {"uri": gcode["uri"][:-5] + "0000/"}, printer_type=mk4["uri"])
    assert (unknown.status_code, codes(unknown)) == (400, ["resource-not-found"])


def test_only_members_create_runs_and_only_of_gcode_that_they_read(
    client_of, stranger, make, bureau, gcode, mk4
):
    bob = client_of("erp", stranger)
    assert create(bob, gcode, printer_type=mk4["uri"]).status_code == 403
    assert bob.get(f"{bureau['uri']}gcode-match/?gcode={gcode['uri']}").status_code == 404

    make("membership-bureau", bureau=bureau["uri"], user=stranger.uri)
    answer = create(bob, gcode, printer_type=mk4["uri"])
    assert (answer.status_code, codes(answer)) == (400, ["resource-not-found"])


def test_members_read_the_gcode_of_a_run(client_of, member, erp, gcode, mk4):
    bob = client_of("slicing", member)
    assert bob.get(gcode["uri"]).status_code == 404

    create(erp, gcode, printer_type=mk4["uri"])

    assert bob.get(gcode["uri"]).status_code == 200


def test_each_plate_of_a_file_is_a_run(erp, client_of, person, uploaded, mk4):
    content = io.BytesIO()
    text = FILES["PrusaSlicer"][1]
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in (1, 2):
            archive.writestr(f"Metadata/plate_{number}.gcode", text + b"G4 S%d\n" % (100 * number))
    uploaded(content.getvalue(), "two.gcode.3mf")

    rows = client_of("slicing", person).get("/gcode/?sort=created").json()["resources"]

    assert [(row["plate"], row["status"]) for row in rows] == [(1, "processed"), (2, "processed")]
    runs = [create(erp, row, printer_type=mk4["uri"]).json() for row in rows]
    assert [run["name"] for run in runs] == ["two.gcode.3mf, plate 1", "two.gcode.3mf, plate 2"]
    times = [run["estimates"]["sliced_time"] for run in runs]
    assert times[1] - times[0] == pytest.approx(100)
    assert key_of(runs[0]) != key_of(runs[1])

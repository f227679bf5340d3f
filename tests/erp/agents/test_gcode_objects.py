"""Pieces that uploaded G-code prints: excluded by the labels of its slicer."""

import pytest

from apps.erp.models import Printer, Run
from tests.erp.agents.conftest import report
from tests.erp.conftest import key_of
from tests.gcode.slicer_files import FILES

KLIPPER = (
    b"EXCLUDE_OBJECT_DEFINE NAME=Bracket.stl_id_0_copy_0 CENTER=40,40\n"
    b"EXCLUDE_OBJECT_DEFINE NAME=Bracket.stl_id_0_copy_1 CENTER=100,40\n"
)
MARLIN = b'M486 S7 A"Bracket.stl (Instance 1)"\nM486 S8 A"Bracket.stl (Instance 2)"\n'
SPARE_COMMENT = b"; printing object Spare id:1 copy 0\n"
SPARE = b"EXCLUDE_OBJECT_DEFINE NAME=Spare_id_1_copy_0 CENTER=10,20\n" + SPARE_COMMENT


@pytest.fixture
def printed(
    agent, erp, client_of, person, upload, run_jobs, machine, make, confirm, pieces_of, see
):
    """`printed(labels)`: the attempt and the run of G-code with these labels, which prints."""
    slicing = client_of("slicing", person)

    def start(labels: bytes, *, driver: str = "octoprint") -> tuple[dict, dict]:
        Printer.objects.filter(pk=key_of(machine)).update(driver=driver)
        item = confirm(quantity=3)
        assert erp.put(item["uri"], {"name": "bracket"}).status_code == 204
        gcode = slicing.post("/gcode/", {"name": "bracket.gcode"}).json()
        upload(gcode, labels + FILES["PrusaSlicer"][1])
        run_jobs()
        body = {"gcode": gcode["uri"], "printer": machine["uri"]}
        body["pieces"] = [piece["uri"] for piece in pieces_of(item)]
        answer = erp.post("/create-gcode-run/", body)
        assert answer.status_code == 201, answer.json()
        run = answer.json()
        attempt = make("attempt", run=run["uri"], printer=machine["uri"])
        see(machine, "idle", report(attempt, "sent"))
        assert agent.post("/agent/permit/", {"name": attempt["name"]}).status_code == 200
        see(machine, "printing", report(attempt, "printing"), job=attempt["name"])
        return attempt, run

    return start


def objects_of(erp, attempt: dict) -> list[dict]:
    return erp.get(f"{attempt['uri']}objects/").json()["resources"]


@pytest.mark.parametrize(
    ("labels", "number", "firmware", "label", "shown"),
    [
        (KLIPPER, 1, "klipper", "Bracket.stl_id_0_copy_1", "Bracket.stl_id_0_copy_1"),
        (MARLIN, 8, "marlin", None, "Bracket.stl (Instance 2)"),
    ],
)
def test_piece_is_excluded_by_the_label_of_its_slicer(
    erp, machine, printed, see, labels, number, firmware, label, shown
):
    attempt, run = printed(labels)
    first, second, third = objects_of(erp, attempt)
    assert (second["object"], second["reason"], second["skipped"]) == (shown, None, False)
    assert first["center"] == ({"x": 40, "y": 40} if label else None)
    assert (third["object"], third["reason"]["code"]) == (None, "no-labels")

    assert erp.put(attempt["uri"], {"skip": run["pieces"][1]}).status_code == 204

    (order,) = see(machine, "printing", job=attempt["name"])["attempts"]
    (part,) = order["skip"]
    name = f"p_2_{key_of({'uri': run['pieces'][1]})[-8:]}"
    assert part == {"name": name, "number": number, "firmware": firmware, "label": label}
    see(
        machine,
        "printing",
        report(attempt, "printing", skips=[{"object": name, "how": "skipped"}]),
        job=attempt["name"],
    )
    second = objects_of(erp, attempt)[1]
    assert (second["status"], second["skipped"], second["how"]) == ("error", True, "skipped")
    (row,) = erp.get(attempt["uri"]).json()["skips"]
    assert (row["object"], row["how"]) == (label or name, "skipped")


@pytest.mark.parametrize(
    ("labels", "number", "firmware", "label", "title"),
    [
        (KLIPPER, 2, "klipper", "Spare_id_1_copy_0", "Spare_id_1_copy_0"),
        (MARLIN, 9, "marlin", None, "Spare (Instance 1)"),
    ],
)
def test_object_without_a_piece_is_excluded_by_its_label(
    erp, machine, printed, see, labels, number, firmware, label, title
):
    spare = {"klipper": SPARE, "marlin": b'M486 S9 A"Spare (Instance 1)"\n' + SPARE_COMMENT}
    attempt, _run = printed(labels + spare[firmware])
    *pieces, other = objects_of(erp, attempt)
    assert [row["key"] for row in pieces] == [None] * 3
    assert (other["piece"], other["name"], other["object"]) == (None, title, title)
    assert (other["number"], other["status"], other["reason"]) == (None, None, None)
    assert other["center"] == ({"x": 10, "y": 20} if label else None)

    for _ in range(2):
        answer = erp.put(attempt["uri"], {"skip_object": other["key"]})
        assert answer.status_code == 204

    (order,) = see(machine, "printing", job=attempt["name"])["attempts"]
    (part,) = order["skip"]
    assert part == {"name": other["key"], "number": number, "firmware": firmware, "label": label}
    reported = report(attempt, "printing", skips=[{"object": other["key"], "how": "asked"}])
    see(machine, "printing", reported, job=attempt["name"])
    other = objects_of(erp, attempt)[-1]
    assert (other["skipped"], other["how"]) == (True, "asked")
    (row,) = erp.get(attempt["uri"]).json()["skips"]
    assert row == {"piece": None, "object": title, "how": "asked"}
    assert {row["status"] for row in objects_of(erp, attempt)[:3]} == {"in-progress"}


def test_object_is_excluded_only_from_a_print_that_has_it(erp, machine, printed, see):
    attempt, _run = printed(KLIPPER + SPARE, driver="prusalink")
    other = objects_of(erp, attempt)[-1]
    assert other["reason"]["code"] == "not-supported"

    for key, title in (
        (other["key"], "The printer's host cannot exclude objects"),
        ("p_9_00000000", "has no labelled object 'p_9_00000000'"),
    ):
        (error,) = erp.put(attempt["uri"], {"skip_object": key}).json()["errors"]
        assert error["code"] == "object-not-excludable"
        assert title in error["title"]

    see(machine, "idle", report(attempt, "done"), job=attempt["name"])
    (error,) = erp.put(attempt["uri"], {"skip_object": other["key"]}).json()["errors"]
    assert error["code"] == "not-printing"


@pytest.mark.parametrize(
    ("driver", "labels", "code"),
    [
        ("octoprint", b"", "no-labels"),
        ("octoprint", b"EXCLUDE_OBJECT_DEFINE NAME='Bracket.stl M112'\n", "no-labels"),
        ("moonraker", MARLIN, "other-firmware"),
        ("prusalink", MARLIN, "not-supported"),
    ],
)
def test_piece_that_cannot_be_excluded_has_its_reason_before(
    erp, machine, printed, see, driver, labels, code
):
    attempt, run = printed(labels, driver=driver)
    assert objects_of(erp, attempt)[0]["reason"]["code"] == code

    assert erp.put(attempt["uri"], {"skip": run["pieces"][0]}).status_code == 204

    assert see(machine, "printing", job=attempt["name"])["attempts"][0]["skip"] == []
    assert objects_of(erp, attempt)[0]["how"] == "cannot"


def test_labels_of_gcode_that_was_replaced_are_not_used(erp, printed):
    attempt, run = printed(KLIPPER)
    Run.objects.filter(pk=key_of(run)).update(gcode_uri="http://slicing.platform.test/gcode/0/")

    assert {row["reason"]["code"] for row in objects_of(erp, attempt)} == {"no-labels"}


def test_pieces_of_an_attempt_are_listed_for_those_who_read_it(client_of, printed, stranger):
    attempt, _run = printed(KLIPPER)

    assert client_of("erp", stranger).get(f"{attempt['uri']}objects/").status_code == 404

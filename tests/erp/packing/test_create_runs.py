"""Runs that are packed: what is asked, what comes out, and what does not fit."""

import io
import zipfile

import numpy as np
import pytest

from apps.erp.models import Run
from apps.erp.production.actors.packing import pack_run, render_packing
from apps.users.models import User
from apps.warehouse import interface as warehouse
from apps.warehouse.actors.analysis import analyse_model
from core.files import blobs
from geometry.formats.stl import read_triangles
from tests.erp.conftest import key_of
from tests.erp.packing.conftest import angle


def triangles_of(model: str) -> np.ndarray:
    """(n, 3, 3): the file of a model, as it is stored."""
    stored = warehouse.get_model_unchecked(model)
    with blobs.local_copy(stored.sha256 or stored.content_sha256) as path:
        return read_triangles(path)


def test_create_runs_responds_at_once_and_packs_in_the_background(
    erp, create_runs, confirmed, box_model, work_on
):
    pieces = confirmed(box_model(20, 30, 40), 20)

    answer = create_runs(pieces)

    assert answer.status_code == 201
    made = answer.json()
    assert answer["Location"] == made["uri"]
    assert (made["status"], made["pieces"], made["model"]) == ("created", pieces, None)
    work_on("pack_run")
    run = erp.get(made["uri"]).json()
    assert (run["status"], run["errors"], run["progress"]) == ("calculated", None, 1.0)
    report = run["report"]
    assert (report["packer"], report["smallest_distance"]) == ("box_packer", 2.0)
    assert sorted(report["out_order"]) == sorted(pieces) == sorted(run["pieces"])
    assert set(report["smallest_pair"]) < set(pieces)
    assert (report["unplaced"], report["notes"], report["stopped"]) == ([], [], "done")
    assert report["density"] == pytest.approx(20 * 24 / (10 * report["height"]), abs=1e-6)


def test_create_runs_rejects_read_only_fields(create_runs, confirmed, box_model):
    answer = create_runs(confirmed(box_model(20, 30, 40), 1), name="mine", status="created")

    assert answer.status_code == 400
    assert {error["field"] for error in answer.json()["errors"]} == {"name", "status"}


def test_packed_model_matches_the_transform_of_each_piece(
    erp, packed, confirmed, box_model, client_of, member
):
    model = box_model(20, 30, 40)
    pieces = confirmed(model, 8)

    run = packed(pieces)

    assert client_of("models", member).get(run["model"]).status_code == 200
    assert warehouse.ancestors(run["model"]) == [model["uri"]]
    part = triangles_of(model["uri"]).astype(float)
    found = triangles_of(run["model"]).reshape(len(pieces), *part.shape)
    for uri, placed in zip(run["report"]["out_order"], found, strict=True):
        transform = np.array(erp.get(uri).json()["transform"])
        assert np.linalg.det(transform[:3, :3]) == pytest.approx(1)
        moved = part @ transform[:3, :3].T + transform[:3, 3]
        assert np.abs(moved - placed).max() < 1e-4


def test_packed_3mf_names_each_part(packed, confirmed, box_model):
    pieces = confirmed(box_model(20, 30, 40), 2, name="Halter & Co <links>")

    run = packed(pieces)

    assert "3mf" in run["content_3mf"]
    with blobs.local_copy(Run.objects.get(pk=key_of(run)).content_3mf_id) as path:
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as package:
            text = package.read("3D/3dmodel.model").decode()
    assert 'partnumber="Halter &amp; Co &lt;links&gt; #1"' in text
    assert 'partnumber="Halter &amp; Co &lt;links&gt; #2"' in text
    assert (text.count("<object "), text.count("<item ")) == (1, 2)


def test_unpacking_order_lists_each_piece_with_direction_and_box(erp, packed, confirmed, box_model):
    run = packed(confirmed(box_model(90, 90, 40), 2, name="lid"))

    out = erp.get(f"{run['uri']}unpacking/").json()

    assert out["meta"]["count"] == 2
    first, second = out["resources"]
    assert [first["piece"], second["piece"]] == run["report"]["out_order"]
    assert (first["position"], first["name"], first["direction"]) == (0, "lid", "+z")
    assert first["box"]["low"]["z"] == second["box"]["high"]["z"] + 2
    assert {first["number"], second["number"]} == {1, 2}


def test_packed_run_has_snapshots_from_above_and_from_a_corner(
    erp, packed, confirmed, box_model, client_of, person
):
    run = packed(confirmed(box_model(20, 30, 40), 2))
    analyse_model.fn(key_of({"uri": run["model"]}))
    render_packing.fn(run["model"])
    render_packing.fn(run["model"])

    above, corner = erp.get(run["uri"]).json()["snapshots"]

    client = client_of("models", person)
    assert [client.get(above).json()[axis] for axis in "uvw"] == [0, 0, -1]
    assert client.get(corner).json()["w"] < 0


def test_nested_parts_are_packed_lower_than_boxes_and_keep_clearance(
    packed, confirmed, analysed_model, premium
):
    bracket = analysed_model(angle(30, 30, 3))
    pieces = confirmed(bracket, 20)

    report = packed(pieces)["report"]

    assert report["packer"] == "premium_packer"
    assert report["gain"] > 1.2
    assert report["smallest_distance"] >= 2.0
    assert sorted(report["out_order"]) == sorted(pieces)


@pytest.mark.parametrize("packer", ["box_packer", "premium_packer"])
def test_plate_mode_places_all_parts_on_the_bed(
    erp, packed, confirmed, analysed_model, premium, packer
):
    change = {"packing_mode": "plate", "build_packer_type": packer}
    assert erp.put(premium["printer_type"], change).status_code == 204

    run = packed(confirmed(analysed_model(angle(30, 30, 3)), 6))

    assert run["status"] == "calculated"
    out = erp.get(f"{run['uri']}unpacking/").json()["resources"]
    assert {place["box"]["low"]["z"] for place in out} == {0}


# ---------------------------------------------------------------- what does not fit


def test_quantity_above_the_upper_bound_is_rejected_with_the_bound(
    erp, create_runs, confirmed, box_model
):
    pieces = confirmed(box_model(40, 40, 40), 20)

    answer = create_runs(pieces)

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert error["code"] == "quantity-exceeds"
    reason = "By their bounding boxes with the distance, no more than 14 fit."
    assert error["details"] == {"asked": 20, "at_most": 14, "reason": reason}
    assert erp.get("/run/").json()["resources"] == []
    assert erp.get(pieces[0]).json()["status"] == "created"


def test_part_larger_than_the_build_volume_is_rejected_with_its_size(
    create_runs, confirmed, box_model
):
    answer = create_runs(confirmed(box_model(20, 20, 150, name="mast"), 1))

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert (error["code"], error["details"]["at_most"]) == ("quantity-exceeds", 0)
    assert "mast is 20 x 20 x 150 mm; in none of its 24 orientations" in error["title"]


def test_fixed_orientation_is_the_reason_when_it_prevents_the_fit(
    erp, create_runs, confirmed, box_model, small
):
    assert erp.put(small["printer_type"], {"build_volume": {"z": 30}}).status_code == 204
    model = box_model(20, 20, 50, rotation=False)
    banned, allowed = confirmed(model, 1), confirmed(model, 1, orientation="free")

    refused, accepted = create_runs(banned), create_runs(allowed)

    assert refused.status_code == 409
    assert "only if it is turned" in refused.json()["errors"][0]["details"]["reason"]
    assert accepted.status_code == 201


def test_printer_type_orientations_restrict_those_of_the_line_item(
    erp, create_runs, confirmed, box_model, small
):
    change = {"build_volume": {"z": 30}, "allowed_orientations": "upright"}
    assert erp.put(small["printer_type"], change).status_code == 204

    answer = create_runs(confirmed(box_model(20, 20, 50), 1, orientation="free"))

    assert answer.status_code == 409


def test_pieces_are_released_when_no_packing_is_found(erp, packed, confirmed, box_model):
    pieces = confirmed(box_model(40, 40, 40), 14)

    run = packed(pieces)

    assert (run["status"], run["model"], run["pieces"]) == ("error", None, [])
    (error,) = run["errors"]
    assert (error["code"], error["details"]) == ("not-found", {"placed": 8, "asked": 14})
    assert {erp.get(piece).json()["status"] for piece in pieces} == {"created"}


def test_run_without_volume_check_keeps_the_placed_pieces(erp, packed, confirmed, box_model):
    cubes = confirmed(box_model(40, 40, 40), 10)
    masts = confirmed(box_model(20, 20, 130, name="mast"), 1)

    run = packed(cubes + masts, do_build_volume_check=False)

    assert (run["status"], len(run["pieces"])) == ("calculated", 8)
    left_out = {entry["piece"]: entry["reason"] for entry in run["report"]["unplaced"]}
    assert len(left_out) == 3
    assert "mast is 20 x 20 x 130 mm" in left_out[masts[0]]
    assert {erp.get(piece).json()["status"] for piece in left_out} == {"created"}
    assert {erp.get(piece).json()["status"] for piece in run["pieces"]} == {"queued"}


def test_run_fails_when_no_piece_fits_the_build_volume(erp, packed, confirmed, box_model):
    pieces = confirmed(box_model(20, 20, 130, name="mast"), 1)

    run = packed(pieces, do_build_volume_check=False)

    assert (run["status"], run["errors"][0]["code"]) == ("error", "piece-too-large")
    assert erp.get(pieces[0]).json()["status"] == "created"


def test_part_that_is_not_watertight_is_packed_with_a_note(
    packed, confirmed, analysed_model, open_box
):
    run = packed(confirmed(analysed_model(open_box, name="sheet"), 2))

    assert run["status"] == "calculated"
    (note,) = run["report"]["notes"]
    assert note.startswith("sheet is not closed")


# ---------------------------------------------------------------- what may be asked


def test_pieces_of_a_deleted_model_are_named_in_the_error(erp, create_runs, confirmed, box_model):
    model = box_model(20, 30, 40)
    pieces = confirmed(model, 2)
    warehouse.discard_model(model["uri"])

    answer = create_runs(pieces)

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert error["code"] == "model-not-ready"
    assert sorted(error["details"]["pieces"]) == sorted(pieces)


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("run_name", None, "type-validation-error"),
        ("budget", "endless", "property-value-not-in-allowed-values"),
        ("seed", -1, "property-value-not-in-allowed-values"),
        ("config", "http://slicing.platform.localhost/x/", "resource-not-found"),
        ("speed", 9, "request-validation-error"),
        ("do_build_volume_check", "maybe", "type-validation-error"),
    ],
)
def test_invalid_field_of_create_runs_is_named(
    create_runs, confirmed, box_model, field, value, code
):
    answer = create_runs(confirmed(box_model(20, 30, 40), 1), **{field: value})

    assert answer.status_code == 400
    assert [(e["field"], e["code"]) for e in answer.json()["errors"]] == [(field, code)]


def test_piece_in_another_run_is_rejected(create_runs, confirmed, box_model):
    pieces = confirmed(box_model(20, 30, 40), 2)
    assert create_runs(pieces[:1]).status_code == 201

    answer = create_runs(pieces)

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["details"]["pieces"] == pieces[:1]


def test_only_members_create_runs(client_of, member, small):
    body = {"run_name": "r", "printer": small["uri"], "pieces": []}
    eve = User.objects.create_user("eve", "eve@example.com", "a long password")

    assert client_of("erp", eve).post("/create-runs/", body).status_code == 403
    assert client_of("erp", member).post("/create-runs/", body).status_code == 400


def test_premium_packer_requires_its_feature_for_each_run(
    client_of, operator, create_runs, confirmed, box_model, premium
):
    operators = client_of("erp", operator)
    (feature,) = operators.get("/feature/").json()["resources"]
    assert operators.put(feature["uri"], {"enabled": False}).status_code == 204

    answer = create_runs(confirmed(box_model(20, 30, 40), 1))

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "feature-not-enabled"


def test_quantity_above_the_installation_limit_is_rejected(
    create_runs, confirmed, box_model, settings
):
    settings.PACKING_PIECES = 2

    answer = create_runs(confirmed(box_model(20, 30, 40), 3))

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["code"] == "limit-exceeded"
    assert error["details"] == {"limit": "PACKING_PIECES", "most": 2, "asked": 3}


# ---------------------------------------------------------------- money


def test_packed_run_is_charged_and_failed_run_is_not(
    create_runs, confirmed, box_model, work_on, payer, price, client_of, person
):
    priced = {"namespace": "erp", "action": "run"}
    price(5, **priced)
    payer(person, **priced)
    fitting = create_runs(confirmed(box_model(20, 30, 40), 1)).json()["uri"]
    failing = create_runs(confirmed(box_model(40, 40, 40), 14)).json()["uri"]

    work_on("pack_run")

    charges = client_of("payment", person).get("/charge/").json()["resources"]
    assert {charge["source"]: charge["status"] for charge in charges} == {
        fitting: "recorded",
        failing: "released",
    }


def test_priced_run_requires_a_payment_method(create_runs, confirmed, box_model, price, erp):
    price(5, namespace="erp", action="run")
    pieces = confirmed(box_model(20, 30, 40), 1)

    assert create_runs(pieces).status_code == 402
    assert erp.get(pieces[0]).json()["status"] == "created"


# ---------------------------------------------------------------- interruptions


def test_redelivered_packing_job_restarts_once_and_then_does_nothing(
    erp, create_runs, confirmed, box_model
):
    run = create_runs(confirmed(box_model(20, 30, 40), 5)).json()["uri"]
    key = key_of({"uri": run})
    Run.objects.filter(pk=key).update(status="calculating")  # as a worker that died left it

    pack_run.fn(key)
    first = erp.get(run).json()
    pack_run.fn(key)

    assert first["status"] == "calculated"
    assert erp.get(run).json() == first


def test_run_set_to_error_before_packing_is_not_packed(
    erp, create_runs, confirmed, box_model, work_on
):
    run = create_runs(confirmed(box_model(20, 30, 40), 2)).json()["uri"]
    assert erp.put(run, {"status": "error"}).status_code == 204

    work_on("pack_run")

    assert (erp.get(run).json()["status"], erp.get(run).json()["model"]) == ("error", None)


def test_run_that_has_not_started_cannot_be_stopped(erp, create_runs, confirmed, box_model):
    run = create_runs(confirmed(box_model(20, 30, 40), 2)).json()["uri"]

    answer = erp.put(run, {"status": "calculated"})

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "illegal-transition"

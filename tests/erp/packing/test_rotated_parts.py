"""Runs of parts that fit only at an oblique angle, and the error where none fits."""

import numpy as np
import pytest

from apps.erp.models import PrinterType, Run
from apps.erp.orders.domain.prices.line_prices import fits_of
from apps.warehouse import interface as warehouse
from core.files import blobs
from geometry.formats.threemf import objects as threemf_objects
from pricing.cost_drivers import UnknownDriver
from tests.erp.conftest import key_of
from tests.erp.packing.test_create_runs import triangles_of

PACKERS = ["box_packer", "premium_packer"]


@pytest.fixture
def rod(box_model):
    """130 mm long: the small printer's plate is 100 x 100 mm, and 141 mm from corner to corner."""
    return box_model(130, 5, 5, name="rod")


@pytest.fixture
def beam(box_model):
    """As long, and 106 mm wide at 45 degrees: that it does not fit only its shape tells."""
    return box_model(130, 20, 20, name="beam")


@pytest.fixture
def packing_by(erp, premium):
    """`packing_by(packer, mode)`: have the small printer's type pack so."""

    def change(packer, mode, **fields):
        change = {"build_packer_type": packer, "packing_mode": mode, **fields}
        assert erp.put(premium["printer_type"], change).status_code == 204

    return change


@pytest.mark.parametrize("mode", ["volume", "plate"])
@pytest.mark.parametrize("packer", PACKERS)
def test_oblique_part_is_placed_and_matches_in_stl_and_3mf(
    erp, packed, confirmed, rod, packing_by, packer, mode
):
    packing_by(packer, mode)
    (piece,) = confirmed(rod, 1)

    run = packed([piece])

    assert (run["status"], run["errors"]) == ("calculated", None)
    transform = np.array(erp.get(piece).json()["transform"])
    assert np.linalg.det(transform[:3, :3]) == pytest.approx(1)
    assert transform[2, :3] == pytest.approx([0, 0, 1])  # turned about z alone
    built = triangles_of(run["model"])
    assert built.min() >= 0 and built.max() <= 100
    part = triangles_of(rod["uri"]).astype(float)
    assert np.abs(part @ transform[:3, :3].T + transform[:3, 3] - built).max() < 1e-4
    with blobs.local_copy(Run.objects.get(pk=key_of(run)).content_3mf_id) as path:
        content = threemf_objects.read_merged(path, {})
    assert np.abs(content.vertices[content.faces] - built).max() < 1e-4


def test_plate_holds_other_parts_beside_an_oblique_part(
    packed, confirmed, rod, box_model, packing_by
):
    packing_by("premium_packer", "plate")
    pieces = confirmed(rod, 1) + confirmed(box_model(20, 20, 20), 4)

    run = packed(pieces)

    assert sorted(run["report"]["out_order"]) == sorted(pieces)
    assert run["report"]["smallest_distance"] >= 2.0


@pytest.mark.parametrize("packer", PACKERS)
def test_run_fails_with_a_reason_when_a_part_fits_at_no_angle(
    erp, packed, confirmed, beam, packing_by, packer
):
    packing_by(packer, "plate")
    (piece,) = confirmed(beam, 1, orientation="upright")

    run = packed([piece])

    (error,) = run["errors"]
    assert (run["status"], error["code"]) == ("error", "piece-too-large")
    assert error["title"].startswith("beam is 130 x 20 x 20 mm; however it is turned about z")
    assert erp.get(piece).json()["status"] == "created"


def test_unfit_part_is_left_out_with_a_reason_without_volume_check(packed, confirmed, rod, beam):
    rods, beams = confirmed(rod, 1), confirmed(beam, 1)

    run = packed(rods + beams, do_build_volume_check=False)

    assert (run["status"], run["pieces"]) == ("calculated", rods)
    (left_out,) = run["report"]["unplaced"]
    assert left_out["piece"] == beams[0]
    assert "nor at any angle about z" in left_out["reason"]


def test_request_is_rejected_when_a_part_exceeds_the_diagonal(create_runs, confirmed, box_model):
    answer = create_runs(confirmed(box_model(142, 5, 5, name="rod"), 1))

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert (error["code"], error["details"]["at_most"]) == ("quantity-exceeds", 0)
    assert "in none of its 24 orientations, nor at any angle about z" in error["title"]


@pytest.mark.parametrize("fixed", ["model", "line item", "printer type"])
def test_part_with_fixed_orientation_is_not_placed_obliquely(
    erp, create_runs, confirmed, box_model, packing_by, fixed
):
    if fixed == "printer type":
        packing_by("premium_packer", "plate", allowed_orientations="as_is")
    model = box_model(130, 5, 5, name="rod", rotation=fixed != "model")
    word = {"orientation": "as_is"} if fixed == "line item" else {}

    answer = create_runs(confirmed(model, 1, **word))

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert (error["code"], error["details"]["at_most"]) == ("quantity-exceeds", 0)
    assert "as it lies it does not fit" in error["title"]
    assert "Let it be turned in more ways" in error["title"]


def test_create_runs_request_reads_no_mesh(create_runs, confirmed, rod, monkeypatch):
    pieces = confirmed(rod, 1)
    monkeypatch.setattr(warehouse, "stl_file", None)
    monkeypatch.setattr(blobs, "local_copy", None)

    assert create_runs(pieces).status_code == 201


@pytest.mark.parametrize(
    "packer", ["box_packer", pytest.param("premium_packer", marks=pytest.mark.slow)]
)
def test_capacity_counts_oblique_placements(erp, rod, beam, packing_by, small, work_on, packer):
    packing_by(packer, "volume")
    url = f"{small['printer_type']}capacity/"

    first = erp.get(url, {"model": rod["uri"]}).json()
    erp.get(url, {"model": beam["uri"]})
    work_on("count_capacity")
    rods, beams = (erp.get(url, {"model": model["uri"]}).json() for model in (rod, beam))

    assert (first["at_least"], first["status"]) == (0, "calculating")
    assert first["at_most"] >= rods["at_most"] >= rods["at_least"] >= 14
    assert rods["status"] == "final"
    assert (beams["at_least"], beams["at_most"], beams["exact"]) == (0, 0, True)
    assert "nor at any angle about z" in beams["reason"]


def test_fit_count_is_unknown_for_oblique_parts_and_zero_beyond_diagonal(rod, box_model, small):
    printer_type = PrinterType.objects.get(pk=key_of({"uri": small["printer_type"]}))

    oblique, beyond = (
        fits_of(warehouse.get_model_unchecked(model["uri"]), printer_type)
        for model in (rod, box_model(142, 5, 5))
    )

    assert isinstance(oblique, UnknownDriver)
    assert beyond == 0

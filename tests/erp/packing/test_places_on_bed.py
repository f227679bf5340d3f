"""Places of the pieces of a run on the bed: those that the API names, and those of the G-code."""

import numpy as np
import pytest

from apps.slicing.domain.installed_engines import prusaslicer

pytestmark = [pytest.mark.django_db, pytest.mark.engine]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)

BED = (150, 120, 60)
LINE = 0.5  # mm, a width of extrusion


def places(erp, run: dict) -> dict[str, np.ndarray]:
    """The (2, 2) lowest and highest corners of each piece on the bed, by its URI, mm."""
    by_piece = {}
    for row in erp.get(f"{run['uri']}unpacking/").json()["resources"]:
        offset = [row["bed_offset"][axis] for axis in "xy"]
        corners = [[row["box"][end][axis] for axis in "xy"] for end in ("low", "high")]
        by_piece[row["piece"]] = np.array(corners) + offset
    return by_piece


@pytest.mark.parametrize(
    ("parameters", "reach"),
    [({}, 0.0), ({"raft": True}, 7.5), ({"brim_width": 4}, 4.0)],
    ids=["plain", "raft", "brim"],
)
def test_gcode_extrudes_each_piece_at_its_place_on_the_bed(
    erp, client_of, person, make, bureau, location, confirmed, box_model, run_of, parameters, reach
):
    slicing = client_of("slicing", person)
    body = {"engine": "slic3r", "parameters": parameters}
    if "brim_width" in parameters:
        body = {"engine": "slic3r", "content": "brim_type = outer_only\nbrim_width = 4\nskirts = 0"}
    path = "/config/raw/" if "content" in body else "/config/curated/"
    config = slicing.post(path, body).json()["uri"]
    kind = make(
        "printer-type",
        bureau=bureau["uri"],
        name="Own",
        build_volume=dict(zip("xyz", BED, strict=True)),
        config=config,
        packing_mode="plate",
        slice_runs=True,
    )
    printer = make("printer", location=location["uri"], printer_type=kind["uri"], name="P1")
    pieces = confirmed(box_model(30, 20, 1), 2) + confirmed(box_model(12, 40, 1), 1)

    run = run_of(printer, pieces)

    assert run["slicing"] == "processed", run["slicing_errors"]
    expected = places(erp, run)
    objects = slicing.get(f"{run['slice']}objects/").json()["resources"]
    printed = {row["piece"]: np.array(row["box"])[:, :2] for row in objects if row["piece"]}
    assert printed.keys() == expected.keys() == set(pieces)
    for piece, (low, high) in printed.items():
        inner_low, inner_high = expected[piece]
        assert (low <= inner_low + LINE).all() and (high >= inner_high - LINE).all()
        assert (low >= inner_low - reach - LINE).all() and (high <= inner_high + reach + LINE).all()
        assert (low >= 0).all() and (high <= BED[:2]).all()
        assert (low + high) / 2 == pytest.approx((inner_low + inner_high) / 2, abs=0.1)

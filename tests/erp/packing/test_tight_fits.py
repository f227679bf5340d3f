"""Packed runs of parts that fit their printer tightly, over HTTP."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("packer", ["box_packer", "premium_packer"])
@pytest.mark.parametrize("distance", [0, 0.5])
def test_tightly_fitting_parts_are_placed_side_by_side(
    erp,
    make,
    bureau,
    location,
    create_runs,
    work_on,
    confirmed,
    box_model,
    premium,
    packer,
    distance,
):
    kind = make(
        "printer-type",
        bureau=bureau["uri"],
        name="Tight",
        build_volume={"x": 91, "y": 41, "z": 31},
        minimum_packing_distance=distance,
        build_packer_type=packer,
    )
    tight = make("printer", location=location["uri"], printer_type=kind["uri"], name="T1")
    pieces = [
        confirmed(box_model(40, 30, 30, name=name), 1, orientation="upright")[0] for name in "abc"
    ]

    answer = create_runs(pieces, printer=tight["uri"])
    work_on("pack_run")

    run = erp.get(answer["Location"]).json()
    assert (run["status"], run["errors"]) == ("calculated", None)
    assert run["report"]["height"] == 30


def test_completed_search_suggests_turning_and_no_larger_budget(packed, confirmed, box_model):
    run = packed(confirmed(box_model(60, 30, 30), 12, orientation="as_is"))

    (error,) = run["errors"]
    assert error["code"] == "not-found"
    assert "Allow the parts to be turned (orientation), ask for fewer" in error["title"]

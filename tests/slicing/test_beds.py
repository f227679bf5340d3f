"""Beds that are no rectangles."""

import math

import numpy as np
import pytest

from apps.slicing.configs import slic3r
from apps.slicing.engines import bed_placement
from apps.slicing.engines.base import Bed, SliceFailed
from geometry import bed_shape
from tests.conftest import CORNERS, SIDES, binary_stl

ROUND = tuple(
    (80 * math.cos(math.radians(angle)), 80 * math.sin(math.radians(angle)))
    for angle in range(0, 360, 5)
)
NOTCHED = ((0, 0), (100, 0), (100, 100), (60, 100), (60, 40), (40, 40), (40, 100), (0, 100))


def square(side: float, x: float = 0.0, y: float = 0.0) -> np.ndarray:
    half = side / 2
    return np.array([[-half, -half], [half, -half], [half, half], [-half, half]]) + [x, y]


def test_bed_shape_distinguishes_rectangles_from_other_quadrilaterals():
    assert bed_shape.is_box([(5, 5), (205, 5), (205, 155), (5, 155)])
    assert not bed_shape.is_box([(0, 0), (200, 0), (150, 100), (50, 100)])
    assert not bed_shape.is_box(ROUND)


@pytest.mark.parametrize(
    ("bed", "corners", "over"),
    [
        (ROUND, square(20), -(80 - math.hypot(10, 10))),
        (ROUND, square(120), math.hypot(60, 60) - 80),
        (ROUND, square(20, x=80), math.hypot(90, 10) - 80),
        (NOTCHED, square(30, x=20, y=20), -5.0),
        (NOTCHED, square(38, x=50, y=30), 9.0),
    ],
)
def test_overhang_over_the_bed_edge_is_measured(bed, corners, over):
    assert bed_shape.overhang(bed, corners) == pytest.approx(over, abs=0.4)


def test_overhang_across_a_notch_is_measured_though_corners_are_on_the_bed():
    bar = np.array([[10, 80], [90, 80], [90, 90], [10, 90]], float)

    assert bed_shape.overhang(NOTCHED, bar) == pytest.approx(5.0)
    assert bed_shape.overhang(NOTCHED, bar[::-1]) == pytest.approx(5.0)
    assert bed_shape.overhang(NOTCHED, np.array([[40, 0], [60, 0], [60, 40], [40, 40]])) < 1e-3


def test_largest_box_of_a_round_bed_is_its_inscribed_square():
    left, front, right, back = bed_shape.largest_box(ROUND)

    assert (right - left) * (back - front) == pytest.approx(2 * 80**2, rel=0.02)
    assert (
        bed_shape.overhang(
            ROUND, np.array([[left, front], [right, front], [right, back], [left, back]])
        )
        <= 2 * bed_shape.CLOSE
    )
    assert bed_shape.largest_box(((5, 5), (205, 5), (205, 155), (5, 155))) == pytest.approx(
        (5, 5, 205, 155), abs=0.01
    )


@pytest.fixture
def placed(tmp_path):
    """`placed(size)`: a box of this size in the middle of the round bed."""

    def place(size, margin=0.0):
        (tmp_path / "model.stl").write_bytes(binary_stl(CORNERS[SIDES] * size))
        bed = Bed(160.0, 160.0, 180.0, -80.0, -80.0, ROUND)
        path = tmp_path / "placed.stl"
        return bed, bed_placement.place(
            tmp_path / "model.stl", path, bed=bed, centre=bed.centre, margin=margin
        )

    return place


def test_model_too_large_for_a_round_bed_is_rejected_with_its_overhang(placed):
    with pytest.raises(SliceFailed, match=r"reaches 27\.\d mm over the edge of the bed") as failure:
        placed([152.0, 152.0, 20.0])

    assert failure.value.code == "model-too-large"


def test_raft_margin_and_skirt_space_are_checked_on_a_round_bed(placed):
    bed, model = placed([110.0, 110.0, 20.0])

    assert bed_placement.has_room(model, bed, 1.5)
    assert not bed_placement.has_room(model, bed, 10.0)
    with pytest.raises(SliceFailed):
        placed([110.0, 110.0, 20.0], margin=5.0)


def test_bed_outline_accepts_many_corners_and_rejects_too_few():
    corners = ",".join(f"{x:.2f}x{y:.2f}" for x, y in ROUND)

    assert len(slic3r.bed_outline(corners)) == 72
    assert slic3r.bed_outline("0x0,1x1") is None

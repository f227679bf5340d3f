"""Plates: one layer, silhouettes apart, as many as go."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.plate_packer import pack_plate
from geometry.packing.request import Packing, PackItem, Placement, Volume, orientations
from geometry.packing.verification.certificate import certify
from tests.geometry.packing.shapes import boxes, cuboid, moved, piece, ring

PLATE = Volume(100, 100, 100)
SOME = 100_000_000  # units of work


def packed(pieces: list[PackItem], distance: float = 2.0, plate: Volume = PLATE, **more) -> Packing:
    """The last packing, which its certificate finds nothing wrong with."""
    *_, last = pack_plate(pieces, plate, distance, **{"work": SOME, **more})
    certificate = certify(pieces, last, plate, distance, mode="plate", wall=more.get("wall", 0.0))
    assert certificate.violations == ()
    return last


def angle() -> np.ndarray:
    """An L of 60 x 60 with arms of 12 mm."""
    return boxes(((0, 0, 0), (60, 12, 5)), ((0, 0, 0), (12, 60, 5)))


def test_small_part_is_placed_inside_a_ring():
    pieces = [piece(ring(90, 8, 5)), piece(cuboid(50, 50, 5))]
    by_boxes = pack_boxes(
        [p._replace(rotations=p.rotations[:4]) for p in pieces], PLATE, 2.0, mode="plate"
    )

    last = packed(pieces)

    assert len(by_boxes.unplaced) == 1
    assert (last.unplaced, last.packer, last.stopped) == ((), "premium_packer", "done")


def test_no_part_is_placed_beneath_an_overhang():
    table = boxes(((0, 0, 40), (80, 80, 45)), ((35, 35, 0), (45, 45, 40)))
    pieces = [piece(table, policy="upright"), piece(cuboid(25, 25, 20), policy="upright")]

    last = packed(pieces, work=30_000_000)

    assert len(last.placements) == 1


def test_angles_nest_when_their_boxes_do_not_fit():
    by_boxes = pack_boxes([piece(angle(), 3, "upright")], PLATE, 2.0, mode="plate")

    last = packed([piece(angle(), 3)])

    assert len(by_boxes.unplaced) == 2
    assert last.unplaced == ()


def test_parts_are_centred_on_the_plate_and_rotated_about_z_only():
    pieces = [piece(angle() + np.float32([5, -7, 31]), 4)]

    last = packed(pieces)

    corners = np.concatenate([moved(pieces[0].triangles, p) for p in last.placements])
    low, high = corners.min(axis=0), corners.max(axis=0)
    assert low[2] == pytest.approx(0, abs=1e-9)
    assert low[:2] + high[:2] == pytest.approx([100, 100], abs=1e-6)
    assert all(p.transform[2, 2] == 1.0 for p in last.placements)
    assert all(np.linalg.det(p.transform[:3, :3]) == pytest.approx(1.0) for p in last.placements)


def test_parts_keep_their_rotation_when_turning_is_not_allowed():
    pieces = [piece(angle(), 4, "as_is")]

    last = packed(pieces)

    assert all(np.array_equal(p.transform[:3, :3], np.eye(3)) for p in last.placements)
    assert 1 < len(last.placements)


def test_wall_distance_at_the_plate_edges_is_kept():
    pieces = [piece(angle(), 3)]

    last = packed(pieces, wall=5.0)

    corners = np.concatenate([moved(pieces[0].triangles, p) for p in last.placements])
    assert corners[:, :2].min() >= 5 - 1e-5
    assert corners[:, :2].max() <= 95 + 1e-5


def test_plate_packing_is_deterministic_and_improves_at_each_step():
    pieces = [piece(angle(), 5), piece(ring(30, 5, 5), 3), piece(cuboid(14, 14, 5), 6)]

    first = list(pack_plate(pieces, PLATE, 2.0, seed=3, work=SOME))
    again = list(pack_plate(pieces, PLATE, 2.0, seed=3, work=SOME))

    left = [len(packing.unplaced) for packing in first]
    assert left[:-1] == sorted(set(left), reverse=True)
    assert [packing.work for packing in first] == [packing.work for packing in again]
    for one, other in zip(first[-1].placements, again[-1].placements, strict=True):
        assert (one.piece, one.copy) == (other.piece, other.copy)
        assert one.transform.tobytes() == other.transform.tobytes()


def test_cancelled_plate_search_returns_its_best_packing():
    pieces = [piece(angle(), 12)]

    *_, last = pack_plate(pieces, PLATE, 2.0, cancelled=lambda: True)

    assert last.stopped == "cancelled"
    assert last.placements


def test_plate_certificate_reports_a_part_beneath_another():
    table = boxes(((0, 0, 40), (80, 80, 45)), ((35, 35, 0), (45, 45, 40)))
    pieces = [piece(table), piece(cuboid(20, 20, 20))]
    beneath = np.eye(4)
    beneath[:3, 3] = 5, 5, 0
    placements = (Placement(0, 0, np.eye(4), (0, 0, 1)), Placement(1, 0, beneath, (0, 0, 1)))
    packing = Packing(placements, (), 45.0, 0.1, 0, "done", "premium_packer", 0.5)

    in_a_volume = certify(pieces, packing, PLATE, 2.0)
    on_a_plate = certify(pieces, packing, PLATE, 2.0, mode="plate")

    assert in_a_volume.valid
    assert [fault.code for fault in on_a_plate.violations] == ["too-near"]


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(*[st.floats(3, 40)] * 3, st.integers(1, 4)), min_size=1, max_size=4),
    st.sampled_from([0.2, 1.0, 2.0, 5.0]),
)
def test_every_plate_passes_its_certificate(parts, distance):
    pieces = [
        PackItem(
            f"{i}.stl",
            boxes(((0, 0, 0), (x, 3, z)), ((0, 0, 0), (3, y, z))),
            n,
            orientations("free"),
        )
        for i, (x, y, z, n) in enumerate(parts)
    ]

    packed(pieces, distance, Volume(60, 60, 60), work=30_000_000)


@pytest.mark.parametrize(
    "cut",
    [
        [(46, 19), (46, 19), (23, 30), (22, 30), (31, 47), (21, 47), (53, 22), (56, 29), (43, 29)],
        [(16, 69), (32, 21), (32, 18), (24, 40), (24, 28), (32, 28), (25, 69), (47, 30), (52, 30)],
        [(40, 23), (40, 24), (40, 25), (42, 30), (42, 43), (16, 74), (40, 25), (31, 25), (27, 25)],
    ],
)
def test_full_plate_is_rearranged_until_all_parts_fit(cut):
    """A plate of 100 mm cut into nine, which come back on one of 104."""
    pieces = [piece(cuboid(x, y, 5), 1, "upright") for x, y in cut]
    plate = Volume(104, 104, 20)

    last = packed(pieces, 1.0, plate, work=600_000_000)

    assert pack_boxes(pieces, plate, 1.0, mode="plate").unplaced
    assert last.unplaced == ()

"""Packings of volumes: nested, apart, inside, removable, and the same at every call."""

import itertools

import numpy as np
import pytest

from geometry.packing import budget
from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.request import Budget, PackItem, Volume, orientations
from geometry.packing.verification.certificate import certify
from geometry.packing.volume_packer import pack_volume
from input_errors import InputError
from tests.geometry.packing.shapes import boxes, corner, cuboid, cup, moved, piece, ring

SMALL = 30_000_000  # units of work


def last(*arguments, work: int = SMALL, **options):
    *_, packing = pack_volume(*arguments, work=work, **options)
    return packing


def angle(length: float) -> np.ndarray:
    """Two walls at a right angle: a third of its box, and others nest in it."""
    return boxes(((0, 0, 0), (length, length, 3)), ((0, 0, 0), (3, length, length)))


def keeps(pieces, packing, volume, distance, wall=0.0) -> bool:
    certificate = certify(pieces, packing, volume, distance, wall=wall)
    return not certificate.violations


def test_angles_nest_and_are_packed_lower_than_their_boxes():
    pieces, volume = [piece(angle(24), 9)], Volume(60.0, 60.0, 120.0)

    packings = list(pack_volume(pieces, volume, 2.0, work=SMALL))

    boxed, best = packings[0], packings[-1]
    assert boxed.packer == "box_packer"
    assert best.packer == "premium_packer"
    assert best.density > 1.3 * boxed.density
    assert [len(packing.unplaced) for packing in packings] == [0] * len(packings)
    heights = [packing.height for packing in packings]
    assert heights == sorted(heights, reverse=True)
    assert keeps(pieces, best, volume, 2.0)


def test_exactly_fitting_cubes_are_all_packed_at_the_exact_height():
    pieces, volume = [piece(cuboid(8, 8, 8), 27)], Volume(28.0, 28.0, 28.0)

    packing = last(pieces, volume, 2.0, work=SMALL // 10)

    assert packing.unplaced == ()
    assert packing.height == pytest.approx(28.0)


def test_excess_cubes_are_reported_as_unplaced():
    pieces, volume = [piece(cuboid(8, 8, 8), 30)], Volume(28.0, 28.0, 28.0)

    packing = last(pieces, volume, 2.0, work=SMALL // 10)

    assert len(packing.placements) == 27
    assert sorted(packing.unplaced) == [(0, 27), (0, 28), (0, 29)]
    assert packing.stopped == "work"


def test_nesting_places_parts_that_the_box_packer_leaves_out():
    pieces, volume = [piece(angle(24), 3)], Volume(26.0, 35.0, 35.0)

    packing = last(pieces, volume, 2.0)

    assert len(pack_boxes(pieces, volume, 2.0).unplaced) == 2
    assert packing.unplaced == ()
    assert keeps(pieces, packing, volume, 2.0)


@pytest.mark.parametrize("wall", [0.0, 3.5])
def test_every_vertex_is_inside_the_volume_and_off_its_walls(wall):
    pieces = [piece(corner(), 12), piece(ring(15, 3, 2), 6)]
    volume = Volume(41.3, 37.7, 90.0)

    packing = last(pieces, volume, 1.3, wall=wall)

    corners = np.concatenate([moved(pieces[p.piece].triangles, p) for p in packing.placements])
    assert packing.packer == "premium_packer"
    assert (corners >= wall - 1e-6).all()
    assert (corners <= np.array(volume) - wall + 1e-6).all()
    assert corners[:, 2].min() == pytest.approx(wall)
    assert corners[:, 2].max() == pytest.approx(packing.height, abs=1e-4)
    assert keeps(pieces, packing, volume, 1.3, wall)


def test_no_part_is_mirrored():
    packing = last([piece(corner(), 20)], Volume(40.0, 40.0, 90.0), 2.0)

    turns = np.array([placement.transform[:3, :3] for placement in packing.placements])
    assert np.linalg.det(turns) == pytest.approx(np.ones(20))
    assert len(np.unique(turns, axis=0)) > 1


def test_only_allowed_orientations_are_used():
    pieces = [piece(corner(), 8, "upright"), piece(angle(20), 4, "as_is")]

    packing = last(pieces, Volume(45.0, 45.0, 90.0), 2.0)

    for placement in packing.placements:
        rotation = placement.transform[:3, :3]
        assert (rotation == pieces[placement.piece].rotations).all(axis=(1, 2)).any()


def test_search_ends_when_the_height_is_optimal():
    packing = last([piece(cuboid(10, 10, 10), 3)], Volume(50.0, 50.0, 50.0), 2.0)

    assert packing.height == pytest.approx(10.0)
    assert packing.stopped == "done"


def test_each_copy_is_placed_once():
    pieces = [piece(corner(), 7), piece(cuboid(9, 4, 2), 5)]

    packing = last(pieces, Volume(40.0, 40.0, 60.0), 2.0)

    placed = sorted((placement.piece, placement.copy) for placement in packing.placements)
    assert placed == [(0, copy) for copy in range(7)] + [(1, copy) for copy in range(5)]


def test_volume_packing_is_deterministic():
    pieces, volume = [piece(corner(), 14), piece(angle(14), 6)], Volume(40.0, 40.0, 90.0)

    once = list(pack_volume(pieces, volume, 2.0, work=SMALL))
    again = list(pack_volume(pieces, volume, 2.0, work=SMALL))

    assert [as_bytes(packing) for packing in once] == [as_bytes(packing) for packing in again]


def as_bytes(packing) -> bytes:
    rows = [(p.piece, p.copy, p.out_direction, p.transform.tobytes()) for p in packing.placements]
    return repr((rows, packing[1:])).encode()


def test_cups_contain_parts_and_all_are_removable():
    pieces = [piece(cup(28, 2), 3), piece(cuboid(9, 9, 9), 12)]
    volume = Volume(34.0, 34.0, 200.0)

    packings = list(pack_volume(pieces, volume, 2.0, work=SMALL))

    assert packings[-1].packer == "premium_packer"
    assert packings[-1].height < packings[0].height - 9
    assert {placement.out_direction is None for placement in packings[-1].placements} == {False}
    assert keeps(pieces, packings[-1], volume, 2.0)


def test_progress_is_reported_and_cancelling_keeps_the_best_packing():
    told: list[dict] = []
    pieces, volume = [piece(corner(), 30)], Volume(40.0, 40.0, 200.0)

    packings = list(
        pack_volume(
            pieces,
            volume,
            2.0,
            work=Budget.THOROUGH,
            progress=told.append,
            cancelled=lambda: any(note["phase"] == "improving" for note in told),
        )
    )

    assert packings[-1].stopped == "cancelled"
    assert packings[-1].packer == "premium_packer"
    assert told[0]["phase"] == "boxes"
    assert set(told[0]) == {"phase", "share", "height", "density", "seconds"}
    assert told[-1]["height"] == packings[-1].height


@pytest.mark.parametrize("moment", range(20))
def test_search_is_cancelled_at_any_moment_of_its_first_layout(monkeypatch, moment):
    """Also while it tests whether pieces can be taken out: those that are left look locked then."""
    pieces, volume = [piece(cup(28, 2), 2), piece(cuboid(9, 9, 9), 4)], Volume(34.0, 34.0, 90.0)
    monkeypatch.setattr(budget, "ASK_EVERY", 0.0)
    calls = itertools.count()

    packing = last(pieces, volume, 2.0, work=SMALL, cancelled=lambda: next(calls) > moment)

    assert (packing.stopped, packing.unplaced) == ("cancelled", ())


def test_search_ends_at_the_time_limit():
    packing = last(
        [piece(corner(), 40)], Volume(60.0, 60.0, 90.0), 2.0, work=Budget.THOROUGH, seconds=0.3
    )

    assert packing.stopped == "time"
    assert len(packing.placements) == 40


@pytest.mark.parametrize(
    ("pieces", "volume", "code"),
    [
        ([piece(cuboid(5, 5, 5), 2001)], Volume(300.0, 300.0, 300.0), "limit-exceeded"),
        ([piece(cuboid(5, 5, 5))], Volume(1200.0, 300.0, 300.0), "limit-exceeded"),
        ([piece(cuboid(50, 5, 5))], Volume(30.0, 30.0, 30.0), "piece-too-large"),
        ([piece(cuboid(5, 5, 25), 1, "as_is")], Volume(30.0, 30.0, 20.0), "orientation-forbids"),
        ([piece(np.empty((0, 3, 3), np.float32))], Volume(30.0, 30.0, 30.0), "mesh-empty"),
        ([], Volume(30.0, 30.0, 30.0), "nothing-to-pack"),
    ],
)
def test_invalid_packing_request_is_rejected_at_once(pieces, volume, code):
    with pytest.raises(InputError) as rejection:
        next(pack_volume(pieces, volume, 2.0))

    assert rejection.value.code == code


def test_two_items_of_the_same_model_are_all_packed():
    triangles = angle(14)
    free = orientations("free")
    lines = [PackItem("a.stl", triangles, 3, free), PackItem("b.stl", triangles.copy(), 3, free)]

    packing = last(lines, Volume(40.0, 40.0, 60.0), 2.0)

    assert sorted(placement.piece for placement in packing.placements) == [0, 0, 0, 1, 1, 1]

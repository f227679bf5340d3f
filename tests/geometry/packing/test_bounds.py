"""Upper bounds: exact for boxes, and never below what is certified to fit."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geometry.mesh import mesh_volume
from geometry.packing.bounds import (
    Outline,
    PackingSpace,
    box_bound,
    most_together,
    outline_bounds,
    rows_bound,
    shape_bound,
)
from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.input_checks import extents
from geometry.packing.offset_volume import grown_shadow, grown_volume
from geometry.packing.request import PackItem, Volume, orientations
from geometry.packing.verification.certificate import certify
from tests.geometry.shapes import ball, box


def piece(triangles, quantity=1, policy="free", name="part.stl"):
    return PackItem(name, np.asarray(triangles, np.float32), quantity, orientations(policy))


def cuboid(x, y, z, **row):
    return piece(box((0, 0, 0), (x, y, z)), **row)


def test_offset_volume_and_area_are_lower_bounds():
    cube, round_part = box((0, 0, 0), (20, 20, 20)), ball(40)

    grown = grown_volume(cube, 1.0), grown_volume(round_part, 1.0)
    shadows = grown_shadow(cube, 1.0), grown_shadow(round_part, 1.0)

    exact = 20**3 + 6 * 400 + 3 * math.pi * 20 + 4 / 3 * math.pi
    assert 0.9 * exact < grown[0] <= exact
    assert 0.9 * 4 / 3 * math.pi * 11**3 < grown[1] <= 4 / 3 * math.pi * 11**3
    assert 0.9 * (400 + 80 + math.pi) < shadows[0] <= 400 + 80 + math.pi
    assert 0.9 * math.pi * 11**2 < shadows[1] <= math.pi * 11**2


def test_offset_volume_at_zero_distance_is_the_volume_of_the_part():
    assert grown_volume(box((0, 0, 0), (20, 30, 40)), 0.0) == pytest.approx(24_000)


def test_overlapping_shells_count_once_in_the_offset_volume():
    twice = np.concatenate([box((0, 0, 0), (20, 20, 20))] * 2)

    assert grown_volume(twice, 2.0) <= 24**3


def test_offset_volume_of_an_open_sheet_is_around_its_largest_triangle():
    sheet = box((0, 0, 0), (20, 20, 20))[:1]

    assert grown_volume(sheet, 1.0) == pytest.approx(2 * 200 + 4 / 3 * math.pi)


@pytest.mark.parametrize(
    ("distance", "volume", "count"),
    [(2.0, (108, 108, 42), 50), (2.0, (100, 100, 41), 42), (0.0, (100, 60, 20), 15)],
)
def test_box_bound_is_the_quotient_of_the_offset_volumes(distance, volume, count):
    bound = box_bound(cuboid(20, 20, 20), Volume(*volume), distance)

    assert bound.at_most == count
    assert bound.reason == (f"By their bounding boxes with the distance, no more than {count} fit.")


def test_rows_bound_respects_the_remainder_along_each_side():
    room = Volume(100, 100, 41)

    assert rows_bound(cuboid(20, 20, 20), room, 2.0).at_most == 4 * 4
    assert shape_bound(cuboid(20, 20, 20), room, 2.0).at_most == 4 * 4
    assert rows_bound(cuboid(20, 20, 20), room, 2.0, mode="plate").at_most == 4 * 4
    assert rows_bound(cuboid(20, 20, 20), room, 2.0, wall=30.0).reason.startswith("part.stl is")


def test_bounds_are_zero_for_a_part_longer_than_the_volume():
    pole = cuboid(10, 10, 300)

    for bound in (box_bound, rows_bound, shape_bound):
        assert bound(pole, Volume(200, 200, 200), 2.0) == (
            0,
            "part.stl is 10 x 10 x 300 mm; in none of its 24 orientations does it fit "
            "200 x 200 x 200 mm. Make it smaller, divide it, or take a larger printer.",
        )


def test_bound_reason_suggests_more_orientations_when_they_decide():
    pole = cuboid(10, 10, 300, policy="upright")

    bound = shape_bound(pole, Volume(400, 200, 200), 2.0)

    assert bound.reason.endswith("Allow more orientations, or turn the model.")


def test_plate_bound_uses_the_smallest_allowed_side():
    room = Volume(100, 50, 100)

    assert box_bound(cuboid(8, 8, 40), room, 2.0, mode="plate").at_most == 102 * 52 // 100
    lying = cuboid(8, 40, 8, policy="upright")
    assert box_bound(lying, room, 2.0, mode="plate").at_most == 102 * 52 // 420
    assert shape_bound(lying, room, 2.0, mode="plate").at_most < 20


def outline(x, y, z, quantity=1, name="part"):
    return Outline(name, (x, y, z), x * y * z, "free", quantity)


def test_bound_of_a_mix_is_the_sum_of_its_parts():
    cubes, plates = outline(20, 20, 20, 40), outline(98, 98, 9, 16)
    volume = Volume(98, 98, 97)

    # Of a part's shape its volume alone is known: it may be round, and one plate more may fit.
    for packer, some in (("box_packer", 5), ("premium_packer", 6)):
        room = PackingSpace(volume, 2.0, "volume", packer)
        assert most_together([cubes, plates], room).at_most == 40 + some
        assert most_together([cubes], room).at_most == 40


def test_bound_of_a_mix_is_zero_when_a_part_fits_nowhere():
    room = PackingSpace(Volume(90, 90, 90), 1.0, "volume", "premium_packer")

    bound = most_together([outline(5, 5, 5), outline(500, 5, 5, name="pole")], room)

    assert bound == (
        0,
        "pole is 500 x 5 x 5 mm; in none of its 24 orientations, nor at any angle about z, does "
        "it fit 90 x 90 x 90 mm. Make it smaller, divide it, or take a larger printer.",
    )


@settings(max_examples=12, deadline=None)
@given(
    sides=st.tuples(*[st.sampled_from([4.0, 7.5, 11.0, 17.3])] * 3),
    room=st.tuples(*[st.floats(18, 50)] * 3),
    distance=st.sampled_from([0.0, 2.0]),
    policy=st.sampled_from(["free", "upright", "as_is"]),
    mode=st.sampled_from(["volume", "plate"]),
    round_part=st.booleans(),
)
def test_no_bound_is_below_a_certified_packing(sides, room, distance, policy, mode, round_part):
    mesh = ball(6) * np.float32(np.array(sides) / 20) if round_part else box((0, 0, 0), sides)
    many, room = piece(mesh, 500, policy), Volume(*room)

    packing = pack_boxes([many], room, distance, mode=mode)

    assert certify([many], packing, room, distance, mode=mode).valid
    for bound in (box_bound, rows_bound, shape_bound):
        assert bound(many, room, distance, mode=mode).at_most >= len(packing.placements)
    for packer in ("box_packer", "premium_packer"):
        size = tuple(extents(many).tolist())
        outline = Outline(many.name, size, mesh_volume(mesh), policy, many.quantity)
        place = PackingSpace(room, distance, mode, packer)
        assert outline_bounds(outline, place).at_most >= len(packing.placements)
        assert most_together([outline], place).at_most >= len(packing.placements)

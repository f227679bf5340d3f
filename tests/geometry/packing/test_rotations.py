"""Parts that fit only at an oblique angle: the angle, and their position."""

import numpy as np
import pytest

from geometry.packing.bounds import Outline, PackingSpace, most_together, outline_bounds
from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.capacity import how_many
from geometry.packing.input_checks import oblique_rotations
from geometry.packing.oblique_fit import roomiest_turn, turned_back, turned_to_fit
from geometry.packing.plate_packer import pack_plate
from geometry.packing.request import Budget, Volume, orientations
from geometry.packing.verification.certificate import certify
from geometry.packing.volume_packer import pack_volume
from input_errors import InputError
from tests.geometry.packing.shapes import boxes, cuboid, moved, piece

PLATE = Volume(200, 200, 60)
ROD = cuboid(250, 10, 10)


def turned(corners, angle):
    c, s = np.cos(angle), np.sin(angle)
    return corners @ np.array([[c, s], [-s, c]])


def test_oblique_angle_leaves_the_most_space():
    rng = np.random.default_rng(0)
    angles = np.linspace(-np.pi / 2, np.pi / 2, 721)
    for _ in range(100):
        corners = turned(np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * rng.uniform(1, 300, 2), 1.0)
        room = rng.uniform(50, 300, 2)

        angle, spare = roomiest_turn(corners, *room)

        assert (room - np.ptp(turned(corners, angle), axis=0)).min() == pytest.approx(spare)
        assert (
            spare >= max((room - np.ptp(turned(corners, a), axis=0)).min() for a in angles) - 1e-9
        )


def test_part_that_fits_as_it_lies_is_not_rotated():
    as_it_lies, turn = turned_to_fit(piece(cuboid(190, 10, 10)), PLATE)

    assert (as_it_lies.triangles == cuboid(190, 10, 10)).all()
    assert (turn == np.eye(4)).all()


@pytest.mark.parametrize("policy", ["free", "upright"])
@pytest.mark.parametrize(
    ("mode", "pack"),
    [
        ("volume", lambda *args: pack_boxes(*args)),
        ("plate", lambda *args: pack_boxes(*args, mode="plate")),
        ("volume", lambda *args: list(pack_volume(*args, work=Budget.QUICK // 8))[-1]),
        ("plate", lambda *args: list(pack_plate(*args, work=Budget.QUICK // 8))[-1]),
    ],
)
def test_every_packer_places_a_part_that_fits_only_obliquely(mode, pack, policy):
    rods, cubes = piece(ROD, 2, policy), piece(cuboid(20, 30, 40), 3, policy)
    lying, turn = turned_to_fit(rods, PLATE)

    packing = turned_back(pack([lying, cubes], PLATE, 2.0), [turn, np.eye(4)])

    assert 0 in {placement.piece for placement in packing.placements}
    assert certify([rods, cubes], packing, PLATE, 2.0, mode=mode).valid
    for placement in packing.placements:
        assert np.linalg.det(placement.transform[:3, :3]) == pytest.approx(1)
        corners = moved((rods, cubes)[placement.piece].triangles, placement)
        assert (corners >= -1e-4).all() and (corners <= np.array(PLATE) + 1e-4).all()
        if placement.piece == 0:  # it lies on its long side
            assert np.ptp(corners[:, 2]) == pytest.approx(10)


def test_part_is_laid_on_another_side_when_it_fits_only_so():
    standing = piece(cuboid(10, 10, 250))

    lying, turn = turned_to_fit(standing, PLATE)

    size = np.ptp(lying.triangles.reshape(-1, 3), axis=0)
    assert size == pytest.approx([183.85, 183.85, 10], abs=0.01)
    assert len(lying.rotations) == 4


@pytest.mark.parametrize(
    ("triangles", "policy", "code"),
    [
        (ROD, "as_is", "piece-too-large"),
        (cuboid(10, 10, 250), "upright", "piece-too-large"),
        (cuboid(250, 40, 40), "free", "piece-too-large"),  # at 45 degrees 205 mm
        (boxes(((0, 0, 0), (250, 10, 10)), ((0, 0, 0), (10, 250, 10))), "free", "piece-too-large"),
        (cuboid(10, 10, 190), "upright", "orientation-forbids"),
    ],
)
def test_part_that_fits_at_no_allowed_angle_is_rejected(triangles, policy, code):
    with pytest.raises(InputError) as refused:
        turned_to_fit(piece(triangles, policy=policy), PLATE)

    assert refused.value.code == code


def test_rejection_suggests_allowing_more_orientations():
    with pytest.raises(InputError) as refused:
        turned_to_fit(piece(ROD, policy="as_is"), PLATE)

    assert "as it lies it does not fit" in refused.value.title
    assert "Let it be turned in more ways" in refused.value.title


def test_oblique_rotation_never_mirrors_a_part():
    hook = boxes(((0, 0, 0), (250, 8, 10)), ((0, 0, 0), (8, 25, 10)))
    mirrored = hook * np.array([-1, 1, 1], np.float32)

    for triangles in (hook, mirrored):
        lying, turn = turned_to_fit(piece(triangles), PLATE)
        assert np.linalg.det(turn[:3, :3]) == pytest.approx(1)
        corners = triangles.reshape(-1, 3) @ turn[:3, :3].T + turn[:3, 3]
        assert corners == pytest.approx(lying.triangles.reshape(-1, 3), abs=1e-4)


@pytest.mark.slow
def test_capacity_counts_oblique_rods():
    boxed = list(how_many(piece(ROD), PLATE, 2.0, packer="box_packer"))
    nested = list(how_many(piece(ROD), PLATE, 2.0, work=Budget.QUICK // 4))

    assert boxed[-1].at_least == 5  # on top of each other
    assert nested[-1].at_least > 5
    assert nested[-1].at_most >= nested[-1].at_least


def test_oblique_rotations_of_a_box_are_empty_only_when_none_fits():
    upright = orientations("upright")

    assert len(oblique_rotations((280, 1, 1), upright, PLATE)) == 1
    assert len(oblique_rotations((283, 1, 1), upright, PLATE)) == 0
    assert len(oblique_rotations((280, 280, 1), upright, PLATE)) == 1  # a square on its corner
    assert len(oblique_rotations((280, 280, 1), upright, Volume(330, 40, 60))) == 0
    assert len(oblique_rotations((280, 1, 61), upright, PLATE)) == 0
    assert len(oblique_rotations((280, 1, 1), orientations("as_is"), PLATE)) == 0


@pytest.mark.slow
@pytest.mark.parametrize("packer", ["box_packer", "premium_packer"])
@pytest.mark.parametrize("mode", ["volume", "plate"])
def test_request_bound_is_not_below_the_oblique_capacity(packer, mode):
    rod = Outline("rod", (250.0, 10.0, 10.0), 25_000.0, "upright", 4)
    room = PackingSpace(PLATE, 2.0, mode, packer)

    alone, bound = outline_bounds(rod, room), most_together([rod], room)
    *_, counted = how_many(
        piece(ROD, policy="upright"), PLATE, 2.0, mode, packer=packer, work=10**9
    )

    assert alone.at_least == 0
    assert alone.at_most >= counted.at_least > 0
    assert bound.at_most == 4

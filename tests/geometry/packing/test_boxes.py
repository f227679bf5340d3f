"""The box packer: known counts, the distance, the walls, and never a mirror image."""

import subprocess
import sys

import numpy as np
import pytest

from geometry.mesh import mesh_volume
from geometry.packing.boxes.box_packer import pack_boxes
from geometry.packing.compiled.placed_mesh import transformed
from geometry.packing.request import PackItem, Volume, orientations
from input_errors import InputError
from tests.geometry.shapes import box

L_SHAPE = np.concatenate([box((0, 0, 0), (30, 10, 5)), box((0, 10, 0), (8, 25, 12))])


def piece(triangles, quantity=1, policy="free", name="part.stl"):
    return PackItem(name, triangles, quantity, orientations(policy))


def bounds(pieces, packing):
    """(n, 2, 3) of what is written."""
    solids = [transformed(pieces[p.piece].triangles, p.transform) for p in packing.placements]
    return np.array([[s.min(axis=(0, 1)), s.max(axis=(0, 1))] for s in solids], dtype=float)


def gaps(boxes):
    """Between any two boxes, along the axis on which they are farthest apart."""
    first, second = np.triu_indices(len(boxes), 1)
    apart = np.maximum(boxes[first, 0] - boxes[second, 1], boxes[second, 0] - boxes[first, 1])
    return apart.max(axis=1)


@pytest.mark.parametrize(
    ("side", "distance", "wall", "volume", "count"),
    [
        (20, 2.0, 0.0, (108, 108, 42), 5 * 5 * 2),
        (20, 2.0, 0.0, (107.9, 108, 42), 4 * 5 * 2),
        (20, 0.0, 0.0, (100, 60, 20), 5 * 3),
        (20, 2.0, 4.0, (116, 116, 50), 5 * 5 * 2),
        (12.5, 0.5, 0.0, (64.5, 25.5, 12.5), 5 * 2),
    ],
)
def test_cubes_fill_the_volume_exactly(side, distance, wall, volume, count):
    cubes = [piece(box((1, 2, 3), (1 + side, 2 + side, 3 + side)), count + 3)]

    packing = pack_boxes(cubes, Volume(*volume), distance, wall=wall)

    assert len(packing.placements) == count
    assert packing.unplaced == tuple((0, count + i) for i in range(3))
    assert gaps(bounds(cubes, packing)).min() >= distance


def test_parts_keep_clearance_and_wall_distance():
    pieces = [
        piece(L_SHAPE * np.float32(0.731), 30),
        piece(box((0, 0, 0), (17.13, 9.77, 4.31)), 40),
        piece(box((-3.1, 5.7, 100), (20.2, 21.3, 113.9)), 25, "upright"),
    ]
    volume = Volume(150.3, 141.7, 200)

    packing = pack_boxes(pieces, volume, 1.7, wall=2.3)

    boxes = bounds(pieces, packing)
    assert len(packing.placements) == 95 and packing.unplaced == ()
    assert gaps(boxes).min() >= 1.7
    assert (boxes[:, 0] >= 2.3).all() and (boxes[:, 1] <= np.array(volume) - 2.3).all()
    assert packing.height == boxes[:, 1, 2].max()


def test_parts_are_rotated_only_as_allowed_and_never_mirrored():
    pieces = [piece(L_SHAPE, 40), piece(L_SHAPE, 20, "upright"), piece(L_SHAPE, 5, "as_is")]

    packing = pack_boxes(pieces, Volume(120, 90, 150), 1.0)

    assert len({p.transform[:3, :3].tobytes() for p in packing.placements}) > 2
    for placement in packing.placements:
        rotation = placement.transform[:3, :3]
        assert np.linalg.det(rotation) == 1.0
        assert any((rotation == r).all() for r in pieces[placement.piece].rotations)


def test_parts_that_leave_first_have_nothing_above_them():
    pieces = [piece(L_SHAPE, 40), piece(box((0, 0, 0), (7, 9, 11)), 60)]

    packing = pack_boxes(pieces, Volume(70, 70, 200), 1.0)

    boxes = bounds(pieces, packing)
    for i, (low, high) in enumerate(boxes):
        for later_low, later_high in boxes[i + 1 :]:
            over = (later_low[:2] < high[:2]).all() and (later_high[:2] > low[:2]).all()
            assert not (over and later_low[2] >= high[2])


def test_plate_mode_places_all_parts_on_the_floor():
    pieces = [piece(box((0, 0, 5), (20, 30, 10)), 30, "upright")]

    packing = pack_boxes(pieces, Volume(108, 94, 200), 2.0, mode="plate")

    assert len(packing.placements) == 15
    assert (bounds(pieces, packing)[:, 0, 2] == 0).all()
    assert packing.height == 5.0


def test_density_is_measured_over_the_used_height():
    packing = pack_boxes([piece(box((0, 0, 0), (20, 20, 20)), 4)], Volume(40, 40, 90), 0.0)

    assert packing.density == 1.0
    assert mesh_volume(box((1, 1, 1), (3, 4, 5))) == pytest.approx(24)


def test_part_that_fits_in_no_orientation_is_rejected_with_its_size():
    plate = piece(box((0, 0, 0), (355.6, 3.2, 355.6)), name="bracket.stl")

    with pytest.raises(InputError) as refused:
        pack_boxes([plate], Volume(340, 340, 600), 2.0)

    assert refused.value.code == "piece-too-large"
    assert str(refused.value).startswith(
        "bracket.stl is 355.6 x 3.2 x 355.6 mm; in none of its 24 orientations "
        "does it fit 340 x 340 x 600 mm."
    )


def test_part_that_fits_only_in_a_forbidden_orientation_is_rejected():
    tall = piece(box((0, 0, 0), (10, 10, 300)), policy="upright", name="pole.stl")

    with pytest.raises(InputError) as refused:
        pack_boxes([tall], Volume(340, 340, 200), 2.0)

    assert refused.value.code == "orientation-forbids"
    assert "turned in a way that is not allowed" in str(refused.value)


@pytest.mark.parametrize(
    ("pieces", "code"),
    [
        ([], "nothing-to-pack"),
        ([piece(L_SHAPE, 0)], "nothing-to-pack"),
        ([piece(np.empty((0, 3, 3), np.float32))], "mesh-empty"),
        ([piece(np.full((1, 3, 3), np.nan, np.float32))], "mesh-invalid"),
    ],
)
def test_invalid_packing_input_is_rejected(pieces, code):
    with pytest.raises(InputError) as refused:
        pack_boxes(pieces, Volume(100, 100, 100), 2.0)

    assert refused.value.code == code


def test_box_packer_does_not_load_numba():
    command = "import geometry.packing.boxes.box_packer, sys; sys.exit('numba' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", command], env={"PYTHONPATH": "platform"})

    assert done.returncode == 0

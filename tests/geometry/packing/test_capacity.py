"""How many fit: exact for boxes, certified from below and proven from above for other parts."""

import numpy as np
import pytest

from geometry.packing.budget import SearchBudget
from geometry.packing.capacity import fill, how_many
from geometry.packing.request import PackItem, Volume, orientations
from geometry.packing.verification.certificate import certify
from geometry.packing.voxels.grid import Grid
from geometry.packing.voxels.lattice import collision_tables, lattices, table_cells
from geometry.packing.voxels.voxelization import voxelise
from input_errors import InputError
from tests.geometry.shapes import box

ANGLE = np.concatenate([box((0, 0, 0), (24, 4, 12)), box((0, 4, 0), (4, 24, 12))])
WORK = 20_000_000


def piece(triangles, policy="free", quantity=1):
    return PackItem("part.stl", np.asarray(triangles, np.float32), quantity, orientations(policy))


def cuboid(x, y, z, policy="free"):
    return piece(box((0, 0, 0), (x, y, z)), policy)


@pytest.mark.parametrize(
    ("part", "volume", "distance", "count"),
    [
        (cuboid(20, 20, 20), (108, 108, 42), 2.0, 50),
        (cuboid(20, 20, 20), (100, 100, 41), 2.0, 16),
        (cuboid(20, 20, 20), (100, 60, 20), 0.0, 15),
        (cuboid(30, 20, 10, "as_is"), (62, 42, 22), 2.0, 8),
        (cuboid(90, 90, 90), (100, 100, 100), 2.0, 1),
    ],
)
@pytest.mark.parametrize("packer", ["box_packer", "premium_packer"])
def test_capacity_of_boxes_is_exact_at_once(part, volume, distance, count, packer):
    (answer,) = how_many(part, Volume(*volume), distance, packer=packer, work=WORK)

    assert answer[:3] == (count, count, True)
    assert answer.method == "boxes"


def test_capacity_is_zero_for_a_part_that_is_too_long():
    (answer,) = how_many(cuboid(10, 10, 300), Volume(200, 200, 200), 2.0)

    assert answer[:3] == (0, 0, True)
    assert answer.reason == (
        "part.stl is 10 x 10 x 300 mm; in none of its 24 orientations, nor at any angle about z, "
        "does it fit 200 x 200 x 200 mm. Make it smaller, divide it, or take a larger printer."
    )


def test_capacity_of_a_plate_counts_one_layer():
    answers = list(how_many(cuboid(20, 30, 5, "upright"), Volume(108, 94, 90), 2.0, "plate"))

    assert [answer.at_least for answer in answers] == [15]
    assert answers[-1].at_most >= 15


def test_capacity_of_angles_exceeds_that_of_their_boxes():
    counts = []

    for answer in how_many(piece(ANGLE), Volume(82, 82, 28), 2.0, work=WORK):
        counts.append(answer.at_least)

    assert counts == sorted(set(counts))
    assert counts[-1] > 1.3 * counts[0]
    assert answer.at_most > counts[-1] and not answer.exact
    assert answer.reason.startswith("By their volume, grown by half the distance")


@pytest.mark.parametrize("wall", [0.0, 3.0])
@pytest.mark.parametrize("policy", ["free", "upright"])
def test_counted_packings_are_certified(policy, wall):
    angles, room = piece(ANGLE, policy, 60), Volume(84.3, 72.7, 28.1)

    packings = [packing for _, packing in fill(angles, room, 2.0, wall=wall, work=WORK)]

    assert len(packings) > 1
    for packing in packings:
        assert certify([angles], packing, room, 2.0, wall=wall).valid
        assert len(packing.placements) + len(packing.unplaced) == 60


def test_capacity_is_deterministic():
    first, second = (
        list(how_many(piece(ANGLE), Volume(56, 56, 28), 2.0, work=WORK)) for _ in range(2)
    )

    assert first == second


def test_capacity_search_can_be_cancelled():
    answers = how_many(piece(ANGLE), Volume(90, 90, 90), 2.0, cancelled=lambda: True)

    assert [answer.method for answer in answers][:1] == ["boxes"]


def test_lattice_copies_keep_the_clearance():
    solid = voxelise(ANGLE, orientations("free"), 1.001, 1.0)
    grid = Grid(Volume(70, 70, 40), 1.001, [solid], 41, SearchBudget(10**12))
    tables = collision_tables(solid)

    found = list(lattices(grid, 0, tables))

    assert tables.same.size == table_cells(solid)
    assert len(found) == 12  # three ways to lay the axes, alone and with the half turns that differ
    assert max(map(len, found)) == 24
    for places in found:
        for place in places:
            assert free(grid, place)
            grid.put(place)
        for place in places:
            grid.take(place)


def free(grid, place):
    """Whether no cell of the copy is near what stands in the grid."""
    shape = grid.shapes[0]
    runs = shape.moving[shape.first[0] : shape.first[1]]
    cells = np.zeros(shape.solid.size, dtype=bool)
    for y, z, start, length in runs:
        cells[start : start + length, y, z] = True
    turn = shape.solid.turns[place.turn]
    turned = np.flip(np.transpose(cells, turn.axes), tuple(np.flatnonzero(turn.flips)))
    x, y, z = np.nonzero(turned) + np.array(place[2:])[:, None]
    words = grid.table[0, z, x >> 6, y]
    return not (words >> (x & 63).astype(np.uint64) & np.uint64(1)).any()


def test_part_without_triangles_is_rejected():
    with pytest.raises(InputError) as refused:
        next(how_many(piece(np.empty((0, 3, 3))), Volume(10, 10, 10), 1.0))

    assert refused.value.code == "mesh-empty"

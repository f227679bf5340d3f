"""Whether pieces come out, in which order, and which are locked in."""

import numpy as np

from geometry.packing.budget import SearchBudget
from geometry.packing.request import Volume, orientations
from geometry.packing.voxels.disassembly import find_exits
from geometry.packing.voxels.grid import Grid, GridPlacement
from geometry.packing.voxels.voxelization import voxelise
from tests.geometry.packing.shapes import boxes, cage, cuboid, cup, ring

UP = orientations("as_is")
UP_SIDE_DOWN = np.array([np.eye(3), np.diag([1.0, -1.0, -1.0])])


def heap(*bodies) -> Grid:
    solids = [voxelise(body, UP_SIDE_DOWN, 1.0, 0.2, fill=False) for body in bodies]
    return Grid(Volume(40.0, 40.0, 40.0), 1.0, solids, 40, SearchBudget(1 << 60))


def test_stack_is_disassembled_from_the_top():
    grid = heap(cuboid(10, 10, 4))
    stack = [GridPlacement(0, 0, 5, 5, z) for z in (0, 10, 5)]

    exits = find_exits(grid, stack)

    assert exits.order == [(1, (0, 0, 1)), (2, (0, 0, 1)), (0, (0, 0, 1))]
    assert exits.locked == []


def test_covered_part_leaves_after_the_plate_above_it():
    grid = heap(cuboid(30, 30, 2), cuboid(4, 4, 4), boxes(((0, 0, 0), (30, 2, 20))))
    low = [GridPlacement(1, 0, 20, 20, 0), GridPlacement(0, 0, 5, 5, 6)]

    exits = find_exits(grid, low)

    assert exits.order == [(1, (0, 0, 1)), (0, (0, 0, 1))]
    assert find_exits(grid, [GridPlacement(1, 0, 20, 20, 0)]).order == [(0, (0, 0, 1))]


def test_lid_leaves_before_the_cup_and_its_content():
    grid = heap(cup(20, 2), cuboid(6, 6, 6), cuboid(20, 20, 2))
    places = [
        GridPlacement(0, 0, 5, 5, 0),
        GridPlacement(1, 0, 12, 12, 4),
        GridPlacement(2, 0, 5, 5, 22),
    ]

    exits = find_exits(grid, places)

    assert [number for number, _ in exits.order] == [2, 0, 1]
    assert exits.locked == []


def test_linked_rings_are_locked():
    flat, upright = ring(16, 2, 2), np.roll(ring(16, 2, 2), 1, axis=2)
    grid = heap(flat, upright)
    linked = [GridPlacement(0, 0, 4, 10, 8), GridPlacement(1, 0, 10, 2, 2)]
    apart = [GridPlacement(0, 0, 4, 20, 8), GridPlacement(1, 0, 10, 2, 2)]

    assert sorted(find_exits(grid, linked).locked) == [0, 1]
    assert find_exits(grid, apart).locked == []


def test_hook_is_led_out_of_a_ring():
    # The hook's tip is in the ring, which stands between two plates that hold the hook down.
    hook = boxes(((0, 0, 0), (2, 12, 2)), ((0, 0, 0), (2, 2, 8)), ((0, 0, 6), (2, 12, 8)))
    eye = boxes(
        ((0, 0, 0), (12, 2, 2)),
        ((0, 0, 0), (2, 2, 12)),
        ((10, 0, 0), (12, 2, 12)),
        ((0, 0, 10), (12, 2, 12)),
    )
    grid = heap(hook, eye)
    places = [GridPlacement(0, 0, 15, 10, 10), GridPlacement(1, 0, 10, 14, 6)]

    exits = find_exits(grid, places)

    assert exits.locked == []
    assert len(exits.order) == 2


def test_part_larger_than_the_openings_of_its_cage_is_locked():
    grid = heap(cage(20, 5), cuboid(12, 12, 12))
    places = [GridPlacement(0, 0, 5, 5, 5), GridPlacement(1, 0, 9, 9, 9)]

    exits = find_exits(grid, places)

    assert exits.order == []
    assert exits.locked == [0, 1]


def test_part_that_fits_between_the_bars_is_not_locked():
    grid = heap(cage(20, 5), cuboid(8, 8, 8))
    places = [GridPlacement(0, 0, 5, 5, 5), GridPlacement(1, 0, 11, 11, 11)]

    exits = find_exits(grid, places)

    assert exits.order == [(0, None), (1, (0, 0, 1))] or exits.locked == []


def test_disassembly_sequence_can_be_replayed():
    rng = np.random.default_rng(3)
    grid = heap(cuboid(6, 6, 3), cup(9, 2), ring(12, 2, 2))
    places = []
    for model in rng.integers(0, 3, size=24).tolist():
        place = grid.find(model, 40)
        grid.put(place)
        places.append(place)

    exits = find_exits(grid, places)

    left = {number: cells(grid, place) for number, place in enumerate(places)}
    assert sorted(number for number, _ in exits.order) == list(range(24))
    for number, direction in exits.order:
        piece = left.pop(number)
        others = set().union(*left.values()) if left else set()
        assert direction is not None
        ways = np.array(list(piece))[:, None] + np.arange(45)[:, None] * np.array(direction)
        assert not set(map(tuple, ways.reshape(-1, 3).tolist())) & others
    assert left == {}


def cells(grid: Grid, place: GridPlacement) -> set:
    solid = grid.shapes[place.model].solid
    block = np.zeros(solid.size, dtype=bool)
    for u, v, first, length in solid.moving[2]:
        block[u, v, first : first + length] = True
    if solid.turns[place.turn].rotation == 1:
        block = block[:, ::-1, ::-1]
    return set(map(tuple, (np.argwhere(block) + np.array(place[2:])).tolist()))

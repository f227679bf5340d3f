"""The grid of bits: what it says is free is free, and taking undoes putting."""

import numpy as np
import pytest
from numpy.typing import NDArray

from geometry.packing.budget import SearchBudget
from geometry.packing.request import Volume, orientations
from geometry.packing.voxels.grid import Grid, GridPlacement
from geometry.packing.voxels.voxelization import Solid, voxelise
from tests.geometry.packing.shapes import cage, corner, cuboid, cup, ring

FREE = orientations("free")
PITCH = 1.0005
BODIES = [corner(), cup(9, 2), ring(14, 3, 2), cuboid(5, 11, 2), cage(8, 2), cuboid(70, 3, 3)]


def block(solid: Solid, turn: int, runs, pad: int) -> NDArray[np.bool_]:
    """V or D as cells [x, y, z] after a turn."""
    cells = np.zeros(solid.size + 2 * pad, dtype=bool)
    for u, v, first, length in runs[2]:
        cells[u, v, first : first + length] = True
    rotation = FREE[solid.turns[turn].rotation]
    axes = np.abs(rotation).argmax(axis=1)
    backwards = np.flatnonzero(rotation[range(3), axes] < 0)
    return np.flip(np.transpose(cells, axes), backwards)


def obstacles(grid: Grid, places: list[GridPlacement]) -> NDArray[np.bool_]:
    """The cells that D of any placed model covers."""
    covered = np.zeros(grid.cells, dtype=bool)
    for place in places:
        solid = grid.shapes[place.model].solid
        cells = np.argwhere(block(solid, place.turn, solid.standing, solid.pad))
        cells += np.array(place[2:]) - solid.pad
        inside = ((cells >= 0) & (cells < grid.cells)).all(axis=1)
        covered[tuple(cells[inside].T)] = True
    return covered


def lowest_top(grid: Grid, model: int, covered: NDArray[np.bool_], lid: int) -> int | None:
    """The oracle: every place of every turn, by slices."""
    best = None
    for turn in range(len(grid.shapes[model].turns)):
        solid = grid.shapes[model].solid
        moving = block(solid, turn, solid.moving, 0)
        places = grid.shapes[model].turns[turn, 8:11]
        high = moving.shape[2]
        for z in range(min(int(places[2]), lid - high + 1)):
            if best is not None and z + high >= best:
                break
            if free_at(covered, moving, places, z).any():
                best = z + high
                break
    return best


def free_at(covered, moving, places, z) -> NDArray[np.bool_]:
    free = np.ones((max(int(places[0]), 0), max(int(places[1]), 0)), dtype=bool)
    for x, y, up in np.argwhere(moving):
        free &= ~covered[x : x + len(free), y : y + free.shape[1], z + up]
    return free


def bits(grid: Grid, level: int) -> NDArray[np.bool_]:
    """A level of the table as cells [x, y, z]."""
    x, y, z = grid.cells
    words = grid.table[level]  # z, w, y
    cells = (words[..., None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    return cells.transpose(1, 3, 2, 0).reshape(-1, y, z)[:x] != 0


def grid_of(room: Volume, bodies) -> Grid:
    solids = [voxelise(body, FREE, PITCH, 2.0) for body in bodies]
    return Grid(room, PITCH, solids, int(room.z / PITCH), SearchBudget(1 << 60))


def is_free(grid: Grid, place: GridPlacement, covered: NDArray[np.bool_]) -> bool:
    solid = grid.shapes[place.model].solid
    cells = np.argwhere(block(solid, place.turn, solid.moving, 0)) + np.array(place[2:])
    return not covered[tuple(cells.T)].any()


@pytest.mark.parametrize("seed", range(4))
def test_lowest_placement_matches_exhaustive_search(seed):
    rng = np.random.default_rng(seed)
    grid = grid_of(Volume(80.0, 33.0, 30.0), BODIES)
    places: list[GridPlacement] = []
    for _ in range(22):
        model, lid = int(rng.integers(len(BODIES))), int(rng.integers(20, 29))
        covered = obstacles(grid, places)
        expected = lowest_top(grid, model, covered, lid)

        place = grid.find(model, lid, contact=0.0)

        assert (None if place is None else grid.top(place)) == expected
        if place is not None:
            assert is_free(grid, place, covered)
            grid.put(place)
            places.append(place)
        if len(places) > 4 and rng.random() < 0.4:
            grid.take(places.pop(int(rng.integers(len(places)))))


@pytest.mark.parametrize("seed", range(2))
def test_removing_a_part_restores_the_grid_bit_for_bit(seed):
    rng = np.random.default_rng(seed)
    grid = grid_of(Volume(80.0, 33.0, 30.0), BODIES)
    placed: list[GridPlacement] = []
    for model in (1, 0, 2):
        place = grid.find(model, 28)
        assert place is not None
        grid.put(place)
        placed.append(place)
    before = grid.table.copy()

    added = []
    for model in rng.permutation(len(BODIES)).tolist():
        place = grid.find(model, 28)
        if place is not None:
            grid.put(place)
            added.append(place)
    changed = not np.array_equal(grid.table, before)
    for number in rng.permutation(len(added)).tolist():
        grid.take(added[number])

    assert changed
    assert np.array_equal(grid.table, before)
    assert np.array_equal(bits(grid, 0), obstacles(grid, placed))


def test_each_grid_level_covers_twice_the_voxels_of_the_one_below():
    grid = grid_of(Volume(150.0, 33.0, 20.0), BODIES)
    places = []
    for model in (5, 2, 1, 0):
        place = grid.find(model, 19)
        assert place is not None
        grid.put(place)
        places.append(place)
    covered = obstacles(grid, places)

    for level in range(len(grid.table)):
        expected = np.zeros_like(covered)
        for step in range(min(1 << level, len(covered))):
            expected[: len(covered) - step] |= covered[step:]
        assert np.array_equal(bits(grid, level), expected)


def test_placement_is_found_again_after_removal():
    grid = grid_of(Volume(20.0, 20.0, 40.0), [cuboid(18, 18, 4)])
    low = grid.find(0, 39)
    assert low is not None
    grid.put(low)
    high = grid.find(0, 39)
    assert high is not None
    grid.put(high)

    grid.take(low)

    assert grid.find(0, 39) == low
    assert high.z > low.z


def test_no_placement_is_found_above_the_height_limit():
    grid = grid_of(Volume(60.0, 60.0, 60.0), [cuboid(5, 5, 5)])

    assert grid.find(0, 4) is None
    assert grid.find(0, 5) == GridPlacement(0, 0, 0, 0, 0)


def test_walls_are_measured_by_the_model_and_not_by_its_voxels():
    exact = grid_of(Volume(20.4, 9.0, 9.0), [cuboid(19.9, 4, 4)])
    tight = grid_of(Volume(20.4, 9.0, 9.0), [cuboid(20.5, 4, 4)])

    assert exact.find(0, 9) is not None
    assert tight.find(0, 9) is None


def test_contact_preference_never_exceeds_the_height_limit():
    grid = grid_of(Volume(40.0, 40.0, 40.0), [cuboid(30, 30, 3), cuboid(4, 4, 6)])
    floor = grid.find(0, 39)
    assert floor is not None
    grid.put(floor)

    place = grid.find(1, 6, contact=3.0)

    assert place is None or grid.top(place) <= 6


def test_recalled_search_state_is_valid_for_the_same_placements():
    grid = grid_of(Volume(80.0, 33.0, 30.0), BODIES)
    places = []
    for model in (5, 2, 1, 0, 1, 2, 0):
        place = grid.find(model, 29)
        assert place is not None
        grid.put(place)
        places.append(place)
    covered, then = obstacles(grid, places), grid.remember()

    for place in places[2:5]:
        grid.take(place)
    for model in range(len(BODIES)):
        grid.find(model, 29, contact=0.0)
    for place in places[2:5]:
        grid.put(place)
    grid.recall(then)

    for model in range(len(BODIES)):
        found = grid.find(model, 29, contact=0.0)
        expected = lowest_top(grid, model, covered, 29)
        assert (None if found is None else grid.top(found)) == expected


def test_many_removals_lose_no_free_placement():
    grid = grid_of(Volume(150.0, 150.0, 12.0), [cuboid(6, 6, 6), cuboid(8, 8, 6)])
    places = []
    while (place := grid.find(0, 6)) is not None:
        grid.put(place)
        places.append(place)
    assert grid.find(1, 6) is None
    rng = np.random.default_rng(0)
    taken = [places[i] for i in rng.permutation(len(places))[:40].tolist()]
    for place in taken:
        grid.take(place)

    assert [put_next(grid) for _ in range(41)] == [True] * 40 + [False]


def put_next(grid: Grid) -> bool:
    place = grid.find(0, 6, contact=0.0)
    if place is not None:
        grid.put(place)
    return place is not None

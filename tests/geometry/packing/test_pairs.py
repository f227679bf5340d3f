"""Pairs of one model: apart as the cells prove it, and of less room than two alone."""

import numpy as np
import pytest

from geometry.packing.budget import SearchBudget
from geometry.packing.request import Volume, orientations
from geometry.packing.verification.certificate import certify
from geometry.packing.volume_packer import pack_volume
from geometry.packing.voxels.grid import Grid, GridPlacement
from geometry.packing.voxels.layout import Layout, Rule
from geometry.packing.voxels.motifs import find_motif
from geometry.packing.voxels.voxelization import voxelise
from tests.geometry.packing.shapes import boxes, cuboid, piece
from tests.geometry.packing.test_grid import block

FREE, PITCH = orientations("free"), 1.0005


def hook() -> np.ndarray:
    """Half of its box; two of them, one turned over, fill it."""
    return boxes(((0, 0, 0), (24, 6, 5)), ((0, 0, 0), (6, 20, 5)))


def test_pair_motif_keeps_clearance_and_fills_its_voxels():
    solid = voxelise(hook(), FREE, PITCH, 2.0)

    motif = find_motif(solid, FREE, PITCH)

    assert motif is not None
    assert np.prod(motif.solid.size) < 0.95 * 2 * np.prod(solid.size + 2)
    for number in range(len(motif.solid.turns)):
        whole = block(motif.solid, number, motif.solid.moving, 0)
        first, second = motif.places(0, GridPlacement(1, number, 0, 0, 0))
        assert not (moving(solid, first, whole.shape) & moving(solid, second, whole.shape)).any()
        both = moving(solid, first, whole.shape) | moving(solid, second, whole.shape)
        assert np.array_equal(both, whole)
        assert not (moving(solid, second, whole.shape) & near(solid, first, whole.shape)).any()


def moving(solid, place, shape) -> np.ndarray:
    """V of one of the two in the block of the pair."""
    cells = np.zeros(shape, dtype=bool)
    own = block(solid, place.turn, solid.moving, 0)
    x, y, z = (slice(a, a + n) for a, n in zip(place[2:], own.shape, strict=True))
    cells[x, y, z] = own
    return cells


def near(solid, place, shape) -> np.ndarray:
    """D of one of the two, as far as it is in the block of the pair."""
    cells = np.zeros(np.array(shape) + 2 * solid.pad, dtype=bool)
    own = block(solid, place.turn, solid.standing, solid.pad)
    x, y, z = (slice(a, a + n) for a, n in zip(place[2:], own.shape, strict=True))
    cells[x, y, z] = own
    return cells[(slice(solid.pad, -solid.pad),) * 3]


def test_part_that_fills_its_box_has_no_pair_motif():
    solid = voxelise(cuboid(9, 5, 4), FREE, PITCH, 2.0)

    assert find_motif(solid, FREE, PITCH) is None


def test_part_that_cannot_be_flipped_has_no_pair_motif():
    rotations = orientations("as_is")

    assert find_motif(voxelise(hook(), rotations, PITCH, 2.0), rotations, PITCH) is None


def test_pairs_are_inserted_together_and_a_single_copy_beside_its_mate():
    solid = voxelise(hook(), FREE, PITCH, 2.0)
    motif = find_motif(solid, FREE, PITCH)
    assert motif is not None
    grid = Grid(Volume(60.0, 60.0, 60.0), PITCH, [solid, motif.solid], 60, SearchBudget(1 << 60))
    layout = Layout(grid, np.zeros(3, dtype=np.int64), 0, {0: (1, motif)})

    layout.insert(0, 60, Rule(paired=True))
    pair = dict(layout.places)
    layout.take(1)
    layout.insert(1, 60, Rule(paired=True))

    assert sorted(pair) == sorted(layout.places) == [0, 1]
    assert {place.model for place in layout.places.values()} == {0}


@pytest.mark.parametrize("policy", ["free", "upright"])
def test_packing_by_pairs_keeps_the_clearance(policy):
    pieces, volume = [piece(hook(), 32, policy)], Volume(60.0, 60.0, 200.0)

    *_, packing = pack_volume(pieces, volume, 2.0, work=60_000_000)

    assert packing.packer == "premium_packer"
    assert not certify(pieces, packing, volume, 2.0).violations

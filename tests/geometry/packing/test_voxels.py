"""What moves and what stands: the sets of cells that prove a distance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geometry.packing.compiled.voxel_kernels import mark
from geometry.packing.request import orientations
from geometry.packing.voxels.voxelization import MARGIN, pitch_for, voxelise
from tests.geometry.packing.shapes import cage, corner, cuboid, cup

FREE = orientations("free")


def cells_of(runs, axis: int, shape) -> np.ndarray:
    cells = np.zeros(shape, dtype=bool)
    lines = np.moveaxis(cells, axis, 2)
    for u, v, first, length in runs:
        lines[u, v, first : first + length] = True
    return cells


def distance_to_surface(points: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    """(n,) to one triangle, over many points of it."""
    steps = np.arange(21) / 20
    u, v = np.meshgrid(steps, steps)
    inside = u + v <= 1
    a, b, c = triangle
    surface = a + u[inside, None] * (b - a) + v[inside, None] * (c - a)
    return np.sqrt(((points[:, None] - surface) ** 2).sum(axis=2)).min(axis=1)


def test_distance_is_a_whole_number_of_voxels_plus_margin():
    assert pitch_for(2.0, 2.0) == 2.0 + MARGIN
    assert pitch_for(2.0, 1.0) == (2.0 + MARGIN) / 2
    assert pitch_for(5.0, 2.0) == (5.0 + MARGIN) / 2
    assert pitch_for(0.3, 2.0) == 2.0


def test_part_of_a_whole_number_of_voxels_uses_no_more():
    solid = voxelise(cuboid(20, 10, 4), FREE, 2.0, 2.0)

    assert solid.size.tolist() == [10, 5, 2]
    assert solid.cells == 100
    assert solid.moving[0].shape == (10, 4)
    assert set(solid.moving[0][:, 3]) == {10}


def test_runs_along_all_axes_cover_the_same_voxels():
    solid = voxelise(corner(), FREE, 0.9, 2.0)
    along = [cells_of(solid.moving[axis], axis, solid.size) for axis in range(3)]

    assert along[0].sum() == solid.cells
    assert np.array_equal(along[0], along[1])
    assert np.array_equal(along[0], along[2])


def test_offset_set_contains_the_voxels_of_the_part():
    solid = voxelise(corner(), FREE, 1.0005, 2.0)
    pad = solid.pad
    standing = cells_of(solid.standing[1], 1, solid.size + 2 * pad)
    moving = cells_of(solid.moving[2], 2, solid.size)

    assert (standing[pad:-pad, pad:-pad, pad:-pad] & moving).sum() == solid.cells


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), reach=st.sampled_from([0.4, 1.0, 2.5]))
def test_unmarked_voxels_are_farther_than_the_offset(seed, reach):
    rng = np.random.default_rng(seed)
    triangle = 4 + 3 * rng.random((3, 3)) ** 2
    touched, near = np.zeros((2, 11, 11, 11), dtype=np.uint8)

    mark(triangle[None], reach, touched, near)

    corners = np.stack(np.meshgrid(*[np.arange(12)] * 3, indexing="ij"), axis=-1)
    apart = distance_to_surface(corners.reshape(-1, 3), triangle).reshape(12, 12, 12)
    # The nearest corner of a cell is at most half a diagonal farther than the cell itself.
    least = np.min(
        [apart[i : i + 11, j : j + 11, k : k + 11] for i in (0, 1) for j in (0, 1) for k in (0, 1)],
        axis=0,
    )
    assert (least[near == 0] >= reach).all()
    assert (near[touched == 1] == 1).all()
    assert (near[least < reach - 0.2] == 1).all()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_every_point_of_a_triangle_lies_in_a_touched_voxel(seed):
    rng = np.random.default_rng(seed)
    triangle = 8 * rng.random((3, 3))
    touched, near = np.zeros((2, 8, 8, 8), dtype=np.uint8)

    mark(triangle[None], 0.5, touched, near)

    weights = rng.dirichlet((1, 1, 1), size=400)
    i, j, k = np.floor(weights @ triangle).astype(int).T
    assert (touched[i, j, k] == 1).all()


def test_closed_void_is_filled_and_an_open_hollow_is_not():
    closed = voxelise(cuboid(10, 10, 10), FREE, 1.0, 1.0)
    hollow = voxelise(cup(10, 0.8), FREE, 1.0, 1.0)

    assert closed.cells == 1000
    assert hollow.cells == 1000 - 8 * 8 * 9
    assert not hollow.filled


def test_hollow_is_filled_only_when_it_is_visible_from_no_side():
    bars = cage(12, 2)
    sealed = voxelise(cuboid(12, 12, 12), FREE, 1.0, 1.0, fill=False)
    box_with_hole = np.concatenate([cup(12, 1), cup(12, 1) * [1, 1, -1] + [0, 0, 12.0]])
    box_with_hole = box_with_hole.astype(np.float32)

    assert not voxelise(bars, FREE, 1.0, 1.0).filled  # one sees through it
    assert sealed.cells == 12**3
    assert voxelise(box_with_hole, FREE, 1.0, 1.0).cells == 12**3


@pytest.mark.parametrize(
    ("triangles", "count"), [(cuboid(6, 6, 6), 1), (cuboid(8, 6, 6), 3), (cuboid(9, 7, 4), 6)]
)
def test_rotations_equal_by_symmetry_are_dropped(triangles, count):
    assert len(voxelise(triangles, FREE, 1.0, 1.0).turns) == count


def test_body_without_symmetry_has_all_rotations():
    turns = voxelise(corner(), FREE, 1.0, 1.0).turns

    assert [turn.rotation for turn in turns] == list(range(24))


def test_voxelization_is_cached_per_model_and_pitch():
    triangles = corner()

    assert voxelise(triangles, FREE, 0.9, 1.0) is voxelise(triangles.copy(), FREE, 0.9, 1.0)
    assert voxelise(triangles, FREE, 0.8, 1.0) is not voxelise(triangles, FREE, 0.9, 1.0)

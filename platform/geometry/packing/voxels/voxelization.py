"""Voxelises a part: moving set and offset set.

V, what moves, are the cells that the solid touches. D, what stands, are the cells that may lie
nearer to it than the distance, and V. Where V of one model meets no cell of D of another, each
point of the first lies in a cell that is proven to be far enough from the second.
"""

import hashlib
import math
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from geometry.packing.compiled.voxel_kernels import mark, spread
from geometry.packing.request import orientations

MARGIN = 1e-3  # mm that whole cells are longer than the distance: pays for all rounding
SPARE = 5e-4  # mm of it that D keeps; the rest pays for SHRINK and for float32 in files
SHRINK = 1e-5  # mm towards the middle, so that a part of 20.000 mm takes 10 cells of 2 mm, not 11
FIRST_RUNS = 96  # of a scan: far apart, as the extremes of a part exclude most places
TOUCHES, NEARBY = 160, 96  # cells of the shell that are looked at for contact, at 1 and 3 cells
KEPT = 600  # voxelised models


class Turn(NamedTuple):
    """A quarter turn as the loops over runs need it.

    rotation : index into the rotations asked for
    axes     : the model's axis that becomes the build's x, y, z
    flips    : 1 where it runs backwards
    """

    rotation: int
    axes: tuple[int, int, int]
    flips: tuple[int, int, int]


class Solid(NamedTuple):
    """A model in cells of one pitch; coordinates are in its block of cells, in model axes.

    size    : (3,) int64, cells of the block; the model stands in its middle
    centre  : (3,) float64, mm, the middle of the block in the model's coordinates
    extents : (3,) float64, mm, of the model
    pad     : cells by which the block of D is larger, on every side
    moving  : for runs along the model's x, y, z each (n, 4) int16, in the order of scanning: the
              other two coordinates in rising order of their axes, the first cell, the length
    standing : the same of D, in coordinates of its larger block
    shell   : (k, 3) int16, cells beside V, and the last of them a little off it
    turns   : of the allowed rotations, those that change V or D
    filled  : whether hollows were closed that lie in shadow from all six directions
    """

    size: NDArray[np.int64]
    centre: NDArray[np.float64]
    extents: NDArray[np.float64]
    pad: int
    moving: tuple[NDArray[np.int16], ...]
    standing: tuple[NDArray[np.int16], ...]
    shell: NDArray[np.int16]
    turns: tuple[Turn, ...]
    cells: int
    filled: bool


def pitch_for(distance: float, target: float) -> float:
    """mm: the edge of a cell near `target` of which a whole number is the distance and a hair.

    A distance of exactly k cells would put faces on the walls of cells, where rounding decides.
    """
    if distance < target / 2:
        return target
    return (distance + MARGIN) / max(1, round(distance / target))


_solids: OrderedDict[bytes, Solid] = OrderedDict()


def voxelise(
    triangles: NDArray[np.float32],
    rotations: NDArray[np.float64],
    pitch: float,
    distance: float,
    *,
    fill: bool = True,
) -> Solid:
    """A model as runs of cells, kept by its content.

    Parameters
    ----------
    triangles : (n, 3, 3) float32, mm, n >= 1
    rotations : (r, 3, 3) float64, quarter turns
    pitch     : mm
    distance  : mm
    fill      : close hollows from which a cell sees the model in all six directions: what is
                packed there might never come out
    """
    digest = hashlib.blake2b(triangles.tobytes(), digest_size=20)
    digest.update(rotations.tobytes())
    digest.update(repr((pitch, distance, fill)).encode())
    key = digest.digest()
    if key in _solids:
        _solids.move_to_end(key)
        return _solids[key]
    solid = _voxelised(triangles, rotations, pitch, distance, fill=fill)
    _solids[key] = solid
    while len(_solids) > KEPT:
        _solids.popitem(last=False)
    return solid


def _voxelised(
    triangles: NDArray[np.float32],
    rotations: NDArray[np.float64],
    pitch: float,
    distance: float,
    *,
    fill: bool,
) -> Solid:
    corners = triangles.reshape(-1, 3)
    low, high = corners.min(axis=0).astype(np.float64), corners.max(axis=0).astype(np.float64)
    centre, extents = (low + high) / 2, high - low
    size = np.maximum(1, np.ceil(extents / pitch - 1e-6)).astype(np.int64)
    pad = math.ceil(distance / pitch) + 1
    moving = np.zeros(size + 2 * pad, dtype=np.uint8)
    standing = np.zeros_like(moving)
    scale = 1.0 - 2 * SHRINK / np.maximum(extents, 4 * SHRINK)
    in_cells = (triangles.astype(np.float64) - centre) * (scale / pitch) + (size / 2 + pad)
    mark(in_cells, (distance + SPARE) / pitch, moving, standing)
    moving = _closed(moving != 0)
    filled = False
    if fill:
        whole = _without_shadow(moving)
        filled = bool((whole != moving).any())
        moving = whole
    standing = (standing != 0) | moving
    shell = _shell(moving, pad)
    return solid_of(moving, standing, shell, pad, centre, extents, rotations, filled=filled)


def solid_of(
    moving: NDArray[np.bool_],
    standing: NDArray[np.bool_],
    shell: NDArray[np.int16],
    pad: int,
    centre: NDArray[np.float64],
    extents: NDArray[np.float64],
    rotations: NDArray[np.float64],
    *,
    filled: bool = False,
) -> Solid:
    """A model of which V and D are known, in blocks that are `pad` cells larger on every side.

    The others are as in `Solid`, but for the rotations asked for, (r, 3, 3).
    """
    inner = moving[pad:-pad, pad:-pad, pad:-pad]
    return Solid(
        size=np.array(inner.shape, dtype=np.int64),
        centre=centre,
        extents=extents,
        pad=pad,
        moving=tuple(_in_scan_order(_runs(inner, axis), axis) for axis in range(3)),
        standing=tuple(_runs(standing, axis) for axis in range(3)),
        shell=shell,
        turns=_turns(rotations, moving, standing),
        cells=int(np.count_nonzero(inner)),
        filled=filled,
    )


def _closed(touched: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """All that cannot be reached from outside through the faces of free cells."""
    regions, _ = ndimage.label(~touched)
    return regions != regions[0, 0, 0]


def _without_shadow(moving: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """With the cells from which all six axis directions meet V."""
    shadow = np.ones_like(moving)
    for axis in range(3):
        for way in (slice(None), slice(None, None, -1)):
            sight = np.flip(moving, axis) if way.step else moving
            behind = np.logical_or.accumulate(sight, axis=axis)
            shadow &= np.flip(behind, axis) if way.step else behind
    return moving | shadow


def _runs(cells: NDArray[np.bool_], axis: int) -> NDArray[np.int16]:
    """(n, 4): the other two coordinates, the first cell and the length of each run."""
    lines = np.moveaxis(cells, axis, 2)
    edges = np.zeros((*lines.shape[:2], lines.shape[2] + 1), dtype=bool)
    edges[..., 1:-1] = lines[..., 1:] != lines[..., :-1]
    edges[..., 0], edges[..., -1] = lines[..., 0], lines[..., -1]
    u, v, at = np.nonzero(edges)
    starts, ends = at[0::2], at[1::2]
    return np.stack([u[0::2], v[0::2], starts, ends - starts], axis=1).astype(np.int16)


def _in_scan_order(runs: NDArray[np.int16], axis: int) -> NDArray[np.int16]:
    """Runs far from each other first, then the long ones."""
    middles = runs[:, :3].copy()
    middles[:, 2] += runs[:, 3] // 2
    first = spread(middles, FIRST_RUNS)
    rest = np.ones(len(runs), dtype=bool)
    rest[first] = False
    others = np.flatnonzero(rest)
    longest = others[np.argsort(-runs[others, 3], kind="stable")]
    return np.ascontiguousarray(runs[np.concatenate([first, longest])])


def _shell(moving: NDArray[np.bool_], pad: int) -> NDArray[np.int16]:
    """(k, 3): some cells at 1 and at 3 cells from V, the same at every call."""
    rng = np.random.default_rng(0)
    around = np.pad(moving, 3)
    found = []
    for steps, count in ((1, TOUCHES), (3, NEARBY)):
        grown = ndimage.binary_dilation(around, iterations=steps)
        inner = ndimage.binary_dilation(around, iterations=steps - 1) if steps > 1 else around
        cells = np.argwhere(grown & ~inner)
        found.append(cells[np.sort(rng.integers(len(cells), size=count))])
    return (np.concatenate(found) - (pad + 3)).astype(np.int16)


def symmetries(moving: NDArray[np.bool_], standing: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
    """The quarter turns that leave V and D as they are."""
    return [
        turn
        for turn in orientations("free")
        if all(
            turned.shape == cells.shape and np.array_equal(turned, cells)
            for cells in (moving, standing)
            for turned in [_turned(cells, turn)]
        )
    ]


def _turns(
    rotations: NDArray[np.float64], moving: NDArray[np.bool_], standing: NDArray[np.bool_]
) -> tuple[Turn, ...]:
    """The rotations after which V and D lie otherwise than after those before them."""
    symmetric = symmetries(moving, standing)
    seen: set[bytes] = set()
    turns = []
    for index, rotation in enumerate(rotations):
        if rotation.tobytes() in seen:
            continue
        seen |= {(np.einsum("ij,jk->ik", rotation, turn) + 0.0).tobytes() for turn in symmetric}
        axes = np.abs(rotation).argmax(axis=1)
        flips = rotation[range(3), axes] < 0
        turns.append(Turn(index, tuple(axes.tolist()), tuple(flips.astype(int).tolist())))
    return tuple(turns)


def _turned(cells: NDArray[np.bool_], rotation: NDArray[np.float64]) -> NDArray[np.bool_]:
    """A view of the block after a quarter turn."""
    axes = np.abs(rotation).argmax(axis=1)
    turned = np.transpose(cells, axes)
    backwards = np.flatnonzero(rotation[range(3), axes] < 0)
    return np.flip(turned, tuple(backwards.tolist()))

"""Lattice packings of one part, or of it and its half turn."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from geometry.packing.compiled.bitset_kernels import PLACES
from geometry.packing.request import orientations
from geometry.packing.voxels.grid import Grid, GridPlacement
from geometry.packing.voxels.voxelization import Solid

MAX_SHIFTS = 24  # along each axis, of a row against the next and of a layer against the next
LAYERS = 3  # of least area, from which lattices are built
STACKS = 8  # of least height, that are counted for each layer
HALF_TURNS = [turn for turn in orientations("free") if sorted(np.diag(turn)) == [-1, -1, 1]]

Table = NDArray[np.bool_]
Cells = NDArray[np.int64]


class Tables(NamedTuple):
    """Which steps, in cells, bring two copies of a model too near to each other.

    The middle of a table is the step (0, 0, 0); beyond a table all steps are far enough.

    same  : both as the model is
    turned : for each of HALF_TURNS, both turned so
    mixed : for each of HALF_TURNS, the copy at the step turned so, the other as the model is
    """

    same: Table
    turned: tuple[Table, ...]
    mixed: tuple[Table, ...]


class Basis(NamedTuple):
    """A lattice: the steps (row, 0, 0), (skew, side, 0) and (shift, slip, up), in cells."""

    row: int
    skew: int
    side: int
    shift: int
    slip: int
    up: int


def table_cells(solid: Solid) -> int:
    """How many steps the tables of a model hold."""
    return math.prod((2 * (solid.size + solid.pad) - 1).tolist())


def collision_tables(solid: Solid) -> Tables:
    """Correlations of V with D, for all steps at once; the counts are rounded to whole numbers."""
    moving, standing = blocks_of(solid)
    size = [m + s - 1 for m, s in zip(moving.shape, standing.shape, strict=True)]
    fast = [fft.next_fast_len(n, real=True) for n in size]
    spectrum = fft.rfftn(standing.astype(np.float32), fast)

    def meets(cells: Table) -> Table:
        counts = fft.irfftn(spectrum * fft.rfftn(np.flip(cells).astype(np.float32), fast), fast)
        return counts[: size[0], : size[1], : size[2]] > 0.5

    # Two copies are far enough apart if V of one of them, no matter which, meets no D.
    same = meets(moving)
    same &= np.flip(same)
    turned, mixed = [], []
    for turn in HALF_TURNS:
        flips = tuple(np.flatnonzero(np.diag(turn) < 0).tolist())
        turned.append(np.flip(same, flips))
        table = meets(np.flip(moving, flips))
        mixed.append(table & np.flip(np.flip(table, flips)))
    return Tables(same, tuple(turned), tuple(mixed))


def lattices(grid: Grid, model: int, tables: Tables) -> Iterator[list[GridPlacement]]:
    """For each way to lay the axes, and each motif, the places of the lattice that holds most."""
    shape = grid.shapes[model]
    turns = shape.solid.turns
    matrices = [_matrix(turn.axes, turn.flips) for turn in turns]
    laid = set()
    for first, turn in enumerate(turns):
        if turn.axes in laid:
            continue  # other signs give the mirror images of these lattices
        laid.add(turn.axes)
        free = shape.turns[first, PLACES : PLACES + 3]
        same = _laid(tables.same, turn.axes, turn.flips)
        corners = _fill(same, np.zeros(3, dtype=np.int64), free)
        yield [GridPlacement(model, first, *corner) for corner in corners.tolist()]
        for half, other, mixed in zip(HALF_TURNS, tables.turned, tables.mixed, strict=True):
            wanted = np.einsum("ij,jk->ik", matrices[first], half)
            second = next((i for i, m in enumerate(matrices) if (m == wanted).all()), None)
            if second is None:
                continue  # not allowed, or no other than one that is
            other, mixed = (_laid(table, turn.axes, turn.flips) for table in (other, mixed))
            step = nearest_step(mixed)
            corners = _fill(_pair_table(same, other, mixed, step), step, free)
            yield [GridPlacement(model, first, *corner) for corner in corners.tolist()] + [
                GridPlacement(model, second, *corner) for corner in (corners + step).tolist()
            ]


def blocks_of(solid: Solid) -> tuple[Table, Table]:
    """V and D as blocks of cells, from their runs along x."""
    blocks = []
    for runs, size in (
        (solid.moving[0], solid.size),
        (solid.standing[0], solid.size + 2 * solid.pad),
    ):
        edges = np.zeros((size[0] + 1, size[1], size[2]), dtype=np.int8)
        y, z, start, length = runs.T.astype(np.int64)
        edges[start, y, z] += 1
        edges[start + length, y, z] -= 1
        blocks.append(np.cumsum(edges, axis=0, dtype=np.int8)[:-1] > 0)
    return blocks[0], blocks[1]


def _matrix(axes: tuple[int, ...], flips: tuple[int, ...]) -> NDArray[np.float64]:
    matrix = np.zeros((3, 3))
    matrix[range(3), axes] = 1.0 - 2.0 * np.array(flips)
    return matrix


def _laid(table: Table, axes: tuple[int, ...], flips: tuple[int, ...]) -> Table:
    return np.flip(np.transpose(table, axes), tuple(np.flatnonzero(flips).tolist()))


def nearest_step(mixed: Table) -> Cells:
    """Where the turned copy stands if the box of both, with the distance, is to be least."""
    middle = np.array(mixed.shape) // 2
    steps = np.argwhere(~mixed) - middle
    boxes = np.prod(np.abs(steps) + middle + 1, axis=1)  # middle + 1: the cells and the distance
    return steps[boxes.argmin()]


def _pair_table(same: Table, turned: Table, mixed: Table, step: Cells) -> Table:
    """The table of a pair of which the second is the half turn, at `step` from the first."""
    middle = np.array(same.shape) // 2
    reach = middle + np.abs(step)
    pair = np.zeros(2 * reach + 1, dtype=bool)
    nowhere = np.zeros_like(step)
    for table, moved in (
        (same, nowhere),
        (turned, nowhere),
        (mixed, -step),  # the other pair's second against the first
        (np.flip(mixed), step),  # the other pair's first against the second
    ):
        start = reach - middle + moved
        x, y, z = (slice(a, a + n) for a, n in zip(start, table.shape, strict=True))
        pair[x, y, z] |= table
    return pair


def _fill(table: Table, step: Cells, free: Cells) -> Cells:
    """(n, 3): where a motif stands in the lattice that holds most of them.

    free : the places of one copy along each axis; the motif's second stands at `step` from it
    """
    room = free - np.abs(step)
    best = np.empty((0, 3), dtype=np.int64)
    if (room <= 0).any():
        return best
    for basis in _bases(table):
        corners = _corners(basis, room)
        if len(corners) > len(best):
            best = corners
    return best + np.maximum(0, -step)


def _bases(table: Table) -> Iterator[Basis]:
    """Lattices of which no step is in the table, row by row as dense as they can be."""
    mx, my, mz = np.array(table.shape) // 2
    line = table[mx:, my, mz]
    row = next(n for n in range(1, mx + 2) if not line[n::n].any())
    # Steps that differ by whole rows are one: the table is folded along x, then along y.
    folded = np.zeros((row, *table.shape[1:]), dtype=bool)
    for x in range(table.shape[0]):
        folded[(x - mx) % row] |= table[x]
    layers = []
    for skew in _shifts(row):
        for side in range(1, my + 2):
            times = np.arange(1, my // side + 1)
            if not folded[times * skew % row, my + times * side, mz].any():
                layers.append((side, skew))
                break
    for side, skew in sorted(layers)[:LAYERS]:
        cell = np.zeros((row, side, mz + 1), dtype=bool)
        for y in range(table.shape[1]):
            rows, rest = divmod(int(y - my), side)
            cell[:, rest] |= np.roll(folded[:, y, mz:], -rows * skew, axis=0)
        yield from _stacks(cell, row, skew, side)


def _stacks(cell: Table, row: int, skew: int, side: int) -> Iterator[Basis]:
    """The lowest ways to lay equal layers on each other; `cell` is the folded table from z = 0."""
    shift, slip = (a.reshape(-1) for a in np.meshgrid(_shifts(row), _shifts(side), indexing="ij"))
    up = np.zeros(len(shift), dtype=np.int64)
    top = cell.shape[2] - 1
    for height in range(1, top + 2):
        clear = up == 0
        for times in range(1, top // height + 1):
            rows, rest = np.divmod(times * slip, side)
            clear &= ~cell[(times * shift - rows * skew) % row, rest, times * height]
        up[clear] = height
        if up.all():
            break
    for i in np.argsort(up, kind="stable")[:STACKS].tolist():
        yield Basis(row, skew, side, int(shift[i]), int(slip[i]), int(up[i]))


def _shifts(length: int) -> Cells:
    """Some of 0 .. length - 1, spread evenly."""
    return np.unique(np.arange(MAX_SHIFTS) * length // MAX_SHIFTS)


def _corners(basis: Basis, room: Cells) -> Cells:
    """(n, 3): the points of a lattice within 0 <= x < room."""
    found = []
    for layer in range(-(-int(room[2]) // basis.up)):
        y = np.arange(layer * basis.slip % basis.side, room[1], basis.side)
        rows = (y - layer * basis.slip) // basis.side
        for start, at in zip((layer * basis.shift + rows * basis.skew) % basis.row, y, strict=True):
            x = np.arange(start, room[0], basis.row)
            found.append(np.stack([x, 0 * x + at, 0 * x + layer * basis.up], axis=1))
    return np.concatenate(found)

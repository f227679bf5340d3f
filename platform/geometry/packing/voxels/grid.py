"""Voxel grid of a build volume (bitset): find, place, remove."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.packing.budget import SearchBudget
from geometry.packing.compiled import bitset_kernels, placement_kernels
from geometry.packing.compiled.kernel_types import Scanned, Scratch, Worth
from geometry.packing.request import Volume
from geometry.packing.voxels.voxelization import Solid

BOXES = 12  # of cells that were given back and not looked at again, before they are joined

CONTACT_WORTH = 2.0  # mm of height that full contact is worth


class GridPlacement(NamedTuple):
    """A model's block of cells in the grid: which of its turns, and its least cell."""

    model: int
    turn: int
    x: int
    y: int
    z: int


class Known(NamedTuple):
    """What is known of free places, turn by turn: see `Scanned`."""

    cursors: NDArray[np.int64]
    dirty: NDArray[np.int32]
    counts: NDArray[np.int64]

    def cells(self) -> NDArray[np.int64]:
        """(t,) how many cells the dirty boxes hold."""
        sides = (self.dirty[..., 1::2] - self.dirty[..., 0::2]).astype(np.int64)
        used = np.arange(self.dirty.shape[1]) < self.counts[:, None]
        return (sides.prod(axis=2) * used).sum(axis=1)


class Shape(NamedTuple):
    """A solid as the loops need it, in one grid.

    solid           : what it is made of
    moving, standing : (n, 4) int16 runs, one axis after the other
    first, first_standing : (4,) int64, where each axis begins
    turns           : (t, TURN_COLUMNS) int64
    known           : of its turns
    """

    solid: Solid
    moving: NDArray[np.int16]
    standing: NDArray[np.int16]
    first: NDArray[np.int64]
    first_standing: NDArray[np.int64]
    turns: NDArray[np.int64]
    known: Known


class Grid:
    """Bits of a room, and what is known of the models that may stand in it.

    room   : mm; the models' positions are relative to its corner
    pitch  : mm, the edge of a cell
    layers : cells of height that can be used; the room may be higher
    meter  : counts the work
    """

    def __init__(
        self, room: Volume, pitch: float, solids: list[Solid], layers: int, meter: SearchBudget
    ):
        self.pitch = pitch
        self.layers = layers
        # A block may stand out of the last cell by up to half a cell, its model does not.
        x, y, z = (math.ceil(side / pitch - 1e-6) + 1 for side in room)
        self.cells = (x, y, min(z, layers + 1))
        levels = max(int(solid.size.max()) for solid in solids).bit_length()
        words = (x >> 6) + 2
        self.table = np.zeros((levels, self.cells[2], words, y), dtype=np.uint64)
        self._planes = np.zeros((self.cells[2], words, y, bitset_kernels.PLANES), dtype=np.uint64)
        turns = sum(len(solid.turns) for solid in solids)
        self.known = Known(
            np.zeros(turns, dtype=np.int64),
            np.zeros((turns, BOXES, 6), dtype=np.int32),
            np.zeros(turns, dtype=np.int64),
        )
        self.shapes: list[Shape] = []
        done = 0
        for solid in solids:
            end = done + len(solid.turns)
            known = Known(
                self.known.cursors[done:end],
                self.known.dirty[done:end],
                self.known.counts[done:end],
            )
            self.shapes.append(_shape(solid, room, pitch, known))
            done = end
        most = max(len(solid.turns) for solid in solids)
        self._blocked = np.zeros((words, y), dtype=np.uint64)
        self._asked = np.zeros_like(self._blocked)
        self._corners = np.zeros((most, placement_kernels.CORNERS, 2), dtype=np.int32)
        longest = max(len(runs) for solid in solids for runs in solid.moving)
        self._offsets = np.zeros((longest, 4), dtype=np.uint64)
        self._meter = meter

    def find(
        self,
        model: int,
        lid: int,
        *,
        contact: float = 1.0,
        noise: float = 0.0,
        corner: int = 0,
        chance: NDArray[np.uint64] | None = None,
    ) -> GridPlacement | None:
        """The lowest place of a model under a lid, in cells, None where there is none.

        contact : how much touching others counts, 1 for CONTACT_WORTH
        noise   : cells of score that chance adds, drawn from `chance`, (1,) uint64
        corner  : 0 .. 3, from which corner places of equal score are taken
        """
        shape = self.shapes[model]
        weight = round(contact * CONTACT_WORTH / self.pitch * placement_kernels.SCORE_UNITS)
        turn, x, y, z, work = placement_kernels.find(
            self.table,
            self.cells[0] - 1,
            self.cells[1] - 1,
            min(lid, self.layers),
            Scanned(
                shape.moving,
                shape.first,
                shape.turns,
                shape.solid.shell,
                *shape.known,
            ),
            Worth(
                weight,
                round(noise * placement_kernels.SCORE_UNITS),
                math.ceil(weight / placement_kernels.SCORE_UNITS + noise),
                bool(corner & 1),
                bool(corner & 2),
            ),
            Scratch(
                np.ones(1, dtype=np.uint64) if chance is None else chance,
                self._blocked,
                self._asked,
                self._corners,
                self._offsets,
            ),
        )
        self._meter.work += work
        return None if turn < 0 else GridPlacement(model, turn, x, y, z)

    def close(self, cells: NDArray[np.bool_]) -> None:
        """Keep cells of the lowest layer of an empty grid free for good; (x, y)."""
        x, y = cells.shape
        levels, _, words, _ = self.table.shape
        bits = np.zeros((levels, y, 64 * words), dtype=bool)
        bits[0, :, :x] = cells.T
        for level in range(1, levels):  # of each cell: whether one of 2^level from it on is
            half = 1 << (level - 1)
            bits[level] = bits[level - 1]
            bits[level, :, :-half] |= bits[level - 1, :, half:]
        packed = np.packbits(bits, axis=2, bitorder="little").view("<u8")  # (levels, y, words)
        self.table[:, 0] |= packed.transpose(0, 2, 1)
        self._planes[0, :, :, 0] |= packed[0].T

    def put(self, place: GridPlacement) -> None:
        """Keep the cells near a model free from now on."""
        self._cover(place, put=True)

    def take(self, place: GridPlacement) -> None:
        """Undo a `put`; what lies near may have become free."""
        self._cover(place, put=False)
        shape = self.shapes[place.model]
        pad = shape.solid.pad
        corner = np.array(place[2:]) - pad
        size = shape.turns[place.turn, bitset_kernels.CELLS : bitset_kernels.CELLS + 3] + 2 * pad
        low, high = np.maximum(corner, 0), corner + size
        box = np.stack([low, high], axis=1).reshape(-1).tolist()
        placement_kernels.spoil(self.known.dirty, self.known.counts, *box)

    def clear(self) -> None:
        """Take all out."""
        self.table[:] = 0
        self._planes[:] = 0
        self.known.cursors[:] = 0
        self.known.counts[:] = 0

    def remember(self) -> Known:
        """What is known of free places, as long as all stands as it does now."""
        cursors, dirty, counts = self.known
        return Known(cursors.copy(), dirty.copy(), counts.copy())

    def recall(self, then: Known) -> None:
        """All stands again as it did then; what is known now holds as well.

        Of each turn that is kept which leaves fewer cells to be looked at again.
        """
        less = then.cells() <= self.known.cells()
        self.known.cursors[less] = then.cursors[less]
        self.known.dirty[less] = then.dirty[less]
        self.known.counts[less] = then.counts[less]

    def _cover(self, place: GridPlacement, *, put: bool) -> None:
        shape = self.shapes[place.model]
        self._meter.work += bitset_kernels.cover(
            self.table,
            self._planes,
            shape.standing,
            shape.first_standing,
            shape.turns[place.turn],
            shape.solid.pad,
            place.x,
            place.y,
            place.z,
            *self.cells,
            put,
        )

    def top(self, place: GridPlacement) -> int:
        """The first layer above a placed model."""
        return top(self.shapes[place.model].solid, place)

    def corner(self, place: GridPlacement) -> NDArray[np.float64]:
        """(3,) mm: the least corner of a placed model's block."""
        return np.array(place[2:]) * self.pitch

    def middle(self, place: GridPlacement) -> NDArray[np.float64]:
        """(3,) mm: the middle of a placed model."""
        cells = self.shapes[place.model].turns[
            place.turn, bitset_kernels.CELLS : bitset_kernels.CELLS + 3
        ]
        return (np.array(place[2:]) + cells / 2) * self.pitch


def top(solid: Solid, place: GridPlacement) -> int:
    """The first layer above a placed model."""
    return place.z + int(solid.size[solid.turns[place.turn].axes[2]])


def _shape(
    solid: Solid,
    room: Volume,
    pitch: float,
    known: Known,
) -> Shape:
    turns = np.zeros((len(solid.turns), bitset_kernels.TURN_COLUMNS), dtype=np.int64)
    for row, turn in zip(turns, solid.turns, strict=True):
        axes = list(turn.axes)
        size = solid.size[axes]
        # Measured by the model, not by its cells: a volume need not be a whole number of them.
        slack = size * pitch - solid.extents[axes]
        places = np.floor((np.array(room) - solid.extents[axes] - slack / 2) / pitch + 1e-9) + 1
        row[bitset_kernels.AXIS] = axes[0]
        row[bitset_kernels.EXCHANGED] = axes[1] > axes[2]
        row[bitset_kernels.FLIPS : bitset_kernels.FLIPS + 3] = turn.flips
        row[bitset_kernels.CELLS : bitset_kernels.CELLS + 3] = size
        row[bitset_kernels.PLACES : bitset_kernels.PLACES + 3] = places
        row[bitset_kernels.AXES : bitset_kernels.AXES + 3] = axes
    return Shape(
        solid=solid,
        moving=np.concatenate(solid.moving),
        standing=np.concatenate(solid.standing),
        first=np.cumsum([0, *map(len, solid.moving)]),
        first_standing=np.cumsum([0, *map(len, solid.standing)]),
        turns=turns,
        known=known,
    )

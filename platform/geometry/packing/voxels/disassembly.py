"""Disassembly sequence: whether and in which order all parts can be removed."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from geometry.packing.compiled.disassembly_kernels import blocker, skin, stamp, walks_out
from geometry.packing.request import Direction
from geometry.packing.voxels.grid import Grid, GridPlacement

# The order in which directions are tried: up first.
DIRECTIONS: tuple[tuple[int, int, Direction], ...] = (
    (2, 1, (0, 0, 1)),
    (0, 1, (1, 0, 0)),
    (0, -1, (-1, 0, 0)),
    (1, -1, (0, -1, 0)),
    (1, 1, (0, 1, 0)),
    (2, -1, (0, 0, -1)),
)
STATES = 20_000  # places that a walk out may try


class Exits(NamedTuple):
    """How a packing comes apart.

    order  : (number of the place, direction) of what comes out, first to last; no direction
             where the piece has to be led around others
    locked : the numbers of those for which no way was found. A way narrower than a cell reads as
             closed, and pieces are moved one at a time and never turned: what comes out is
             proven, what is locked is not.
    """

    order: list[tuple[int, Direction | None]]
    locked: list[int]


def find_exits(
    grid: Grid,
    places: Sequence[GridPlacement],
    *,
    over: Callable[[], bool] | None = None,
) -> Exits:
    """Take pieces out, highest first, as long as one of them comes out.

    Straight, if any can; else one that can be led around the others, cell by cell.
    """
    return _Heap(grid, places, over).empty()


class _Heap:
    """Placed pieces, and who stands in the way of whom."""

    def __init__(
        self, grid: Grid, places: Sequence[GridPlacement], over: Callable[[], bool] | None
    ):
        self._grid, self._places, self._over = grid, places, over
        x, y, z = grid.cells
        self._owners = np.zeros((z, y, x), dtype=np.int16)
        for number, place in enumerate(places):
            self._write(place, number + 1)
        self._in_the_way: dict[tuple[int, int], int] = {}

    def empty(self) -> Exits:
        tops = [self._grid.top(place) for place in self._places]
        left = sorted(range(len(self._places)), key=lambda number: (-tops[number], number))
        order: list[tuple[int, Direction | None]] = []
        gone: set[int] = set()
        moving = True
        while left and moving and not (self._over and self._over()):
            moving = False
            for number in left:
                direction = self._straight(number, gone)
                if direction is not None:
                    self._remove(number, gone)
                    order.append((number, direction))
                    moving = True
            left = [number for number in left if number not in gone]
            if not moving:
                for number in left:
                    if self._over and self._over():
                        break
                    if self._walks_out(number):
                        self._remove(number, gone)
                        order.append((number, None))
                        moving = True
                        break
                left = [number for number in left if number not in gone]
        return Exits(order, sorted(left))

    def _straight(self, number: int, gone: set[int]) -> Direction | None:
        place = self._places[number]
        shape = self._grid.shapes[place.model]
        for index, (way, step, direction) in enumerate(DIRECTIONS):
            known = self._in_the_way.get((number, index))
            if known is not None and known not in gone:
                continue
            met = blocker(
                self._owners,
                shape.moving,
                shape.first,
                shape.turns[place.turn],
                *place[2:],
                number + 1,
                way,
                step,
            )
            if not met:
                return direction
            self._in_the_way[number, index] = met - 1
        return None

    def _walks_out(self, number: int) -> bool:
        place = self._places[number]
        shape = self._grid.shapes[place.model]
        turn = shape.turns[place.turn]
        cells = np.unique(skin(shape.moving, shape.first, turn), axis=0)
        # Shuffled, so that what is in the way is met soon.
        cells = cells[np.random.default_rng(0).permutation(len(cells))]
        size = np.array(shape.solid.size[list(shape.solid.turns[place.turn].axes)])
        return walks_out(self._owners, cells, size, *place[2:], number + 1, STATES)

    def _remove(self, number: int, gone: set[int]) -> None:
        gone.add(number)
        self._write(self._places[number], 0)

    def _write(self, place: GridPlacement, owner: int) -> None:
        shape = self._grid.shapes[place.model]
        turn = shape.turns[place.turn]
        stamp(self._owners, shape.moving, shape.first, turn, *place[2:], owner)

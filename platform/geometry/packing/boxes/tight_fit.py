"""A depth-first search for few boxes that fill their room almost wholly.

Greedy packing turns each box so that it ends low, and finds no place for three boxes of 40 x 30 mm
on 91 x 41 mm, which must all be turned alike. Here each box is tried in each of its orientations at
the lowest corner of each maximal free space: every packing that can be built up from the corner of
the room, box by box, is among these. The number of positions is bounded, not the time, so results
are the same on every machine.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.packing.boxes.maximal_spaces import Spaces

MAX_BOXES = 64
MAX_POSITIONS = 4_000  # some seconds at most


class PlacedBox(NamedTuple):
    """Box `number` of those that were to be placed, in its orientation `which`."""

    number: int
    which: int
    corner: NDArray[np.int64]


def place_all(
    steps: Sequence[NDArray[np.int64]], size: NDArray[np.int64]
) -> list[PlacedBox] | None:
    """Places of all boxes; None where the search ends without.

    Parameters
    ----------
    steps : of each box (k, 3) units, its sides in each orientation, with the gap behind it
    size  : (3,) units, of the room and one gap
    """
    volumes = [int(np.prod(each[0].astype(object))) if len(each) else 0 for each in steps]
    if not all(volumes):
        return None
    if sum(volumes) > int(np.prod(size.astype(object))):
        return None
    kinds: dict[bytes, list[int]] = {}
    for number in sorted(range(len(steps)), key=lambda i: (-volumes[i], i)):
        kinds.setdefault(steps[number].tobytes(), []).append(number)
    sides = [steps[numbers[0]] for numbers in kinds.values()]
    counts = tuple(len(numbers) for numbers in kinds.values())
    left = [list(numbers) for numbers in kinds.values()]
    # Of equal boxes a plain grid, all turned alike, is tried first.
    ways = list(range(len(sides[0]))) if len(sides) == 1 and len(sides[0]) > 1 else []
    for way in [*ways, None]:
        chosen = sides if way is None else [sides[0][way : way + 1]]
        found = _TightSearch(chosen).place(Spaces(size), counts)
        if found is not None:
            return [
                PlacedBox(left[kind].pop(0), way or which, corner) for kind, which, corner in found
            ]
    return None


class _TightSearch:
    """kinds : of boxes with equal sides, (k, 3) units, largest first."""

    def __init__(self, kinds: Sequence[NDArray[np.int64]]):
        self._kinds = kinds
        self._thinnest = [int(kind.min()) for kind in kinds]
        self._positions = 0

    def place(
        self, spaces: Spaces, counts: tuple[int, ...]
    ) -> list[tuple[int, int, NDArray[np.int64]]] | None:
        """Kind, orientation and corner of each box, in turn; `counts` boxes of each kind."""
        if not any(counts):
            return []
        wanted = [kind for kind, count in enumerate(counts) if count]
        places = {kind: list(self._places(spaces, kind)) for kind in wanted}
        if not all(places.values()):
            return None  # a box that fits nowhere now never will
        for kind in wanted:
            fewer = tuple(count - (at == kind) for at, count in enumerate(counts))
            thinnest = min([self._thinnest[at] for at, count in enumerate(fewer) if count] or [1])
            for which, corner in places[kind]:
                self._positions += 1
                if self._positions > MAX_POSITIONS:
                    return None
                left = spaces.without(corner, self._kinds[kind][which], thinnest)
                rest = self.place(left, fewer)
                if rest is not None:
                    return [(kind, which, corner), *rest]
        return None

    def _places(self, spaces: Spaces, kind: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Orientations and corners, the lowest corner first; there, as in the space before."""
        low, high = spaces.boxes
        steps = self._kinds[kind]
        fits = np.all(low[:, None] + steps <= high[:, None], axis=2)  # (spaces, k)
        seen: set[tuple[int, bytes]] = set()
        for space in np.lexsort((low[:, 0], low[:, 1], low[:, 2])).tolist():
            for which in np.flatnonzero(fits[space]).tolist():
                key = which, low[space].tobytes()
                if key not in seen:
                    seen.add(key)
                    yield which, low[space].copy()

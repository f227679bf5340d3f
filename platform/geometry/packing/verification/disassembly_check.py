"""Verifies a disassembly sequence on the triangles."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.packing.compiled.mesh_distance import tree_boxes
from geometry.packing.compiled.swept_collision import is_in_the_way
from geometry.packing.request import Direction
from geometry.packing.verification.clearance import Load, Triangles
from geometry.packing.verification.tree_order import tree_order

SLACK = 1e-3  # mm; what the rounding of files may let pieces graze each other by
KEPT = 2_000_000  # triangles of pieces in use


class Blocked(NamedTuple):
    """A piece that cannot leave, and one that is in its way."""

    piece: int
    other: int


def replay(
    models: Sequence[Triangles],
    model_of: Sequence[int],
    load: Load,
    bounds: NDArray[np.float64],
    directions: Sequence[Direction | None],
) -> Iterator[Blocked]:
    """Let pieces leave in their order, each along its direction; who would run into another.

    Those without a direction have to be led around others, and are taken away unseen.

    Parameters
    ----------
    models, model_of, load, bounds : as in `nearest.find_nearest`
    """
    bodies = _Bodies(models, model_of, load)
    for i, direction in enumerate(directions):
        if direction is None:
            continue
        axis = int(np.abs(direction).argmax())
        sign = float(direction[axis])
        for j in _ahead(bounds, i, axis, sign):
            if is_in_the_way(*bodies[i], *bodies[j], axis, sign, SLACK):
                yield Blocked(i, j)
                break


def _ahead(bounds: NDArray[np.float64], i: int, axis: int, sign: float) -> list[int]:
    """Those that leave later and whose boxes the way meets."""
    later = bounds[i + 1 :]
    meets = np.ones(len(later), dtype=bool)
    for across in ((axis + 1) % 3, (axis + 2) % 3):
        meets &= later[:, 0, across] < bounds[i, 1, across]
        meets &= later[:, 1, across] > bounds[i, 0, across]
    if sign > 0:
        meets &= later[:, 1, axis] > bounds[i, 0, axis] + SLACK
    else:
        meets &= later[:, 0, axis] < bounds[i, 1, axis] - SLACK
    return (np.flatnonzero(meets) + i + 1).tolist()


class _Bodies:
    """The triangles of pieces in the order of their trees, and the trees' boxes."""

    def __init__(self, models: Sequence[Triangles], model_of: Sequence[int], load: Load):
        self._models, self._model_of, self._load = models, model_of, load
        self._orders: dict[int, NDArray[np.int64]] = {}
        self._held: OrderedDict[int, tuple[Triangles, NDArray[np.float32]]] = OrderedDict()
        self._count = 0

    def __getitem__(self, i: int) -> tuple[Triangles, NDArray[np.float32]]:
        if i in self._held:
            self._held.move_to_end(i)
            return self._held[i]
        model = self._model_of[i]
        if model not in self._orders:
            self._orders[model] = tree_order(self._models[model])
        order = self._orders[model]
        triangles = np.take(self._load(i), order.reshape(-1), axis=0)
        self._held[i] = triangles, tree_boxes(triangles, len(order))
        self._count += len(triangles)
        while self._count > KEPT and len(self._held) > 2:
            _, (old, _) = self._held.popitem(last=False)
            self._count -= len(old)
        return self._held[i]

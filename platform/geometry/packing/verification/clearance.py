"""Minimum clearance between placed parts; containment."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh import winding_number
from geometry.mesh.half_edges import find_shells
from geometry.packing.compiled.mesh_distance import least_distance, tree_boxes
from geometry.packing.verification.tree_order import tree_order

ARITHMETIC = 1e-9  # mm; what float64 loses
REACH = 1.0  # mm; how near boxes are at which pieces are measured, or twice the distance
WIDER = 8  # times, where no two are as near as that
INSIDE = 0.5  # of a winding number

Triangles = NDArray[np.float32]
Load = Callable[[int], Triangles]
Pair = tuple[int, int]


class Nearest(NamedTuple):
    """What a sweep over all pieces found.

    smallest : mm, the least distance of any two, None where there are not two
    pair     : those two
    measured : pairs whose triangles were measured
    too_near : (pair, mm) of all that are nearer than they may be
    within   : (inner, outer) of pieces of which one has a part within the other
    """

    smallest: float | None
    pair: Pair | None
    measured: int
    too_near: tuple[tuple[Pair, float], ...]
    within: tuple[Pair, ...]


class _Body(NamedTuple):
    """A piece that others may be near to.

    triangles : (n, 3, 3), in the order of their tree
    boxes     : of the tree's nodes; the root is 1
    """

    number: int
    triangles: Triangles
    boxes: NDArray[np.float32]


def find_nearest(
    models: Sequence[Triangles],
    model_of: Sequence[int],
    load: Load,
    bounds: NDArray[np.float64],
    distance: float,
) -> Nearest:
    """Measure all pairs that could be the nearest, or nearer than `distance`.

    Parameters
    ----------
    models : the meshes, (n, 3, 3); from them come the trees' orders and the shells
    model_of : the model of each piece
    load : gives the triangles of a piece where it stands, in the order of its model
    bounds : (pieces, 2, 3), mm
        Of what `load` gives.

    Returns
    -------
    Nearest. Where `distance` is 0, pieces may touch if a plane along the axes parts them.
    """
    if len(bounds) < 2:
        return Nearest(None, None, 0, (), ())
    reach = max(2 * distance, REACH)
    orders = _Orders(models)
    while True:
        sweep = _Sweep(distance, reach)
        for near, body in _sweep(model_of, load, bounds, orders, reach):
            for other in near:
                sweep.measure(other, body)
        if sweep.pair is not None:
            break
        reach *= WIDER
    within = tuple(_within(models, model_of, load, bounds))
    return Nearest(
        sweep.smallest, sweep.pair, sweep.measured, tuple(sorted(sweep.too_near)), within
    )


class _Orders:
    """The tree's order of each model, made when it is first met."""

    def __init__(self, models: Sequence[Triangles]):
        self._models = models
        self._known: dict[int, NDArray[np.int64]] = {}

    def __getitem__(self, model: int) -> NDArray[np.int64]:
        if model not in self._known:
            self._known[model] = tree_order(self._models[model])
        return self._known[model]


def _sweep(
    model_of: Sequence[int],
    load: Load,
    bounds: NDArray[np.float64],
    orders: _Orders,
    reach: float,
) -> Iterator[tuple[list[_Body], _Body]]:
    """Each piece with those before it along the longest axis whose boxes are within `reach`."""
    axis = int(np.ptp(bounds.mean(axis=1), axis=0).argmax())
    active: dict[int, _Body] = {}
    for i in np.argsort(bounds[:, 0, axis], kind="stable").tolist():
        start = bounds[i, 0, axis] - reach
        active = {j: body for j, body in active.items() if bounds[j, 1, axis] >= start}
        order = orders[model_of[i]]
        triangles = np.take(load(i), order.reshape(-1), axis=0)
        body = _Body(i, triangles, tree_boxes(triangles, len(order)))
        others = np.array(list(active), dtype=np.int64)
        gaps = np.maximum(bounds[others, 0] - bounds[i, 1], bounds[i, 0] - bounds[others, 1])
        apart = (np.maximum(gaps, 0.0) ** 2).sum(axis=1)
        near = [others[k] for k in np.argsort(apart, kind="stable") if apart[k] < reach**2]
        yield [active[int(j)] for j in near], body
        active[i] = body


class _Sweep:
    """What is known after some of the pairs."""

    def __init__(self, distance: float, reach: float):
        self._distance = distance
        self.smallest = reach
        self.pair: Pair | None = None
        self.measured = 0
        self.too_near: list[tuple[Pair, float]] = []

    def measure(self, first: _Body, second: _Body) -> None:
        # All that are too near are wanted; of the others, only what is nearer than any before.
        bound = max(self._distance, self.smallest)
        apart, _ = least_distance(
            first.triangles, first.boxes, second.triangles, second.boxes, bound
        )
        self.measured += 1
        if apart >= bound:
            return
        pair = (min(first.number, second.number), max(first.number, second.number))
        if apart < self.smallest:
            self.smallest, self.pair = apart, pair
        meets = apart <= ARITHMETIC and not _parted(first, second)
        if apart < self._distance - ARITHMETIC or meets:
            self.too_near.append((pair, apart))


def _parted(first: _Body, second: _Body) -> bool:
    """Whether a plane along the axes parts two pieces, which may touch it."""
    a, b = first.boxes[1], second.boxes[1]
    return bool((a[3:] <= b[:3]).any() or (b[3:] <= a[:3]).any())


def _within(
    models: Sequence[Triangles], model_of: Sequence[int], load: Load, bounds: NDArray[np.float64]
) -> Iterator[Pair]:
    """Pieces of which a shell lies within another piece, of those whose surfaces do not meet.

    Then all of the shell is within, or none of it: one corner tells, by its winding number. A
    shell can only be within if its box is within the other's box.
    """
    shells: dict[int, NDArray[np.int32]] = {}
    for inner in range(len(bounds)):
        overlaps = (bounds[:, 0] < bounds[inner, 1]).all(axis=1)
        overlaps &= (bounds[:, 1] > bounds[inner, 0]).all(axis=1)
        outers = [j for j in np.flatnonzero(overlaps).tolist() if j != inner]
        if not outers:
            continue
        model = model_of[inner]
        if model not in shells:
            shells[model] = find_shells(models[model]).of
        corners, low, high = _shell_boxes(load(inner), shells[model])
        for outer in outers:
            inside = (low > bounds[outer, 0]).all(axis=1) & (high < bounds[outer, 1]).all(axis=1)
            if not inside.any():
                continue
            around = load(outer)
            if any(abs(winding_number(p, around)) > INSIDE for p in corners[inside]):
                yield inner, outer


def _shell_boxes(
    triangles: Triangles, of: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """A corner of each shell, and the low and high corner of its box; each (shells, 3)."""
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(of.max() + 1))
    rows = triangles[order].astype(np.float64)
    low = np.minimum.reduceat(rows.min(axis=1), starts)
    high = np.maximum.reduceat(rows.max(axis=1), starts)
    return rows[starts, 0], low, high

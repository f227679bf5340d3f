"""Plate search: ruin and recreate until every part is placed."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from geometry.packing.budget import SearchBudget
from geometry.packing.voxels.layout import Layout, Rule

MAX_REMOVED = 9  # parts that a round takes off
TEMPERATURE = 0.02  # of the mean size
SPREAD = 0.5  # of the logarithm of an item's turn
STUBBORN = 0.3  # how much earlier an item's turn comes for each time that it found no place
NOISE = 4.0  # cells of score, added by chance
PLAIN = 0.3  # of the rounds, which try quarter turns alone
LAID = 30_000  # units of work that an item costs beside the loops: what its round takes; measured


def fill_plate(
    layout: Layout,
    shapes: Sequence[Sequence[int]],
    areas: NDArray[np.float64],
    fewest: int,
    *,
    seed: int,
    meter: SearchBudget,
) -> Iterator[list[int]]:
    """Yields those that do not stand, each time that they are fewer than ever; at last none.

    Ruin and recreate, as in `ruin`. Its energy is the sum of the roots of the areas that are left,
    so that two small parts are worse than one large one: it is their number that counts.

    Parameters
    ----------
    layout : empty; of a grid of one layer
    shapes : of each item, its models in the grid, that of quarter turns first
    areas  : of each item
    fewest : a plate on which so many are left is known
    """
    rng = np.random.default_rng(seed)
    sizes = np.sqrt(areas)
    failures = np.zeros(len(areas))
    left = []
    for item in np.argsort(-areas, kind="stable").tolist():
        if meter.over():
            return
        if not _insert(layout, shapes[item], item, Rule(noise=NOISE), meter):
            left.append(item)
    energy, temperature = float(sizes[left].sum()), TEMPERATURE * float(sizes.mean())
    while True:
        if len(left) < fewest:
            fewest = len(left)
            yield left
        if not left or meter.over():
            return
        before = dict(layout.places)
        taken = _near_a_point(layout, rng)
        for item in taken:
            layout.take(item)
        todo = np.array(left + taken)
        turns = areas[todo] * (1 + STUBBORN * failures[todo])
        turns *= np.exp(rng.normal(0.0, SPREAD, size=len(todo)))
        most = 1 if rng.random() < PLAIN else None
        rule = Rule(corner=int(rng.integers(4)), noise=NOISE)
        bearable = energy - temperature * math.log(1.0 - rng.random())

        missing, still_left = 0.0, []
        for item in todo[np.argsort(-turns, kind="stable")].tolist():
            if not _insert(layout, shapes[item][:most], item, rule, meter):
                failures[item] += 1
                still_left.append(item)
                missing += float(sizes[item])
                if missing > bearable:
                    break
        if missing > bearable:
            layout.go_back(before, todo.tolist())
        else:
            left, energy = still_left, missing


def _insert(
    layout: Layout, shapes: Sequence[int], item: int, rule: Rule, meter: SearchBudget
) -> bool:
    meter.work += LAID
    return any(layout.insert(item, 1, rule, model=shape) for shape in shapes)


def _near_a_point(layout: Layout, rng: np.random.Generator) -> list[int]:
    """The items nearest to a random point of the plate."""
    x, y, _ = layout.grid.cells
    count = int(rng.integers(1, MAX_REMOVED + 1))
    point = rng.random(2) * (x, y) * layout.grid.pitch
    apart = ((layout.middles[:, :2] - point) ** 2).sum(axis=1)
    return np.argsort(apart, kind="stable")[: min(count, len(layout.places))].tolist()

"""Ruin and recreate (Schrimpf et al., 2000) under a falling height limit."""

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from geometry.packing.budget import SearchBudget
from geometry.packing.request import Volume
from geometry.packing.voxels.disassembly import Exits
from geometry.packing.voxels.layout import Layout, Rule

MAX_REMOVED = 16  # pieces that a round takes out
SHARE = 6  # and at most one in so many of those that stand
TEMPERATURE = 0.02  # of the mean box
SPREAD = 0.5  # of the logarithm of an item's turn
STUBBORN = 0.3  # how much earlier an item's turn comes for each time that it found no place
CALMED = 0.5  # what remains of that when the lid falls


def improve(
    layout: Layout,
    left: list[int],
    lid: int,
    *,
    fewest: int,
    boxes: NDArray[np.float64],
    room: Volume,
    seed: int,
    meter: SearchBudget,
    gate: Callable[[Layout], Exits],
) -> Iterator[Exits]:
    """Yields the way out each time that the layout is better; then the lid falls.

    After Schrimpf et al., "Record breaking optimization results using the ruin and recreate
    principle" (2000). What is too high, or cannot be taken out, counts as not placed.

    Parameters
    ----------
    left   : items that do not stand
    lid    : cells
    fewest : a layout with fewer left is better too
    boxes  : (items,) mm^3 of their bounding boxes: the energy of those that do not stand
    gate   : whether a layout comes apart
    """
    rng = np.random.default_rng(seed)
    temperature = TEMPERATURE * float(boxes.mean())
    failures = np.zeros(len(boxes))
    while not meter.over():
        if not left or len(left) < fewest:
            exits = gate(layout)
            locked = layout.remove(exits.locked)
            failures[locked] += 1
            left = left + locked
            if not locked:
                fewest = len(left)
                yield exits
                failures *= CALMED
                if not left:
                    lid = layout.height() - 1
                    left = layout.cut(lid)
                continue

        before = dict(layout.places)
        taken = _ruin(layout, rng, room, lid)
        known = layout.grid.remember()
        for item in taken:
            layout.take(item)
        todo = np.array(left + taken)
        turns = boxes[todo] * (1 + STUBBORN * failures[todo])
        turns *= np.exp(rng.normal(0.0, SPREAD, size=len(todo)))
        rule = Rule(
            corner=int(rng.integers(4)),
            noise=float(rng.integers(2)),
            paired=bool(rng.integers(2)),
        )
        bearable = float(boxes[left].sum()) - temperature * math.log(1.0 - rng.random())

        still_left: list[int] = []
        order = todo[np.argsort(-turns, kind="stable")].tolist()
        if _insert(layout, order, lid, rule, still_left, boxes, failures, bearable):
            left = still_left
        else:
            layout.go_back(before, todo.tolist())
            layout.grid.recall(known)


def _insert(
    layout: Layout,
    order: list[int],
    lid: int,
    rule: Rule,
    left: list[int],
    boxes: NDArray[np.float64],
    failures: NDArray[np.float64],
    bearable: float,
) -> bool:
    """Insert items in order, and add what finds no place to `left`.

    Returns False, with the rest not tried, once the energy of what is left is above `bearable`.
    """
    energy = 0.0
    for item in order:
        if item not in layout.places and not layout.insert(item, lid, rule, left):
            failures[item] += 1
            left.append(item)
            energy += float(boxes[item])
            if energy > bearable:
                return False
    return energy <= bearable


def _ruin(layout: Layout, rng: np.random.Generator, room: Volume, lid: int) -> list[int]:
    """The items nearest to a random point; half of the time their heights count less."""
    standing = len(layout.places)
    count = int(rng.integers(2, max(2, min(MAX_REMOVED, standing // SHARE)) + 1))
    point = rng.random(3) * (room.x, room.y, lid * layout.grid.pitch)
    flat = 0.3 if rng.integers(2) else 1.0
    apart = (((layout.middles - point) * (1.0, 1.0, flat)) ** 2).sum(axis=1)
    return np.argsort(apart, kind="stable")[: min(count, standing)].tolist()

"""Local search over the insertion order under a falling height limit."""

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from geometry.packing.voxels.disassembly import Exits
from geometry.packing.voxels.layout import Layout, Rule

MOVED = 0.1  # of the items, at most, that stand elsewhere in the next order
TEMPERATURE = 0.05  # of the mean box


def reorder(
    layout: Layout,
    order: list[int],
    energy: float,
    lid: int,
    *,
    boxes: NDArray[np.float64],
    seed: int,
    over: Callable[[], bool],
    gate: Callable[[Layout], Exits],
) -> Iterator[Exits]:
    """Yields the way out each time that all stand under the lid, which then falls.

    Parameters
    ----------
    order  : all items
    energy : mm^3 of the boxes that this order leaves out under the lid
    lid    : cells
    boxes  : (items,) mm^3
    over   : whether to end
    gate   : whether a layout comes apart
    """
    rng = np.random.default_rng(seed)
    temperature = TEMPERATURE * float(boxes.mean())
    while not over():
        candidate = _moved(order, rng)
        rule = Rule(corner=int(rng.integers(4)))
        layout.clear()
        bearable = energy - temperature * math.log(1.0 - rng.random())
        left = layout.build(candidate, lid, rule, sizes=boxes, bearable=bearable, over=over)
        if left is None:
            continue
        order, energy = candidate, float(boxes[left].sum())
        if not left:
            exits = gate(layout)
            if exits.locked:
                energy = float(boxes.min())
                continue
            yield exits
            lid = layout.height() - 1
            energy = float(boxes[layout.above(lid)].sum())


def _moved(order: list[int], rng: np.random.Generator) -> list[int]:
    """Some items come elsewhere."""
    moved = list(order)
    for _ in range(int(rng.integers(1, max(1, int(MOVED * len(order))) + 1))):
        item = moved.pop(int(rng.integers(len(moved))))
        moved.insert(int(rng.integers(len(moved) + 1)), item)
    return moved

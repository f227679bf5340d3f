"""The maximal free boxes of a volume in which boxes stand, in whole units."""

import numpy as np
from numpy.typing import NDArray


class Spaces:
    """The free boxes that no other free box contains, in whole units."""

    def __init__(self, size: NDArray[np.int64]):
        self._low = np.zeros((1, 3), dtype=np.int64)
        self._high = size[None].copy()

    @property
    def boxes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(n, 3) each: their lowest and highest corners."""
        return self._low, self._high

    def without(
        self, corner: NDArray[np.int64], step: NDArray[np.int64], thinnest: int
    ) -> "Spaces":
        """What is left free by one more box, as `take` has it."""
        left = Spaces.__new__(Spaces)
        left._low, left._high = self._low, self._high
        left.take(corner, step, thinnest)
        return left

    def lowest(
        self, steps: NDArray[np.int64], upwards: int, *, by_end: bool
    ) -> tuple[int, NDArray[np.int64]] | None:
        """The orientation and corner of a box at its lowest place, None where it fits nowhere."""
        if not len(self._low) or not len(steps):
            return None
        fits = (self._low[:, None] + steps <= self._high[:, None]).all(axis=2)  # (spaces, k)
        space, which = np.nonzero(fits)
        if not len(space):
            return None
        heights = self._low[space, upwards] + by_end * steps[which, upwards]
        level = np.flatnonzero(heights == heights.min())
        corner = self._low[space[level]]
        away = corner[:, 0] + corner[:, 1]
        best = level[np.lexsort((which[level], corner[:, 1], away))[0]]
        return int(which[best]), self._low[space[best]].copy()

    def take(self, corner: NDArray[np.int64], step: NDArray[np.int64], thinnest: int) -> None:
        """Cut a box out; what is thinner than `thinnest` is of no more use."""
        end = corner + step
        hit = ((self._low < end) & (self._high > corner)).all(axis=1)
        low, high = self._low[hit], self._high[hit]
        lows, highs = [], []
        for axis in range(3):
            before, behind = high.copy(), low.copy()
            before[:, axis], behind[:, axis] = corner[axis], end[axis]
            lows += [low, behind]
            highs += [before, high]
        new_low, new_high = np.concatenate(lows), np.concatenate(highs)
        wide = ((new_high - new_low) >= max(thinnest, 1)).all(axis=1)
        both = np.unique(np.concatenate([new_low[wide], new_high[wide]], axis=1), axis=0)
        new_low, new_high = both[:, :3], both[:, 3:]
        keep_low, keep_high = self._low[~hit], self._high[~hit]
        useful = ~(_within(new_low, new_high, keep_low, keep_high) > 0)
        new_low, new_high = new_low[useful], new_high[useful]
        useful = _within(new_low, new_high, new_low, new_high) == 1  # itself
        self._low = np.concatenate([keep_low, new_low[useful]])
        self._high = np.concatenate([keep_high, new_high[useful]])


def _within(low: NDArray, high: NDArray, outer_low: NDArray, outer_high: NDArray) -> NDArray:
    """(n,) how many of the outer boxes contain each box."""
    inside = np.ones((len(low), len(outer_low)), dtype=bool)
    for axis in range(3):
        inside &= low[:, None, axis] >= outer_low[None, :, axis]
        inside &= high[:, None, axis] <= outer_high[None, :, axis]
    return inside.sum(axis=1)

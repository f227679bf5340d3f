"""The geometry of arcs: G2 and G3 in the plane of x and y."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FULL = 2.0 * np.pi
TOLERANCE = 0.02  # mm, between an arc and the lines that stand for it
MOST_LINES = 200  # that stand for one arc


class Arcs(NamedTuple):
    """Some of a block's rows.

    rows    : (n,), which they are
    centres : (2, n), mm
    radii   : (n,), mm
    begins  : (n,) rad, the direction from the centre to the start
    turns   : (n,) rad, how far round, positive against the clock
    """

    rows: NDArray[np.int64]
    centres: NDArray[np.float64]
    radii: NDArray[np.float64]
    begins: NDArray[np.float64]
    turns: NDArray[np.float64]

    def lengths(self) -> NDArray[np.float64]:
        """(n,) mm, in the plane."""
        return self.radii * np.abs(self.turns)

    def extremes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(2, n) mm each: the lowest and the highest x and y between start and end.

        Where an arc does not come by its circle's own extreme, its start stands there.
        """
        start = self.points(np.arange(len(self.rows)), np.zeros(len(self.rows)))
        lowest, highest = start.copy(), start.copy()
        sign = np.where(self.turns < 0.0, -1.0, 1.0)
        for quarter in range(4):
            way = (sign * (quarter * FULL / 4.0 - self.begins)) % FULL
            passed = way <= np.abs(self.turns)
            axis, bound = quarter % 2, (highest, lowest)[quarter // 2]
            outwards = self.radii if quarter < 2 else -self.radii
            bound[axis] = np.where(passed, self.centres[axis] + outwards, bound[axis])
        return lowest, highest

    def line_counts(self) -> NDArray[np.int64]:
        """(n,): how many straight lines stand for each arc, none of them TOLERANCE off."""
        step = 2.0 * np.arccos(np.clip(1.0 - TOLERANCE / np.maximum(self.radii, 1e-9), -1.0, 1.0))
        lines = np.ceil(np.abs(self.turns) / np.maximum(step, 1e-6))
        return np.clip(lines, 1, MOST_LINES).astype(np.int64)

    def points(self, chosen: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2, k) mm: where each chosen arc is after this share of its way, 0 to 1."""
        angle = self.begins[chosen] + self.turns[chosen] * share
        around = np.stack([np.cos(angle), np.sin(angle)])
        return self.centres[:, chosen] + self.radii[chosen] * around


def find_arcs(
    rows: NDArray[np.int64],
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
    words: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    clockwise: NDArray[np.bool_],
) -> Arcs:
    """Arcs from their words, read as Marlin reads them.

    starts, ends : (2, n) mm
    words        : (n,) mm each, I, J and R, NaN where there is none. I and J lead from the start
                   to the centre; R is a radius, negative where the arc is the long way round
    """
    i, j, r = words
    chords = ends - starts
    chord = np.hypot(*chords)
    has_radius = ~np.isnan(r)
    given = np.maximum(np.abs(np.nan_to_num(r)), chord / 2.0)
    rise = np.sqrt(np.maximum(given**2 - chord**2 / 4.0, 0.0))
    rise = np.where(clockwise == (np.nan_to_num(r) < 0.0), rise, -rise) / np.maximum(chord, 1e-12)
    left = np.stack([-chords[1], chords[0]])
    to_centre = np.where(
        has_radius, chords / 2.0 + rise * left, np.stack([np.nan_to_num(i), np.nan_to_num(j)])
    )
    begins = np.arctan2(-to_centre[1], -to_centre[0])
    finish = np.arctan2(chords[1] - to_centre[1], chords[0] - to_centre[0])
    turns = np.where(clockwise, begins - finish, finish - begins) % FULL
    turns = np.where(turns < 1e-9, FULL, turns)  # an arc to its own start is a circle
    turns = np.where(has_radius & (chord == 0.0), 0.0, turns)  # which has no place without I, J
    radii = np.hypot(*to_centre)
    return Arcs(rows, starts + to_centre, radii, begins, np.where(clockwise, -turns, turns))

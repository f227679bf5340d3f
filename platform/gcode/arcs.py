"""Arc geometry: G2 and G3 in the XY plane."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FULL = 2.0 * np.pi
TOLERANCE = 0.02  # mm, between an arc and the lines that stand for it
MAX_LINES = 200  # that stand for one arc
MAX_TURNS = 100.0  # of one arc, as Marlin has it
# The axes of a plane, by its G: the first leads to the second against the clock.
PLANES = {17.0: (0, 1), 18.0: (2, 0), 19.0: (1, 2)}


class Arcs(NamedTuple):
    """Some of a block's rows.

    rows    : (n,), which they are
    axes    : (2, n), of their planes
    centres : (2, n), mm, along these axes
    radii   : (n,), mm
    begins  : (n,) rad, the direction from the centre to the start
    turns   : (n,) rad, how far round, positive against the clock
    """

    rows: NDArray[np.int64]
    axes: NDArray[np.int64]
    centres: NDArray[np.float64]
    radii: NDArray[np.float64]
    begins: NDArray[np.float64]
    turns: NDArray[np.float64]

    def normals(self) -> NDArray[np.int64]:
        """(n,), the axes across their planes."""
        return 3 - self.axes.sum(axis=0)

    def lengths(self) -> NDArray[np.float64]:
        """(n,) mm, in the plane."""
        return self.radii * np.abs(self.turns)

    def drawn(self) -> NDArray[np.float64]:
        """(n,) rad, how far round one sees: of several turns the first, and the last one's part."""
        over = np.abs(self.turns) > FULL * (1.0 + 1e-9)
        once = FULL + np.abs(self.turns) % FULL
        return np.where(over, np.copysign(once, self.turns), self.turns)

    def extremes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(2, n) mm each: the lowest and the highest point between start and end, along `axes`.

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
        lines = np.ceil(np.abs(self.drawn()) / np.maximum(step, 1e-6))
        return np.clip(lines, 1, MAX_LINES).astype(np.int64)

    def points(self, chosen: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2, k) mm, along `axes`: where an arc is after this share of what is drawn, 0 to 1."""
        angle = self.begins[chosen] + self.drawn()[chosen] * share
        around = np.stack([np.cos(angle), np.sin(angle)])
        return self.centres[:, chosen] + self.radii[chosen] * around


def find_arcs(
    rows: NDArray[np.int64],
    starts: NDArray[np.float64],
    ends: NDArray[np.float64],
    *,
    centres: NDArray[np.float64],
    radii: NDArray[np.float64],
    turns: NDArray[np.float64],
    clockwise: NDArray[np.bool_],
    planes: NDArray[np.float64],
    absolute: NDArray[np.bool_],
) -> Arcs:
    """Arcs from their words, read as Marlin and LinuxCNC read them.

    starts, ends : (3, n) mm
    centres      : (3, n) mm, I, J and K, NaN where there is none; from the start to the centre, or
                   the centre itself where `absolute`
    radii        : (n,) mm, R, NaN where there is none, negative where the arc is the long way round
    turns        : (n,), P, how often round, the last time as far as the end; NaN where once
    planes       : (n,), 17, 18 or 19
    """
    axes = np.array([PLANES[17.0]]).T.repeat(len(rows), axis=1)
    for plane in (18.0, 19.0):
        axes[:, planes == plane] = np.array([PLANES[plane]]).T
    each = np.arange(len(rows))
    start, end, ij = starts[axes, each], ends[axes, each], centres[axes, each]
    ij = np.where(absolute & ~np.isnan(ij), ij - start, np.nan_to_num(ij))
    chords = end - start
    chord = np.hypot(*chords)
    has_radius = ~np.isnan(radii)
    given = np.maximum(np.abs(np.nan_to_num(radii)), chord / 2.0)
    rise = np.sqrt(np.maximum(given**2 - chord**2 / 4.0, 0.0))
    rise = np.where(clockwise == (np.nan_to_num(radii) < 0.0), rise, -rise)
    rise = rise / np.maximum(chord, 1e-12)
    left = np.stack([-chords[1], chords[0]])
    to_centre = np.where(has_radius, chords / 2.0 + rise * left, ij)
    begins = np.arctan2(-to_centre[1], -to_centre[0])
    finish = np.arctan2(chords[1] - to_centre[1], chords[0] - to_centre[0])
    angles = np.where(clockwise, begins - finish, finish - begins) % FULL
    angles = np.where(angles < 1e-9, FULL, angles)  # an arc to its own start is a circle
    angles = angles + FULL * (np.clip(np.nan_to_num(np.floor(turns)), 1.0, MAX_TURNS) - 1.0)
    angles = np.where(has_radius & (chord == 0.0), 0.0, angles)  # no place without I, J and K
    return Arcs(
        rows,
        axes,
        start + to_centre,
        np.hypot(*to_centre),
        begins,
        np.where(clockwise, -angles, angles),
    )


_NONE = np.zeros(0)
NO_ARCS = Arcs(np.zeros(0, np.int64), np.zeros((2, 0), np.int64), np.zeros((2, 0)), *[_NONE] * 3)

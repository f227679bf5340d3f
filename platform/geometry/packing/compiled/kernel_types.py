"""Typed tuples passed to the compiled kernels."""

from typing import NamedTuple

import numpy as np
from numba import boolean, int16, int32, int64, types, uint64
from numpy.typing import NDArray


class Scanned(NamedTuple):
    """A model for which a place is looked for, and what is known of its free places.

    runs, starts : (n, 4) the runs of cells that move, one axis after the other, and where each
                   axis begins
    turns        : (t, TURN_COLUMNS)
    shell        : (s, 3) cells about it that are looked at for contact
    cursors      : (t,) below which layer a turn has no free place, but for those that meet
    dirty        : (t, BOXES, 6) boxes of cells that were given back since, x0, x1, y0, y1, z0, z1;
    counts       : (t,) the first so many
    """

    runs: NDArray[np.int16]
    starts: NDArray[np.int64]
    turns: NDArray[np.int64]
    shell: NDArray[np.int16]
    cursors: NDArray[np.int64]
    dirty: NDArray[np.int32]
    counts: NDArray[np.int64]


class Worth(NamedTuple):
    """What of two places is the better one.

    contact    : units of score for full contact
    noise      : units of score, the most that chance adds
    margin     : cells by which a turn may end higher than the best and still win
    from_right, from_back : from where places of equal score are taken
    """

    contact: int
    noise: int
    margin: int
    from_right: bool
    from_back: bool


class Scratch(NamedTuple):
    """Memory that the loops write to.

    chance  : (1,) the state of chance, xorshift64*
    blocked : (words, y) of one layer
    asked   : (words, y) which places of a layer are not looked at
    corners : (t, CORNERS, 2) the places of each turn that are judged
    offsets : (runs, 4) where in the table those of one turn are looked up
    """

    chance: NDArray[np.uint64]
    blocked: NDArray[np.uint64]
    asked: NDArray[np.uint64]
    corners: NDArray[np.int32]
    offsets: NDArray[np.uint64]


SCANNED = types.NamedTuple(
    (
        int16[:, ::1],
        int64[::1],
        int64[:, ::1],
        int16[:, ::1],
        int64[::1],
        int32[:, :, ::1],
        int64[::1],
    ),
    Scanned,
)
WORTH = types.NamedTuple((int64, int64, int64, boolean, boolean), Worth)
SCRATCH = types.NamedTuple(
    (uint64[::1], uint64[:, ::1], uint64[:, ::1], int32[:, :, ::1], uint64[:, ::1]), Scratch
)
TABLE = uint64[:, :, :, ::1]

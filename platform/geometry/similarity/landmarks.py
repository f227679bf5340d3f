"""Rotation hypotheses from rare feature corners."""

import numpy as np
from numpy.typing import NDArray

SAME_PLACE = 1e-4  # normal frame; single precision far from a file's origin is about so coarse
LEVER = 0.5  # of the longest; what corners that are nearer say is less sure
MAX_PAIRS = 1_000_000  # that are looked at
MAX_LAID = 2000  # of them; those of a ring are as good as each other


def landmark_rotations(
    a: NDArray[np.float64], b: NDArray[np.float64], *, hand: int
) -> NDArray[np.float64]:
    """(k, 3, 3): orthogonal matrices that lay corners (n, 3) of `a` on those (m, 3) of `b`.

    A copy has the corners of its model, and so has one that was subdivided; a small mark on a part
    that is otherwise round or regular has some that no others resemble. Two are taken, of whose
    distance from the centre the fewest are, and laid on all pairs that lie as they do. None where
    nothing does, or too much.
    """
    if len(a) > len(b):
        return landmark_rotations(b, a, hand=hand).transpose(0, 2, 1)
    radii = np.linalg.norm(b, axis=1)
    order = np.argsort(radii, kind="stable")
    of_a = np.linalg.norm(a, axis=1)
    first = np.searchsorted(radii[order], of_a - SAME_PLACE)
    alike = np.searchsorted(radii[order], of_a + SAME_PLACE) - first

    marks = []
    lever = of_a
    for _ in range(2):
        able = np.flatnonzero((lever >= LEVER * lever.max()) & (alike > 0))
        if not len(able):
            return np.empty((0, 3, 3))
        mark = able[alike[able].argmin()]
        marks.append(mark)
        lever = np.linalg.norm(np.cross(a, a[mark] / of_a[mark]), axis=1)
    if np.prod(alike[marks]) > MAX_PAIRS:
        return np.empty((0, 3, 3))
    here, there = a[marks]
    ours, theirs = (b[order[first[mark] : first[mark] + alike[mark]]] for mark in marks)
    i, j = np.nonzero(np.abs(ours @ theirs.T - here @ there) <= SAME_PLACE * of_a[marks].sum())
    i, j = (chosen[:: -(-len(i) // MAX_LAID) or 1] for chosen in (i, j))
    ours, theirs = ours[i], theirs[j]
    apart = np.linalg.norm(np.cross(ours, theirs), axis=1)
    wide = apart >= LEVER * np.linalg.norm(np.cross(here, there))
    still = _frames(here[None], there[None])
    return _frames(ours[wide], theirs[wide]) * [1, 1, hand] @ still.transpose(0, 2, 1)


def _frames(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 3, 3): columns along the first of two points each, to the second, and across."""
    along = first / np.linalg.norm(first, axis=1, keepdims=True)
    across = np.cross(along, second)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return np.stack([along, np.cross(across, along), across], axis=2)

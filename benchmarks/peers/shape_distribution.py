"""The shape distribution D2: how far apart random pairs of points of a surface are.

R. Osada, T. Funkhouser, B. Chazelle, D. Dobkin, "Shape distributions" (2002).
"""

import numpy as np
from numpy.typing import NDArray

PAIRS = 100_000
BINS = 64


def describe(triangles: NDArray[np.float32]) -> NDArray[np.float64]:
    """(BINS,) shares of the pairs, by their distance in parts of three times the mean one."""
    rng = np.random.default_rng(0)
    corners = triangles.astype(np.float64)
    a, b, c = corners.transpose(1, 0, 2)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    facets = rng.choice(len(areas), 2 * PAIRS, p=areas / areas.sum())
    u, v = rng.random((2, 2 * PAIRS, 1))
    root = np.sqrt(u)
    points = (1 - root) * a[facets] + root * (1 - v) * b[facets] + root * v * c[facets]
    distances = np.linalg.norm(points[:PAIRS] - points[PAIRS:], axis=1)
    return np.histogram(distances / distances.mean(), BINS, (0.0, 3.0))[0] / PAIRS

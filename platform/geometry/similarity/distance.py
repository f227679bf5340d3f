"""Exact distances from points to the triangles of a surface."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class NearestPoints(NamedTuple):
    """Where a surface comes closest to each of n points.

    distances : (n,) float64
    facets    : (n,) int64
    points    : (n, 3) float64, on the surface
    """

    distances: NDArray[np.float64]
    facets: NDArray[np.int64]
    points: NDArray[np.float64]


class Tree:
    """A tree of boxes about triangles, (m, 3, 3) float64; libigl's AABB."""

    def __init__(self, triangles: NDArray[np.float64]):
        import igl  # here, since every process imports the actors

        self._corners = np.ascontiguousarray(triangles.reshape(-1, 3))
        self._facets = np.arange(len(self._corners), dtype=np.int64).reshape(-1, 3)
        self._tree = igl.AABB()
        self._tree.init(self._corners, self._facets)

    def nearest(self, points: NDArray[np.float64]) -> NearestPoints:
        """For (n, 3) points."""
        squares, facets, closest = self._tree.squared_distance(
            self._corners, self._facets, np.ascontiguousarray(points)
        )
        return NearestPoints(np.sqrt(squares), facets, closest)

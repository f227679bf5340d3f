"""AABB tree: exact point-to-triangle distances."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAF = 4  # triangles, at most


class NearestPoints(NamedTuple):
    """Where a surface comes closest to each of n points.

    distances : (n,) float64
    facets    : (n,) int64
    points    : (n, 3) float64, on the surface
    """

    distances: NDArray[np.float64]
    facets: NDArray[np.int64]
    points: NDArray[np.float64]


class AabbTree:
    """A tree of boxes about triangles, (m, 3, 3) float64."""

    def __init__(self, triangles: NDArray[np.float64]):
        from geometry.mesh import aabb_kernels  # here, since every process imports the actors

        self._boxes = aabb_kernels
        triangles = np.ascontiguousarray(triangles)
        leaves = 1 << max(0, math.ceil(math.log2(len(triangles) / LEAF)))
        self._order = aabb_kernels.tree_order(np.ascontiguousarray(triangles.sum(axis=1).T), leaves)
        self._tree = aabb_kernels.grown(triangles, self._order, leaves)

    def nearest(self, points: NDArray[np.float64]) -> NearestPoints:
        """For (n, 3) points."""
        points = np.ascontiguousarray(points)
        distances, places = np.empty(len(points)), np.empty(len(points), dtype=np.int64)
        closest = np.empty((len(points), 3))
        self._boxes.nearest(*self._tree, points, distances, places, closest)
        return NearestPoints(distances, self._order[places], closest)

    def distances(
        self, points: NDArray[np.float64], *, below: float = math.inf
    ) -> NDArray[np.float64]:
        """(n,) of (n, 3) points; `below` of those that are not nearer than that."""
        return self._boxes.distances(*self._tree, np.ascontiguousarray(points), below)

    def farthest(self, points: NDArray[np.float64], known: float) -> float:
        """The largest distance of (n, 3) points, or `known` where none is larger; fast."""
        return self._boxes.farthest(*self._tree, np.ascontiguousarray(points), known)

    def first_hits(
        self, origins: NDArray[np.float64], directions: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """How far rays, (n, 3) each, fly, and the facets that they hit; inf and -1 of none."""
        distances, places = np.empty(len(origins)), np.empty(len(origins), dtype=np.int64)
        origins, directions = np.ascontiguousarray(origins), np.ascontiguousarray(directions)
        self._boxes.first_hits(*self._tree, origins, directions, distances, places)
        return distances, np.where(places < 0, -1, self._order[places])

"""Ray casting: hits, exits and winding numbers."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from geometry.mesh import area_vectors
from geometry.mesh.aabb_tree import AabbTree

MAX_CROSSINGS = 64  # surfaces that a line is followed through


class Caster(Protocol):
    """Finds the first triangle that a ray hits, from either side."""

    def first(
        self, origins: NDArray[np.float32], directions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...


class EmbreeCaster:
    """By Intel's Embree, where its wheel is installed: x86-64 has one, arm64 has none."""

    def __init__(self, triangles: NDArray[np.float32]):
        # Only where rays are sent: every process that knows what is measured would load it.
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        self._scene = EmbreeScene()
        self._mesh = TriangleMesh(self._scene, triangles)

    def first(
        self, origins: NDArray[np.float32], directions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        hits = self._scene.run(origins, directions, output=True)
        return hits["tfar"].astype(np.float64), hits["primID"].astype(np.int64)


class TreeCaster:
    """By the tree of boxes that distances are measured with, in double precision."""

    def __init__(self, triangles: NDArray[np.float32]):
        self._tree = AabbTree(triangles.astype(np.float64))

    def first(
        self, origins: NDArray[np.float32], directions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        return self._tree.first_hits(origins.astype(np.float64), directions.astype(np.float64))


def best_caster(triangles: NDArray[np.float32]) -> Caster:
    """Embree where it can be loaded, else the tree: the same distances, some times slower."""
    try:
        return EmbreeCaster(triangles)
    except ImportError:
        return TreeCaster(triangles)


class Rays:
    """Triangles, (m, 3, 3) float32, counter-clockwise from outside, made ready for rays.

    step : how far behind a surface a ray goes on, in the unit of the triangles
    """

    def __init__(
        self,
        triangles: NDArray[np.float32],
        step: float,
        caster: Callable[[NDArray[np.float32]], Caster] = best_caster,
    ):
        self.triangles = triangles
        self.step = step
        self._caster = caster(triangles)

    def first(
        self, origins: NDArray[np.float64], directions: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """How far each ray flies and the triangle that it hits; -1 where it hits none."""
        return self._caster.first(
            np.ascontiguousarray(origins, dtype=np.float32),
            np.ascontiguousarray(directions, dtype=np.float32),
        )

    def exits(
        self, origins: NDArray[np.float64], directions: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """From points within the solid: how far it is to its surface, and the triangle there.

        A triangle that is entered on the way (shells that overlap) must be left again first.
        Where a ray does not come out, the triangle is -1.
        """
        depths = np.ones(len(origins), dtype=np.int64)
        distances, facets = np.full(len(origins), np.inf), np.full(len(origins), -1)
        for ray, far, facet, leaving in self._crossings(origins, directions, depths):
            depths[ray] += np.where(leaving, -1, 1)
            out = depths[ray] == 0
            distances[ray[out]], facets[ray[out]] = far[out], facet[out]
        return distances, facets

    def windings(
        self, points: NDArray[np.float64], direction: tuple[float, float, float]
    ) -> NDArray[np.int64]:
        """How many shells each point lies within, less those that are inside out."""
        windings = np.zeros(len(points), dtype=np.int64)
        towards = np.tile(np.divide(direction, np.linalg.norm(direction)), (len(points), 1))
        everywhere = np.ones(len(points), dtype=np.int64)  # never 0: followed to the end
        for ray, _, _, leaving in self._crossings(points, towards, everywhere):
            windings[ray] += np.where(leaving, 1, -1)
        return windings

    def _crossings(self, origins: NDArray, directions: NDArray, depths: NDArray):
        """The surfaces along the rays, one after the other, of those whose depth is not 0."""
        ray, far = np.arange(len(origins)), np.zeros(len(origins))
        for _ in range(MAX_CROSSINGS):
            towards = directions[ray]
            flown, facet = self.first(origins[ray] + far[:, None] * towards, towards)
            hit = facet >= 0
            ray, far, facet, towards = ray[hit], far[hit] + flown[hit], facet[hit], towards[hit]
            if not len(ray):
                return
            leaving = (self.normals(facet) * towards).sum(axis=1) > 0
            yield ray, far, facet, leaving
            inside = depths[ray] != 0
            ray, far = ray[inside], far[inside] + self.step

    def normals(self, facets: NDArray[np.int64]) -> NDArray[np.float64]:
        """(n, 3) unit normals of the triangles of these numbers; zero where they have no area."""
        normals = area_vectors(self.triangles[facets].reshape(-1, 9).T.astype(np.float64)).T
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        return np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)

"""Surface deviation (Hausdorff distance) between the input and the healed mesh."""

import secrets
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.healing.working_mesh import areas
from geometry.mesh.aabb_tree import AabbTree
from geometry.mesh.welding import hash_corners

AREA_SAMPLES = 8_000  # points on what differs
SEED = 9


class Deviation(NamedTuple):
    """Distances in mm.

    facets_kept : of the surface that came in, also the healed one's
    largest : of a point of either surface from the other one
    at      : (x, y, z) where
    mean    : over the healed surface, from the one that came in
    kept    : the largest of the healed surface's, without what fills holes
    """

    facets_kept: int
    largest: float
    at: tuple[float, float, float] | None
    mean: float
    kept: float


def common_facets(
    one: NDArray[np.float32], other: NDArray[np.float32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which triangles of each, (m, 3, 3), have the corners of one of the other, however wound."""
    salt = np.uint64(secrets.randbits(64))  # so that nobody can prepare colliding corners
    first, second = (
        hash_corners(np.ascontiguousarray(triangles.reshape(-1, 9).T), salt).sum(axis=0)
        for triangles in (one, other)
    )
    return _is_among(first, second), _is_among(second, first)


def _is_among(values: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.bool_]:
    # Looked up in their order, which stays in the cache; numpy's isin takes three times as long.
    table, order = np.sort(others), np.argsort(values)
    found = np.empty(len(values), dtype=bool)
    place = np.minimum(np.searchsorted(table, values[order]), len(table) - 1)
    found[order] = table[place] == values[order]
    return found


def measure_deviation(
    before: NDArray[np.float32], after: NDArray[np.float32], filled: NDArray[np.bool_]
) -> Deviation:
    """Between two surfaces, (m, 3, 3) each.

    Only facets that differ are sampled: over their area, at their corners and centres. Distances
    are exact for these points.

    filled : (m,) of `after`
    """
    kept_before, kept_after = common_facets(before, after)
    exact_before, exact_after = before.astype(np.float64), after.astype(np.float64)
    gone, fresh = exact_before[~kept_before], exact_after[~kept_after]
    if not len(gone) and not len(fresh):
        return Deviation(len(before), 0.0, None, 0.0, 0.0)
    healed = _Distances(fresh, filled[~kept_after], exact_before)
    lost = _Distances(gone, np.zeros(len(gone), dtype=bool), exact_after)
    largest, at = max(healed.largest(), lost.largest(), key=lambda found: found[0])
    share = areas(fresh).sum() / max(areas(exact_after).sum(), 1e-300)
    mean = healed.mean() * float(share)
    return Deviation(int(kept_before.sum()), largest, at, mean, healed.kept())


class _Distances:
    """From points of some triangles to a surface."""

    def __init__(self, triangles: NDArray, filled: NDArray[np.bool_], surface: NDArray):
        self.points, self.filled = np.empty((0, 3)), np.empty(0, dtype=bool)
        self.distances, self.on_area = np.empty(0), 0
        if not len(triangles) or not len(surface):
            return
        points, face = _samples(triangles, AREA_SAMPLES)
        self.on_area = len(points)
        self.points = np.concatenate([points, triangles.reshape(-1, 3), triangles.mean(axis=1)])
        self.filled = np.concatenate([filled[face], np.repeat(filled, 3), filled])
        self.distances = AabbTree(surface).distances(self.points)

    def mean(self) -> float:
        return float(self.distances[: self.on_area].mean()) if self.on_area else 0.0

    def largest(self) -> tuple[float, tuple[float, float, float] | None]:
        """The largest distance, and the point that is so far away."""
        if not self.distances.any():
            return 0.0, None
        farthest = int(self.distances.argmax())
        x, y, z = map(float, self.points[farthest])
        return float(self.distances[farthest]), (x, y, z)

    def kept(self) -> float:
        """The largest distance of what does not fill a hole."""
        return float(self.distances[~self.filled].max(initial=0.0))


def _samples(
    triangles: NDArray[np.float64], count: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points spread over the area, (count, 3), and the triangle of each."""
    area = areas(triangles)
    if not area.sum():
        return triangles[:, 0], np.arange(len(triangles))
    random = np.random.default_rng(SEED)
    face = np.searchsorted(np.cumsum(area), (np.arange(count) + 0.5) / count * area.sum())
    face = np.minimum(face, len(area) - 1)
    u, v = random.random((2, len(face), 1))
    root = np.sqrt(u)
    a, b, c = triangles[face].swapaxes(0, 1)
    return (1 - root) * a + root * (1 - v) * b + root * v * c, face

"""How far the healed surface lies from the one that came in."""

import secrets
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from geometry.healing.surface import areas
from geometry.mesh.corners import hash_corners

AREA_SAMPLES = 8_000  # points on what differs
TREE_SAMPLES = 150_000  # points of the other surface, by which near faces are found
NEAREST = 12  # of them are looked at
SETTLED = 400  # points at most whose distance is then found among all faces
COMMON = 0.99  # of all faces are small; the others are always looked at
SEED = 9
# Few points are looked up: building is most of the work. What is found is the same.
QUICKLY_BUILT: dict[str, Any] = {"balanced_tree": False, "compact_nodes": False, "leafsize": 24}


class Deviation(NamedTuple):
    """Distances in mm.

    largest : of a point of either surface from the other one
    at      : (x, y, z) where
    mean    : over the healed surface, from the one that came in
    kept    : the largest of the healed surface's, without what fills holes
    """

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
    table = np.sort(others)  # numpy's isin hashes, and is several times slower
    return table[np.minimum(np.searchsorted(table, values), len(table) - 1)] == values


def measure_deviation(
    before: NDArray[np.float32], after: NDArray[np.float32], filled: NDArray[np.bool_]
) -> Deviation:
    """Between two surfaces, (m, 3, 3) each.

    Only facets that differ are sampled: over their area, at their corners and centres. The largest
    distances are exact for these points.

    filled : (m,) of `after`
    """
    kept_before, kept_after = common_facets(before, after)
    exact_before, exact_after = before.astype(np.float64), after.astype(np.float64)
    gone, fresh = exact_before[~kept_before], exact_after[~kept_after]
    if not len(gone) and not len(fresh):
        return Deviation(0.0, None, 0.0, 0.0)
    healed = _Distances(fresh, filled[~kept_after], exact_before)
    lost = _Distances(gone, np.zeros(len(gone), dtype=bool), exact_after)
    largest, at = max(healed.largest(), lost.largest(), key=lambda found: found[0])
    share = areas(fresh).sum() / max(areas(exact_after).sum(), 1e-300)
    where = None if at is None else (float(at[0]), float(at[1]), float(at[2]))
    return Deviation(largest, where, healed.mean() * float(share), healed.largest(kept=True)[0])


class _Distances:
    """From points of some triangles to a surface: bounds from above, and the largest exactly."""

    def __init__(self, triangles: NDArray, filled: NDArray[np.bool_], surface: NDArray):
        self.surface = surface
        if not len(triangles) or not len(surface):
            self.points, self.filled = np.empty((0, 3)), np.empty(0, dtype=bool)
            self.bounds, self.on_area = np.empty(0), 0
            return
        random = np.random.default_rng(SEED)
        points, face = _samples(triangles, AREA_SAMPLES, random)
        self.on_area = len(points)
        self.points = np.concatenate([points, triangles.reshape(-1, 3), triangles.mean(axis=1)])
        self.filled = np.concatenate([filled[face], np.repeat(filled, 3), filled])
        self.bounds = self._near(random)
        centres = surface.mean(axis=1)
        radii = np.linalg.norm(surface - centres[:, None], axis=2).max(axis=1)
        self.common_radius = float(np.quantile(radii, COMMON))
        self.large = np.flatnonzero(radii > self.common_radius)
        self.centres = KDTree(centres, **QUICKLY_BUILT)

    def mean(self) -> float:
        return float(self.bounds[: self.on_area].mean()) if self.on_area else 0.0

    def largest(self, *, kept: bool = False) -> tuple[float, NDArray | None]:
        """The largest distance and its point; with `kept`, of what does not fill a hole."""
        chosen = np.flatnonzero(~self.filled) if kept else np.arange(len(self.points))
        order = chosen[np.argsort(-self.bounds[chosen], kind="stable")][:SETTLED]
        most, at = 0.0, None
        for point in order[self.bounds[order] > 0]:
            if self.bounds[point] <= most:
                break
            place = self.points[point]
            # Most faces are small, and only those near the point need a look.
            reach = self.bounds[point] + self.common_radius
            near = np.concatenate([self.large, self.centres.query_ball_point(place, reach)])
            exact = point_distances(place[None], self.surface[near.astype(np.int64)]).min()
            self.bounds[point] = min(self.bounds[point], exact)
            if exact > most:
                most, at = float(exact), place
        return most, at

    def _near(self, random: np.random.Generator) -> NDArray[np.float64]:
        """To the faces whose samples are the nearest."""
        samples, face = _samples(self.surface, TREE_SAMPLES, random)
        corners = self.surface.reshape(-1, 3)
        points = np.concatenate([samples, corners, self.surface.mean(axis=1)])
        tree = KDTree(points, **QUICKLY_BUILT)
        every = np.arange(len(self.surface))
        face = np.concatenate([face, np.repeat(every, 3), every])
        _, near = tree.query(self.points, k=min(NEAREST, tree.n))
        near = face[near.reshape(len(self.points), -1)]
        bounds = np.full(len(self.points), np.inf)
        for column in near.T:
            np.minimum(bounds, point_distances(self.points, self.surface[column]), out=bounds)
        return bounds


def _samples(
    triangles: NDArray[np.float64], count: int, random: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points spread over the area, (count, 3), and the triangle of each."""
    area = areas(triangles)
    if not area.sum():
        return triangles[:, 0], np.arange(len(triangles))
    face = np.searchsorted(np.cumsum(area), (np.arange(count) + 0.5) / count * area.sum())
    face = np.minimum(face, len(area) - 1)
    u, v = random.random((2, len(face), 1))
    root = np.sqrt(u)
    a, b, c = triangles[face].swapaxes(0, 1)
    return (1 - root) * a + root * (1 - v) * b + root * v * c, face


def point_distances(
    points: NDArray[np.float64], triangles: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(k,) mm: from each point, (k, 3) or (1, 3), to its triangle, (k, 3, 3)."""
    a, b, c = triangles.swapaxes(0, 1)
    normal = np.cross(b - a, c - a)
    square = np.einsum("ij,ij->i", normal, normal)
    inside = square > 0
    least = np.full(len(triangles), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        side, offset = end - start, points - start
        inside &= np.einsum("ij,ij->i", np.cross(side, offset), normal) >= 0
        length = np.maximum(np.einsum("ij,ij->i", side, side), 1e-300)
        place = np.clip(np.einsum("ij,ij->i", offset, side) / length, 0.0, 1.0)
        away = offset - place[:, None] * side
        np.minimum(least, np.einsum("ij,ij->i", away, away), out=least)
    height = np.abs(np.einsum("ij,ij->i", points - a, normal)) / np.sqrt(np.maximum(square, 1e-300))
    return np.where(inside, height, np.sqrt(least))

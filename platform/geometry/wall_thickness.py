"""Wall thickness and gap width by ray casting."""

import math
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.ray_casting import Rays

RAYS = 50_000
RAYS_A_BLOCK = 10_000
FACING = math.cos(math.radians(30))  # two faces make a wall if they are parallel within this angle
THIN_SHARE = 0.01


class Found(NamedTuple):
    """A distance, mm, and the point of the surface from which it was measured."""

    distance: float
    point: NDArray[np.float64]


class Walls(NamedTuple):
    """What was found; None where nothing was.

    thinnest : the shortest way through the solid between two faces
    thin     : of a hundred rays that found a wall, one found it as thin as this or thinner
    gap      : the shortest way through the air between two faces
    rays     : so many were sent inward, and as many outward
    """

    thinnest: Found | None
    thin: Found | None
    gap: Found | None
    rays: int


class WallSample(NamedTuple):
    """Walls and gaps at points of the surface; infinite where a ray met none, or was not sent.

    points  : (n, 3) float64, mm
    normals : (n, 3) float64, unit vectors outward
    walls   : (n,) float64, mm, through the solid behind the point
    gaps    : (n,) float64, mm, through the air before it
    rays    : so many were sent inward, and as many outward
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    walls: NDArray[np.float64]
    gaps: NDArray[np.float64]
    rays: int


def measure_walls(rays: Rays, areas: NDArray[np.float64], deadline: float) -> Walls:
    """Measure walls and gaps by `sample_walls`, and reduce them to the figures of a model.

    areas : (m,) float64, mm^2, of the triangles
    """
    sample = sample_walls(rays, areas, deadline)
    walls, gaps, points = sample.walls, sample.gaps, sample.points
    return Walls(
        distance_quantile(walls, points, 0),
        distance_quantile(walls, points, THIN_SHARE),
        distance_quantile(gaps, points, 0),
        sample.rays,
    )


def sample_walls(rays: Rays, areas: NDArray[np.float64], deadline: float) -> WallSample:
    """Send rays from seeded points, spread evenly over the surface, inward and outward.

    After the shape diameter of L. Shapira, A. Shamir and D. Cohen-Or, "Consistent mesh
    partitioning and skeletonisation using the shape diameter function" (2008), with one ray a
    point instead of a cone. A ray counts where it meets a face that is parallel to its own within
    30 degrees: others meet the sides of a corner, whose distance goes to zero at any edge.

    Parameters
    ----------
    rays : of a closed mesh whose normals point outward
    areas : (m,) float64
        Of the triangles.
    deadline : float
        After this time.monotonic() no further block of rays is sent, beyond the first.
    """
    random = np.random.default_rng(0)
    points, normals = _sample(rays, areas, random)
    walls, gaps = np.full(len(points), np.inf), np.full(len(points), np.inf)
    sent = 0
    while sent < len(points) and (not sent or time.monotonic() < deadline):
        block = slice(sent, sent + RAYS_A_BLOCK)
        start, normal = points[block], normals[block]
        far, facet = rays.first(start + rays.step * normal, normal)
        facing = _cosines(rays, facet, normal)
        gaps[block] = np.where(facing < -FACING, far, np.inf)
        free = facing <= 0  # where the ray leaves a solid, its start lay within that one
        far, facet = rays.exits(start - rays.step * normal, -normal)
        facing = _cosines(rays, facet, normal)
        walls[block] = np.where((facing < -FACING) & free, far, np.inf)
        sent += len(start)

    walls += rays.step  # that the rays started off the surface
    gaps += rays.step
    return WallSample(points, normals, walls, gaps, sent)


def _sample(
    rays: Rays, areas: NDArray[np.float64], random: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points (n, 3) on the surface, as dense everywhere, and the normals there."""
    total = np.cumsum(areas)
    places = random.permutation((np.arange(RAYS) + random.random(RAYS)) / RAYS) * total[-1]
    facets = np.minimum(np.searchsorted(total, places, side="right"), len(areas) - 1)
    u, v = random.random((2, RAYS, 1))
    beyond = u + v > 1
    u, v = np.where(beyond, 1 - u, u), np.where(beyond, 1 - v, v)
    a, b, c = rays.triangles[facets].astype(np.float64).transpose(1, 0, 2)
    return a + u * (b - a) + v * (c - a), rays.normals(facets)


def _cosines(
    rays: Rays, facets: NDArray[np.int64], normals: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Between the triangles' normals and those of the starts; 0 where no triangle was hit."""
    return np.where(facets >= 0, (rays.normals(facets) * normals).sum(axis=1), 0.0)


def distance_quantile(
    distances: NDArray[np.float64], points: NDArray[np.float64], share: float
) -> Found | None:
    """The distance below which this share (0..1) of the finite ones lies; None if none is finite.

    Of distances that are equal to the nanometre the first counts, on each processor the same.
    """
    order = np.argsort(distances.round(6), kind="stable")
    count = int(np.isfinite(distances).sum())
    if not count:
        return None
    low = order[int(share * count)]
    return Found(float(distances[low]), points[low])

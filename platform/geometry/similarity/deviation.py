"""Two-way surface deviation in a pose."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh.aabb_tree import AabbTree
from geometry.similarity.classification import TOLERANCES
from geometry.similarity.normalized_surface import NormalForm
from geometry.similarity.registration import PosedForm, Poses
from geometry.similarity.sampling import spread_points

SPREAD = 5000  # points that the mean is taken of
ENOUGH = 200_000  # points of a body that are looked at where nothing is left to prove
CHUNK = 4000


class Way(NamedTuple):
    """From a surface to the tree of the other.

    lead  : leads points of the surface into the frame of the tree
    share : what of the length, that shares are of, is 1 in the frame of the tree
    """

    surface: NormalForm
    tree: AabbTree
    lead: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    share: float


class Mismatch(NamedTuple):
    """Shares of a length: the mean of the worse way, and the largest of both.

    resolution : about how far apart the measured points are; 0 where all were measured
    """

    mean: float
    largest: float
    resolution: float


def measure(pose: Poses, a: PosedForm, b: PosedForm, *, length: float) -> Mismatch:
    """The deviation of `a` in one pose from `b`; `length` in the normal frame of `b`.

    The mean is of points spread by area. The largest is of all corners and of the middle of every
    facet as well: however small a hole is, it has facets of its own. Two exceptions: where the
    mean is beyond every tolerance, these are not asked; and where the largest is already beyond
    `identical`, ENOUGH of each body are. So what is found identical was measured everywhere.
    """
    spread = [
        way.tree.distances(way.lead(spread_points(way.surface, SPREAD))) * way.share
        for way in _ways(pose, a, b, length)
    ]
    mean = max(float(distances.mean()) for distances in spread)
    largest = max(float(distances.max()) for distances in spread)
    if mean > TOLERANCES["similar"]:
        return Mismatch(mean, largest, _resolution(pose, a, b, SPREAD) / length)
    largest = farthest(pose, a, b, length=length, known=largest)
    proven = largest <= TOLERANCES["identical"] or max(points_of(a), points_of(b)) <= ENOUGH
    return Mismatch(mean, largest, 0.0 if proven else _resolution(pose, a, b, ENOUGH) / length)


def farthest(
    pose: Poses,
    a: PosedForm,
    b: PosedForm,
    *,
    length: float,
    known: float = 0.0,
    enough: float = math.inf,
) -> float:
    """The largest deviation of all corners and middles of facets, as `measure` tells it.

    known  : what was met already
    enough : what is beyond this need not be exact
    """
    largest = known
    for way in _ways(pose, a, b, length):
        asked = 0
        for points in _everywhere(way.surface):
            if largest > enough or (asked >= ENOUGH and largest > TOLERANCES["identical"]):
                break
            far = way.tree.farthest(way.lead(points), largest / way.share)
            largest = max(largest, far * way.share)
            asked += len(points)
    return largest


def points_of(body: PosedForm) -> int:
    """How many corners and middles of facets it has."""
    return len(body.surface.vertices) + len(body.surface.areas)


def _resolution(pose: Poses, a: PosedForm, b: PosedForm, points: int) -> float:
    """The distance of so many points on either surface, normal frame of `b`."""
    areas = (a.surface.areas.sum() * pose.scales[0] ** 2, b.surface.areas.sum())
    return math.sqrt(max(areas) / points)


def _ways(pose: Poses, a: PosedForm, b: PosedForm, length: float) -> list[Way]:
    """Of both surfaces; `length` in the normal frame of `b`."""
    return [
        Way(a.surface, b.tree, lambda points: pose.forth(points)[0], 1 / length),
        Way(b.surface, a.tree, lambda points: pose.back(points)[0], float(pose.scales[0]) / length),
    ]


def _everywhere(surface: NormalForm) -> Iterator[NDArray[np.float64]]:
    """All corners and centroids, in pieces that each reach over the whole surface."""
    points = np.concatenate([surface.corners, surface.triangles.mean(axis=1)])
    pieces = -(-len(points) // CHUNK)
    for piece in range(pieces):
        yield points[piece::pieces]

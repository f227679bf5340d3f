"""Rotation that best fits a point cloud into a box (about z, or free)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.transformations.rotations import IDENTITY, about_axis, is_quarter_turn

# What still counts as fitting: sizes of float32 coordinates differ by so much from what was meant.
ROUNDING = 2.0**-22
# What is searched for leaves this much room, so that rounding cannot make it stick out.
ROOM = 1e-6

FINER = (1 / 20, 1 / 400, 1 / 8000)  # degrees; each refines a step of the one before
SEED = 20
TRIED_FREELY = 4000
POLISHED = 8  # of those tried, the best
POLISHINGS, NEIGHBOURS = 40, 48
FIRST_STEP, SHORTENING = 0.2, 0.85  # rad; the neighbourhood shrinks to a milliradian
JUDGED_POINTS = 400  # extreme points that stand for a hull of more


class Fit(NamedTuple):
    """A rotation, and the largest quotient of size and build volume over the axes."""

    matrix: NDArray[np.float64]
    ratio: float

    @property
    def fits(self) -> bool:
        return self.ratio <= (1.0 + ROUNDING if is_quarter_turn(self.matrix) else 1.0 - ROOM)


def fill(points: NDArray[np.float64], build: NDArray[np.float64]) -> float:
    """The largest quotient of size and build volume of (p, 3) points: 1 fills it."""
    return float(((points.max(axis=0) - points.min(axis=0)) / build).max())


def rotated(points: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """(p, 3); without BLAS, as all that decides how coordinates come out."""
    return np.einsum("ij,pj->pi", matrix, points)


def turn_about_z(
    points: NDArray[np.float64], judged: NDArray[np.float64], build: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(3, 3): the turn about z by which (p, 3) points fit; none, or a quarter, if that does.

    Otherwise that which leaves most room to the `judged` among them: one degree after the other
    is tried, then finer about the best.
    """
    quarter = about_axis(2, 90.0)
    too_high = np.ptp(points[:, 2]) > build[2] * (1.0 + ROUNDING)
    if too_high or Fit(IDENTITY, fill(points, build)).fits:
        return IDENTITY
    if Fit(quarter, fill(rotated(points, quarter), build)).fits:
        return quarter
    angles = _best_first(judged, build, np.arange(180.0))
    for finer in FINER:
        angles = _best_first(judged, build, angles[0] + finer * np.arange(-20, 21))
    return about_axis(2, float(angles[0]))


def turn_freely(judged: NDArray[np.float64], build: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, 3): the rotation that leaves most room to (p, 3) points, or nearly so.

    Random rotations, always the same ones, then a local search from the best of them with ever
    smaller steps.
    """
    random = np.random.default_rng(SEED)
    quaternions = random.normal(size=(TRIED_FREELY, 4))
    start = _ratios(judged, quaternions, build).argsort(kind="stable")[:POLISHED]
    best = quaternions[start]
    best /= np.linalg.norm(best, axis=1)[:, None]
    step = FIRST_STEP
    for _ in range(POLISHINGS):
        around = best[:, None] + step * random.normal(size=(len(best), NEIGHBOURS, 4))
        around[:, 0] = best
        ratios = _ratios(judged, around.reshape(-1, 4), build).reshape(len(best), -1)
        best = around[np.arange(len(best)), ratios.argmin(axis=1)]
        best /= np.linalg.norm(best, axis=1)[:, None]
        step *= SHORTENING
    winner = best[_ratios(judged, best, build).argmin()]
    return _matrices(winner[None])[0]


def extremes(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points, or a few hundred of them: those furthest out in directions spread evenly."""
    if len(points) <= JUDGED_POINTS:
        return points
    # A Fibonacci lattice: equal steps in z, the golden angle about it.
    z = np.linspace(-1.0, 1.0, JUDGED_POINTS)
    angle = np.arange(JUDGED_POINTS) * np.pi * (3.0 - 5.0**0.5)
    radius = np.sqrt(1.0 - z * z)
    directions = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])
    chosen = [int(along(points.T, direction).argmax()) for direction in directions]
    return points[np.unique(chosen)]


def along(vectors: NDArray[np.float64], direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) from (3, n): how far each reaches in a direction."""
    x, y, z = vectors
    return x * direction[0] + y * direction[1] + z * direction[2]


def _best_first(
    points: NDArray[np.float64], build: NDArray[np.float64], degrees: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The turns about z, those that leave most room in x and y first."""
    radians = np.radians(degrees)[:, None]
    x, y = points[:, 0], points[:, 1]
    across = np.ptp(np.cos(radians) * x - np.sin(radians) * y, axis=1) / build[0]
    along_y = np.ptp(np.sin(radians) * x + np.cos(radians) * y, axis=1) / build[1]
    return degrees[np.maximum(across, along_y).argsort(kind="stable")]


def _ratios(
    points: NDArray[np.float64], quaternions: NDArray[np.float64], build: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(m,): `fill` under each of (m, 4) quaternions."""
    ratios = []
    for block in np.array_split(_matrices(quaternions), len(quaternions) // 256 + 1):
        turned = np.einsum("mij,pj->mip", block, points)
        ratios.append((np.ptp(turned, axis=2) / build).max(axis=1))
    return np.concatenate(ratios)


def _matrices(quaternions: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, 3, 3) rotations from (m, 4) quaternions of any length."""
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1)[:, None]).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)

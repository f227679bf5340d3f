"""Minimum-area triangulation of a polygon in space."""

import numpy as np
from numpy.typing import NDArray


def least_area(corners: NDArray[np.float64], taken: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(n - 2, 3) indices into the polygon's corners (n, 3), of the least area in all.

    The dynamic programme of G. T. Klincsek, "Minimal triangulations of polygonal domains" (1980);
    Barequet and Sharir, "Filling gaps in the boundary of a polyhedron" (1995), use it for holes.

    taken : (n, n)
        Between which corners there must be no diagonal, unless nothing else is possible.
    """
    count = len(corners)
    cost, choice = np.zeros((count, count)), np.zeros((count, count), dtype=np.int64)
    penalty = np.where(taken, np.square(np.ptp(corners, axis=0)).sum() * count, 0.0)
    for gap in range(2, count):
        start = np.arange(count - gap)[:, None]
        end, middle = start + gap, start + np.arange(1, gap)
        one, other = corners[middle] - corners[start], corners[end] - corners[start]
        area = np.linalg.norm(np.cross(one, other), axis=2) / 2
        total = cost[start, middle] + cost[middle, end] + area
        best = total.argmin(axis=1)
        cost[start[:, 0], end[:, 0]] = total[np.arange(len(best)), best]
        if gap < count - 1:
            cost[start[:, 0], end[:, 0]] += penalty[start[:, 0], end[:, 0]]
        choice[start[:, 0], end[:, 0]] = best + start[:, 0] + 1
    faces, spans = [], [(0, count - 1)]
    while spans:
        first, last = spans.pop()
        if last - first > 1:
            split = int(choice[first, last])
            faces.append((first, split, last))
            spans += [(first, split), (split, last)]
    return np.array(faces, dtype=np.int64)


def within_polygon(polygon: NDArray[np.float64], point: NDArray[np.float64]) -> bool:
    """Whether a point (2,) lies within a polygon (n, 2): a ray from it crosses an odd count."""
    (x, y), (px, py) = polygon.T, point
    following_x, following_y = np.roll(x, -1), np.roll(y, -1)
    spans = (y > py) != (following_y > py)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = x + (py - y) / (following_y - y) * (following_x - x)
    return bool(np.count_nonzero(spans & (px < crossing)) % 2)

"""Non-rectangular print beds: containment, overhang beyond the edge, largest inner rectangle."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Outline = Sequence[tuple[float, float]]

CLOSE = 1e-3  # mm; corners nearer to a line than this are on it


def is_box(outline: Outline) -> bool:
    """Whether a bed is a rectangle along the axes."""
    across, along = (
        {round(value / CLOSE) for value in axis} for axis in zip(*outline, strict=True)
    )
    return len(outline) == 4 and len(across) == len(along) == 2


def centred_corner(outline: Outline, width: float, depth: float) -> tuple[float, float]:
    """Return where the left front corner of a build of this size stands on a bed, mm.

    Builds stand in the middle of the box around the bed: what is packed leaves the reach of
    brims, rafts and supports free, and so is smaller than the bed.
    """
    across, along = zip(*outline, strict=True)
    return (min(across) + max(across) - width) / 2, (min(along) + max(along) - depth) / 2


def is_convex(outline: Outline) -> bool:
    """Whether whatever stands between two points of a bed is on it as well."""
    sides = np.diff(np.asarray([*outline, *outline[:2]], np.float64), axis=0)
    turns = sides[:-1, 0] * sides[1:, 1] - sides[:-1, 1] * sides[1:, 0]
    return bool((turns >= -CLOSE).all() or (turns <= CLOSE).all())


def overhang(outline: Outline, corners: NDArray[np.float64]) -> float:
    """mm by which what has this convex hull reaches over the edge of a bed; below 0: room to it.

    outline : the bed's corners in order, mm; it may have notches
    corners : (k, 2), mm
    """
    bed = np.asarray(outline, np.float64)
    ends = np.roll(bed, -1, axis=0)
    distances = _distances(corners, bed, ends)  # (k,)
    outside = ~_inside(corners, bed, ends)
    worst = float(np.where(outside, distances, -distances).max())
    if worst <= CLOSE and len(corners) > 2:
        through = _through(bed, ends, corners)  # a notch may reach in between the corners
        if through > CLOSE:
            return through
    return worst


def largest_box(outline: Outline, margin: float = 0.0) -> tuple[float, float, float, float]:
    """(left, front, right, back), mm: a large rectangle along the axes within a bed.

    The largest, to a hundredth, of those around the middle: of a round bed its square.

    margin : mm that stay free along the edges
    """
    bed = np.asarray(outline, np.float64)
    low, high = bed.min(axis=0), bed.max(axis=0)
    if is_box(outline):
        return (*(low + margin).tolist(), *(high - margin).tolist())
    middle = (low + high) / 2
    best = (*middle, *middle)
    for share in np.linspace(0.05, 1.0, 96):
        half = share * (high[0] - low[0]) / 2
        depth = _half_depth(bed, middle, half, margin)
        box = (middle[0] - half, middle[1] - depth, middle[0] + half, middle[1] + depth)
        if half * depth > (best[2] - best[0]) * (best[3] - best[1]) / 4:
            best = box
    return tuple(float(value) for value in best)  # type: ignore[return-value]


def _half_depth(
    bed: NDArray[np.float64],
    middle: NDArray[np.float64],
    half: float,
    margin: float,
    steps: int = 40,
) -> float:
    """How far a rectangle of this half width around the middle can reach along y, mm."""
    low, high = 0.0, float(np.ptp(bed[:, 1])) / 2
    for _ in range(steps):
        depth = (low + high) / 2
        corners = middle + np.array(
            [[-half, -depth], [half, -depth], [half, depth], [-half, depth]]
        )
        if overhang(bed, corners) <= CLOSE - margin:  # type: ignore[arg-type]
            low = depth
        else:
            high = depth
    return low


def _through(
    starts: NDArray[np.float64], ends: NDArray[np.float64], corners: NDArray[np.float64]
) -> float:
    """mm: how deep within a convex polygon the middle of an edge's part in it lies at most.

    Each edge is clipped by the polygon's half-planes (Cyrus and Beck).
    """
    sides = np.roll(corners, -1, axis=0) - corners
    x, y = corners.T
    turn = 1.0 if (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() >= 0 else -1.0
    inward = turn * np.stack([-sides[:, 1], sides[:, 0]], axis=1).astype(np.float64)  # (k, 2)
    inward /= np.maximum(np.hypot(*inward.T), 1e-12)[:, None]
    height = np.einsum("mkj,kj->mk", starts[:, None] - corners, inward)  # (m, k) mm
    rise = np.einsum("mj,kj->mk", ends - starts, inward)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = -height / rise
    first = np.where(rise > 0, at, np.where((rise == 0) & (height < 0), np.inf, 0.0)).max(axis=1)
    last = np.where(rise < 0, at, 1.0).min(axis=1)
    first, last = np.clip(first, 0.0, 2.0), np.clip(last, -1.0, 1.0)
    within = last > first
    middle = np.where(within, (first + last) / 2, 0.0)
    deep = (height + middle[:, None] * rise).min(axis=1)
    return float(np.where(within, deep, 0.0).max())


def _inside(
    points: NDArray[np.float64], starts: NDArray[np.float64], ends: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """(n,): whether each point is within the polygon of these edges, by the even-odd rule."""
    x, y = points[:, 0, None], points[:, 1, None]
    (x1, y1), (x2, y2) = starts.T, ends.T
    crosses = (y1 > y) != (y2 > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        left_of = x < (x2 - x1) * (y - y1) / (y2 - y1) + x1
    return (crosses & left_of).sum(axis=1) % 2 == 1


def _distances(
    points: NDArray[np.float64], starts: NDArray[np.float64], ends: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(n,) mm: how far each point is from the nearest of these edges."""
    along = ends - starts  # (m, 2)
    lengths = np.maximum((along**2).sum(axis=1), 1e-12)
    to_point = points[:, None] - starts  # (n, m, 2)
    share = np.clip((to_point * along).sum(axis=2) / lengths, 0.0, 1.0)
    return np.hypot(*np.moveaxis(to_point - share[..., None] * along, 2, 0)).min(axis=1)

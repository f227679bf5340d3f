"""Compiled swept collision test along an axis."""

import numpy as np
from numba import njit

from jit import compiled

STACK = 512  # pairs of nodes that wait; trees are balanced, of depth below 32
MAX_CORNERS = 16  # of a triangle cut by another


@njit
def _cut(polygon, count, ax, ay, bx, by, out):
    """What of a polygon, rows of x, y and height, lies left of the line from a to b."""
    kept = 0
    for i in range(count):
        j = (i + 1) % count
        side = (bx - ax) * (polygon[i, 1] - ay) - (by - ay) * (polygon[i, 0] - ax)
        other = (bx - ax) * (polygon[j, 1] - ay) - (by - ay) * (polygon[j, 0] - ax)
        if side >= 0.0:
            out[kept] = polygon[i]
            kept += 1
        if (side > 0.0 and other < 0.0) or (side < 0.0 and other > 0.0):
            share = side / (side - other)
            out[kept] = polygon[i] + share * (polygon[j] - polygon[i])
            kept += 1
    return kept


@njit
def _meets(mover, other, u, v, w, sign, slack, polygon, spare):
    """Whether a part of `other` wider than `slack` lies ahead of `mover`, by more than `slack`.

    u, v : the axes across the way; w : that along it; sign : 1.0 or -1.0, where it leads
    """
    ax, ay, ah = mover[0, u] * 1.0, mover[0, v] * 1.0, sign * mover[0, w]
    bx, by, bh = mover[1, u] * 1.0, mover[1, v] * 1.0, sign * mover[1, w]
    cx, cy, ch = mover[2, u] * 1.0, mover[2, v] * 1.0, sign * mover[2, w]
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if abs(area) <= slack * slack:
        return False  # seen edge-on: the faces beside it tell
    if area < 0.0:
        bx, by, bh, cx, cy, ch = cx, cy, ch, bx, by, bh
        area = -area
    for i in range(3):
        polygon[i, 0], polygon[i, 1] = other[i, u], other[i, v]
        polygon[i, 2] = sign * other[i, w]
    count = _cut(polygon, 3, ax, ay, bx, by, spare)
    count = _cut(spare, count, bx, by, cx, cy, polygon)
    count = _cut(polygon, count, cx, cy, ax, ay, spare)
    twice = 0.0
    for i in range(count):
        j = (i + 1) % count
        twice += spare[i, 0] * spare[j, 1] - spare[i, 1] * spare[j, 0]
    if abs(twice) <= slack * slack:
        return False
    for i in range(count):
        x, y = spare[i, 0], spare[i, 1]
        first = (bx - x) * (cy - y) - (by - y) * (cx - x)
        second = (cx - x) * (ay - y) - (cy - y) * (ax - x)
        height = (first * ah + second * bh + (area - first - second) * ch) / area
        if spare[i, 2] > height + slack:
            return True
    return False


@compiled(
    "boolean(float32[:, :, ::1], float32[:, ::1], float32[:, :, ::1], float32[:, ::1], "
    "int64, float64, float64)"
)
def is_in_the_way(mover, mover_boxes, other, other_boxes, axis, sign, slack):
    """Whether a piece that moves along an axis would run into another that stands still.

    The other is in the way where a column along the axis meets the mover and, farther on, the
    other. Both are to be closed; trees as in `proximity.least_distance`.

    Parameters
    ----------
    axis, sign : the way: 0, 1, 2 and 1.0 or -1.0
    slack : mm
        By how much they may pass through each other at the sides, and where they touch.
    """
    leaves, other_leaves = len(mover_boxes) // 2, len(other_boxes) // 2
    size, other_size = len(mover) // leaves, len(other) // other_leaves
    u, v = (axis + 1) % 3, (axis + 2) % 3
    polygon, spare = np.empty((MAX_CORNERS, 3)), np.empty((MAX_CORNERS, 3))
    waiting = np.empty((STACK, 2), dtype=np.int64)
    waiting[0, 0] = waiting[0, 1] = 1
    count = 1
    while count:
        count -= 1
        i, j = waiting[count, 0], waiting[count, 1]
        a, b = mover_boxes[i], other_boxes[j]
        if min(a[3 + u], b[3 + u]) - max(a[u], b[u]) <= 0.0:
            continue
        if min(a[3 + v], b[3 + v]) - max(a[v], b[v]) <= 0.0:
            continue
        ahead = b[3 + axis] - a[axis] if sign > 0.0 else a[3 + axis] - b[axis]
        if ahead <= slack:
            continue
        if i >= leaves and j >= other_leaves:
            start, begin = (i - leaves) * size, (j - other_leaves) * other_size
            for k in range(start, start + size):
                for m in range(begin, begin + other_size):
                    if _meets(mover[k], other[m], u, v, axis, sign, slack, polygon, spare):
                        return True
            continue
        if j >= other_leaves or (i < leaves and i <= j):
            waiting[count, 0], waiting[count, 1] = 2 * i, j
            waiting[count + 1, 0], waiting[count + 1, 1] = 2 * i + 1, j
        else:
            waiting[count, 0], waiting[count, 1] = i, 2 * j
            waiting[count + 1, 0], waiting[count + 1, 1] = i, 2 * j + 1
        count += 2
    return False

"""Compiled exact distance between two meshes (AABB trees).

Points and directions are tuples of three float64. Distances are squared until the end.
"""

import math

import numpy as np
from numba import njit

from jit import compiled

PARALLEL = 1e-14  # the squared sine below which two edges are parallel
STACK = 512  # pairs of nodes that wait; trees are balanced, of depth below 32


@njit
def _minus(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@njit
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit
def _along(a, u, t):
    return a[0] + t * u[0], a[1] + t * u[1], a[2] + t * u[2]


@njit
def _clamped(t):
    return min(max(t, 0.0), 1.0)


@njit
def _between_edges(a, b, c, d):
    """The squared distance of the segments ab and cd.

    After Ericson, "Real-Time Collision Detection" (2005), section 5.1.9.
    """
    u, v, w = _minus(b, a), _minus(d, c), _minus(a, c)
    uu, vv, uv = _dot(u, u), _dot(v, v), _dot(u, v)
    uw, vw = _dot(u, w), _dot(v, w)
    s = t = 0.0
    if uu == 0.0 and vv == 0.0:
        return _dot(w, w)
    if uu == 0.0:
        t = _clamped(vw / vv)
    elif vv == 0.0:
        s = _clamped(-uw / uu)
    else:
        sine = uu * vv - uv * uv
        if sine > PARALLEL * uu * vv:
            s = _clamped((uv * vw - uw * vv) / sine)
        t = (uv * s + vw) / vv
        if t < 0.0:
            t = 0.0
            s = _clamped(-uw / uu)
        elif t > 1.0:
            t = 1.0
            s = _clamped((uv - uw) / uu)
    apart = _minus(_along(a, u, s), _along(c, v, t))
    return _dot(apart, apart)


@njit
def _over_face(p, a, u, v, n, nn):
    """The squared distance of p from the plane of a triangle that it lies over, else infinity.

    u, v : from the corner a to the two others; n : their cross product, nn : its square
    """
    if nn == 0.0:
        return np.inf
    w = _minus(p, a)
    beta, gamma = _dot(_cross(w, v), n), _dot(_cross(u, w), n)
    if beta < 0.0 or gamma < 0.0 or beta + gamma > nn:
        return np.inf
    height = _dot(w, n)
    return height * height / nn


@njit
def _pierces(p, q, a, u, v, n, nn):
    """Whether the segment pq meets the triangle."""
    if nn == 0.0:
        return False
    w = _minus(p, a)
    first, second = _dot(w, n), _dot(_minus(q, a), n)
    if first * second > 0.0 or first == second:
        return False
    w = _along(w, _minus(q, p), first / (first - second))
    beta, gamma = _dot(_cross(w, v), n), _dot(_cross(u, w), n)
    return beta >= 0.0 and gamma >= 0.0 and beta + gamma <= nn


@njit
def _corner(triangle, i):
    return (
        np.float64(triangle[i, 0]),
        np.float64(triangle[i, 1]),
        np.float64(triangle[i, 2]),
    )


@njit
def _between_triangles(first, second, may_meet):
    """The squared distance of two triangles: 0 where they meet, and where that is asked.

    It is attained by two edges, or by a corner over the other's face.
    """
    a, b, c = _corner(first, 0), _corner(first, 1), _corner(first, 2)
    d, e, f = _corner(second, 0), _corner(second, 1), _corner(second, 2)
    u, v, r, s = _minus(b, a), _minus(c, a), _minus(e, d), _minus(f, d)
    n, m = _cross(u, v), _cross(r, s)
    nn, mm = _dot(n, n), _dot(m, m)
    if may_meet:
        for p, q in ((d, e), (e, f), (f, d)):
            if _pierces(p, q, a, u, v, n, nn):
                return 0.0
        for p, q in ((a, b), (b, c), (c, a)):
            if _pierces(p, q, d, r, s, m, mm):
                return 0.0
    best = np.inf
    for p in (d, e, f):
        best = min(best, _over_face(p, a, u, v, n, nn))
    for p in (a, b, c):
        best = min(best, _over_face(p, d, r, s, m, mm))
    for p, q in ((a, b), (b, c), (c, a)):
        for g, h in ((d, e), (e, f), (f, d)):
            best = min(best, _between_edges(p, q, g, h))
    return best


@njit
def _between_boxes(first, second):
    """The squared distance of two boxes: low and high corner, (6,)."""
    total = 0.0
    for axis in range(3):
        gap = max(
            np.float64(first[axis]) - second[3 + axis],
            np.float64(second[axis]) - first[3 + axis],
        )
        if gap > 0.0:
            total += gap * gap
    return total


@njit
def _between_their_boxes(first, second):
    """The squared distance of the boxes of two triangles."""
    total = 0.0
    for axis in range(3):
        a, b, c = first[0, axis], first[1, axis], first[2, axis]
        d, e, f = second[0, axis], second[1, axis], second[2, axis]
        gap = max(np.float64(min(a, b, c)) - max(d, e, f), np.float64(min(d, e, f)) - max(a, b, c))
        if gap > 0.0:
            total += gap * gap
    return total


@njit
def _size(box):
    return (
        (np.float64(box[3]) - box[0])
        + (np.float64(box[4]) - box[1])
        + (np.float64(box[5]) - box[2])
    )


@compiled("float32[:, ::1](float32[:, :, ::1], int64)")
def tree_boxes(triangles, leaves):
    """(2 leaves, 6): low and high corners of the nodes of a tree.

    Node i has the children 2 i and 2 i + 1, the root is 1, the leaves are the last half.

    Parameters
    ----------
    triangles : (leaves * size, 3, 3), in the order of the tree
    """
    boxes = np.empty((2 * leaves, 6), dtype=np.float32)
    size = len(triangles) // leaves
    for leaf in range(leaves):
        box = boxes[leaves + leaf]
        box[:3], box[3:] = np.inf, -np.inf
        for k in range(leaf * size, (leaf + 1) * size):
            for corner in range(3):
                for axis in range(3):
                    box[axis] = min(box[axis], triangles[k, corner, axis])
                    box[3 + axis] = max(box[3 + axis], triangles[k, corner, axis])
    for node in range(leaves - 1, 0, -1):
        for axis in range(3):
            boxes[node, axis] = min(boxes[2 * node, axis], boxes[2 * node + 1, axis])
            boxes[node, 3 + axis] = max(boxes[2 * node, 3 + axis], boxes[2 * node + 1, 3 + axis])
    boxes[0] = boxes[1]
    return boxes


@compiled(
    "Tuple((float64, int64))(float32[:, :, ::1], float32[:, ::1], float32[:, :, ::1], "
    "float32[:, ::1], float64)"
)
def least_distance(first, first_boxes, second, second_boxes, bound):
    """The least distance of two pieces, or `bound` where it is not below that.

    Parameters
    ----------
    first, second : (leaves * size, 3, 3)
        Triangles in the order of their tree; a leaf is `size` of them.
    first_boxes, second_boxes : (2 * leaves, 6), from `tree_boxes`
    bound : same unit as the triangles

    Returns
    -------
    The distance, and how many pairs of triangles were measured.
    """
    leaves, other_leaves = len(first_boxes) // 2, len(second_boxes) // 2
    size, other_size = len(first) // leaves, len(second) // other_leaves
    best, pairs = bound * bound, 0
    waiting = np.empty((STACK, 2), dtype=np.int64)
    waiting[0, 0] = waiting[0, 1] = 1
    count = 1
    while count:
        count -= 1
        i, j = waiting[count, 0], waiting[count, 1]
        if _between_boxes(first_boxes[i], second_boxes[j]) >= best:
            continue
        if i >= leaves and j >= other_leaves:
            start, other = (i - leaves) * size, (j - other_leaves) * other_size
            for k in range(start, start + size):
                for m in range(other, other + other_size):
                    apart = _between_their_boxes(first[k], second[m])
                    if apart < best:
                        pairs += 1
                        apart = _between_triangles(first[k], second[m], apart == 0.0)
                        best = min(best, apart)
            continue
        divide = j >= other_leaves or (
            i < leaves and _size(first_boxes[i]) >= _size(second_boxes[j])
        )
        near, far = (2 * i, 2 * i + 1) if divide else (2 * j, 2 * j + 1)
        if divide:
            swap = _between_boxes(first_boxes[near], second_boxes[j]) > _between_boxes(
                first_boxes[far], second_boxes[j]
            )
        else:
            swap = _between_boxes(first_boxes[i], second_boxes[near]) > _between_boxes(
                first_boxes[i], second_boxes[far]
            )
        if swap:
            near, far = far, near
        for child in (far, near):
            waiting[count, 0] = child if divide else i
            waiting[count, 1] = j if divide else child
            count += 1
    return math.sqrt(best), pairs

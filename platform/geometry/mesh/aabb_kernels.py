"""Compiled AABB-tree queries: closest triangle, distances.

Nodes are numbered as in a heap: 1 is the root, node i has the children 2 i and 2 i + 1, and the
last half are the leaves, which share the triangles evenly. Distances are squared.
"""

import math

import numpy as np
from numba import njit

from jit import compiled

STACK = 64  # nodes that wait; a tree is balanced, and of each level one waits
SHAPE = 12  # numbers that a triangle is kept as: see `grown`
# What rounding may take from a ray that hits an edge, or a box without depth.
EDGE, BOX = 1e-10, 1.0 + 4 * 2.220446049250313e-16


@njit
def _levels(leaves):
    levels = 0
    while 1 << levels < leaves:
        levels += 1
    return levels


@njit
def _first(leaf, levels, count):
    """The place of the first triangle of a leaf."""
    return leaf * count >> levels


@njit
def _select(order, keys, low, high, middle):
    """Divide the places low to high - 1: none before `middle` has a greater key than one behind.

    C. A. R. Hoare, "Algorithm 65: Find" (1961).
    """
    left, right = low, high - 1
    while left < right:
        pivot = keys[order[(left + right) // 2]]
        i, j = left, right
        while i <= j:
            while keys[order[i]] < pivot:
                i += 1
            while keys[order[j]] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if j < middle:
            left = i
        if middle < i:
            right = j


@compiled("int64[::1](float64[:, ::1], int64)")
def tree_order(centres, leaves):
    """The order in which triangles stand in a balanced tree over them.

    Each node is divided at the median along the longest side of its centres' box.

    Parameters
    ----------
    centres : (3, m), of the triangles
    leaves  : a power of two
    """
    count, levels = centres.shape[1], _levels(leaves)
    order = np.arange(count)
    width = leaves
    while width > 1:
        for leaf in range(0, leaves, width):
            low, high = _first(leaf, levels, count), _first(leaf + width, levels, count)
            axis, longest = 0, -1.0
            for candidate in range(3):
                least, most = np.inf, -np.inf
                for place in range(low, high):
                    value = centres[candidate, order[place]]
                    least, most = min(least, value), max(most, value)
                if most - least > longest:
                    axis, longest = candidate, most - least
            _select(order, centres[axis], low, high, _first(leaf + width // 2, levels, count))
        width //= 2
    return order


@compiled("Tuple((float64[:, ::1], float64[:, ::1]))(float64[:, :, ::1], int64[::1], int64)")
def grown(triangles, order, leaves):
    """The nodes' boxes, (2 leaves, 6), low and high corner; and the triangles as they are kept.

    Of a triangle abc, with u = b - a and v = c - a: a, u, v, uu, uv, vv.
    """
    count, levels = len(order), _levels(leaves)
    boxes = np.empty((2 * leaves, 6))
    kept = np.empty((count, SHAPE))
    for leaf in range(leaves):
        box = boxes[leaves + leaf]
        box[:3], box[3:] = np.inf, -np.inf
        for place in range(_first(leaf, levels, count), _first(leaf + 1, levels, count)):
            triangle, shape = triangles[order[place]], kept[place]
            shape[9:] = 0.0
            for axis in range(3):
                a, b, c = triangle[0, axis], triangle[1, axis], triangle[2, axis]
                box[axis] = min(box[axis], a, b, c)
                box[3 + axis] = max(box[3 + axis], a, b, c)
                u, v = b - a, c - a
                shape[axis], shape[3 + axis], shape[6 + axis] = a, u, v
                shape[9] += u * u
                shape[10] += u * v
                shape[11] += v * v
    for node in range(leaves - 1, 0, -1):
        for axis in range(3):
            boxes[node, axis] = min(boxes[2 * node, axis], boxes[2 * node + 1, axis])
            boxes[node, 3 + axis] = max(boxes[2 * node, 3 + axis], boxes[2 * node + 1, 3 + axis])
    boxes[0] = boxes[1]
    return boxes, kept


@njit
def _from_box(boxes, node, x, y, z):
    dx = max(boxes[node, 0] - x, x - boxes[node, 3], 0.0)
    dy = max(boxes[node, 1] - y, y - boxes[node, 4], 0.0)
    dz = max(boxes[node, 2] - z, z - boxes[node, 5], 0.0)
    return dx * dx + dy * dy + dz * dz


@njit
def _on_triangle(kept, place, x, y, z):
    """Where it comes closest: s and t of a + s u + t v.

    After Ericson, "Real-Time Collision Detection" (2005), section 5.1.5. A triangle may be a line
    or a point.
    """
    px, py, pz = x - kept[place, 0], y - kept[place, 1], z - kept[place, 2]
    uu, uv, vv = kept[place, 9], kept[place, 10], kept[place, 11]
    up = kept[place, 3] * px + kept[place, 4] * py + kept[place, 5] * pz
    vp = kept[place, 6] * px + kept[place, 7] * py + kept[place, 8] * pz
    if up <= 0.0 and vp <= 0.0:
        return 0.0, 0.0
    up_b, vp_b = up - uu, vp - uv
    if up_b >= 0.0 and vp_b <= up_b:
        return 1.0, 0.0
    of_c = up * vp_b - up_b * vp
    if of_c <= 0.0 and up >= 0.0 and up_b <= 0.0 and uu > 0.0:
        return up / uu, 0.0
    up_c, vp_c = up - uv, vp - vv
    if vp_c >= 0.0 and up_c <= vp_c:
        return 0.0, 1.0
    of_b = up_c * vp - up * vp_c
    if of_b <= 0.0 and vp >= 0.0 and vp_c <= 0.0:
        return 0.0, vp / vv
    of_a = up_b * vp_c - up_c * vp_b
    along, against = vp_b - up_b, up_c - vp_c
    if of_a <= 0.0 and along >= 0.0 and against >= 0.0:
        t = along / (along + against)
        return 1.0 - t, t
    whole = of_a + of_b + of_c
    return of_b / whole, of_c / whole


@njit
def _closest(boxes, kept, levels, x, y, z, best, enough, waiting, squares):
    """The squared distance, where it is below `best`, and the place of the triangle, and s and t.

    enough : the search ends with the first triangle that is as near as this, squared
    """
    leaves, count = 1 << levels, len(kept)
    place, at_s, at_t = -1, 0.0, 0.0
    node, depth = 1, 0
    while True:
        while node < leaves:
            node *= 2
            near, far = _from_box(boxes, node, x, y, z), _from_box(boxes, node + 1, x, y, z)
            other = node + 1
            if far < near:
                near, far = far, near
                node, other = other, node
            if far < best:
                waiting[depth], squares[depth] = other, far
                depth += 1
            if near >= best:
                node = 0
                break
        if node:
            leaf = node - leaves
            for k in range(_first(leaf, levels, count), _first(leaf + 1, levels, count)):
                s, t = _on_triangle(kept, k, x, y, z)
                dx = x - kept[k, 0] - s * kept[k, 3] - t * kept[k, 6]
                dy = y - kept[k, 1] - s * kept[k, 4] - t * kept[k, 7]
                dz = z - kept[k, 2] - s * kept[k, 5] - t * kept[k, 8]
                square = dx * dx + dy * dy + dz * dz
                if square < best:
                    best, place, at_s, at_t = square, k, s, t
            if best <= enough:
                break
        while depth and squares[depth - 1] >= best:
            depth -= 1
        if not depth:
            break
        depth -= 1
        node = waiting[depth]
    return best, place, at_s, at_t


@compiled(
    "void(float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], int64[::1], "
    "float64[:, ::1])"
)
def nearest(boxes, kept, points, distances, places, closest):
    """Of (n, 3) points: the distances, the places of the triangles, and where on these."""
    levels = _levels(len(boxes) // 2)
    waiting, squares = np.empty(STACK, dtype=np.int64), np.empty(STACK)
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        square, k, s, t = _closest(boxes, kept, levels, x, y, z, np.inf, 0.0, waiting, squares)
        distances[i], places[i] = math.sqrt(square), k
        for axis in range(3):
            closest[i, axis] = kept[k, axis] + s * kept[k, 3 + axis] + t * kept[k, 6 + axis]


@compiled("float64[::1](float64[:, ::1], float64[:, ::1], float64[:, ::1], float64)")
def distances(boxes, kept, points, below):
    """Those of (n, 3) points; `below` where they are not less than that."""
    levels = _levels(len(boxes) // 2)
    waiting, squares = np.empty(STACK, dtype=np.int64), np.empty(STACK)
    found = np.empty(len(points))
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        best = below * below
        square, place, _, _ = _closest(boxes, kept, levels, x, y, z, best, 0.0, waiting, squares)
        found[i] = below if place < 0 else math.sqrt(square)
    return found


@compiled("float64(float64[:, ::1], float64[:, ::1], float64[:, ::1], float64)")
def farthest(boxes, kept, points, known):
    """The largest of the distances of (n, 3) points, and at least `known`.

    A. A. Taha and A. Hanbury, "An efficient algorithm for calculating the exact Hausdorff
    distance" (2015): a point is done with as soon as something is nearer than the largest yet.
    """
    levels = _levels(len(boxes) // 2)
    waiting, squares = np.empty(STACK, dtype=np.int64), np.empty(STACK)
    largest = known * known
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        square, _, _, _ = _closest(boxes, kept, levels, x, y, z, np.inf, largest, waiting, squares)
        largest = max(largest, square)
    return max(known, math.sqrt(largest))


@njit
def _enters(boxes, node, origin, inverse, far):
    """How far a ray flies to a box; -1 where it misses it, or hits it beyond `far`.

    inverse : of each part of its direction, 0 of those that are 0
    """
    enter, leave = 0.0, far
    for axis in range(3):
        if inverse[axis] == 0.0:  # along the sides: it hits where it lies between them
            if not boxes[node, axis] <= origin[axis] <= boxes[node, 3 + axis]:
                return -1.0
            continue
        one = (boxes[node, axis] - origin[axis]) * inverse[axis]
        other = (boxes[node, 3 + axis] - origin[axis]) * inverse[axis]
        enter = max(enter, min(one, other))
        leave = min(leave, max(one, other) * BOX)
    return enter if enter <= leave else -1.0


@njit
def _meets(kept, place, origin, towards):
    """How far a ray flies to a triangle, from either side; -1 where it misses it.

    T. Moeller and B. Trumbore, "Fast, minimum storage ray/triangle intersection" (1997).
    """
    ux, uy, uz = kept[place, 3], kept[place, 4], kept[place, 5]
    vx, vy, vz = kept[place, 6], kept[place, 7], kept[place, 8]
    dx, dy, dz = towards[0], towards[1], towards[2]
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    volume = ux * px + uy * py + uz * pz
    if volume == 0.0:
        return -1.0
    ox = origin[0] - kept[place, 0]
    oy = origin[1] - kept[place, 1]
    oz = origin[2] - kept[place, 2]
    s = (ox * px + oy * py + oz * pz) / volume
    if s < -EDGE or s > 1.0 + EDGE:
        return -1.0
    qx, qy, qz = oy * uz - oz * uy, oz * ux - ox * uz, ox * uy - oy * ux
    t = (dx * qx + dy * qy + dz * qz) / volume
    if t < -EDGE or s + t > 1.0 + EDGE:
        return -1.0
    return (vx * qx + vy * qy + vz * qz) / volume


@compiled(
    "void(float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[::1], "
    "int64[::1])"
)
def first_hits(boxes, kept, origins, directions, distances, places):
    """Of rays, (n, 3) each: how far they fly and the places of the triangles; inf and -1 of none.

    Distances count in lengths of the direction.
    """
    leaves, count = len(boxes) // 2, len(kept)
    levels = _levels(leaves)
    waiting, entered = np.empty(STACK, dtype=np.int64), np.empty(STACK)
    inverse = np.empty(3)
    for ray in range(len(origins)):
        origin, towards = origins[ray], directions[ray]
        for axis in range(3):
            inverse[axis] = 1.0 / towards[axis] if towards[axis] != 0.0 else 0.0
        best, place = np.inf, -1
        depth = 0
        begin = _enters(boxes, 1, origin, inverse, best)
        if begin >= 0.0:
            waiting[0], entered[0] = 1, begin
            depth = 1
        while depth:
            depth -= 1
            node = waiting[depth]
            if entered[depth] > best:
                continue
            if node >= leaves:
                leaf = node - leaves
                for k in range(_first(leaf, levels, count), _first(leaf + 1, levels, count)):
                    far = _meets(kept, k, origin, towards)
                    if 0.0 <= far < best:
                        best, place = far, k
                continue
            near = _enters(boxes, 2 * node, origin, inverse, best)
            other = _enters(boxes, 2 * node + 1, origin, inverse, best)
            # The nearer one is looked at first: it is put on top.
            if near >= 0.0 and (other < 0.0 or near > other):
                waiting[depth], entered[depth] = 2 * node, near
                depth += 1
            if other >= 0.0:
                waiting[depth], entered[depth] = 2 * node + 1, other
                depth += 1
            if near >= 0.0 and other >= 0.0 and near <= other:
                waiting[depth], entered[depth] = 2 * node, near
                depth += 1
        distances[ray], places[ray] = best, place

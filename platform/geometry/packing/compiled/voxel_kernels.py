"""Compiled voxelisation of triangles with an offset.

Everything here is in units of cells: the cell (i, j, k) is the closed cube from i to i + 1, and so
on. Cells are arrays [x, y, z] of uint8.
"""

import numpy as np

from jit import compiled


@compiled("float64(float64, float64, float64, float64)")
def _gap(a, b, c, radius):
    """How far the interval of three numbers lies from [-radius, radius]; negative: they meet."""
    return max(min(a, b, c) - radius, -radius - max(a, b, c))


@compiled("boolean(float64[:, :], float64, float64, float64)")
def _meets_cube(t, x, y, z):
    """Whether a triangle meets the closed unit cube about (x, y, z): 13 separating axes.

    After Akenine-Moeller, "Fast 3D triangle-box overlap testing" (2001).
    """
    ax, ay, az = t[0, 0] - x, t[0, 1] - y, t[0, 2] - z
    bx, by, bz = t[1, 0] - x, t[1, 1] - y, t[1, 2] - z
    cx, cy, cz = t[2, 0] - x, t[2, 1] - y, t[2, 2] - z
    if _gap(ax, bx, cx, 0.5) > 0 or _gap(ay, by, cy, 0.5) > 0 or _gap(az, bz, cz, 0.5) > 0:
        return False
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    if abs(nx * ax + ny * ay + nz * az) > 0.5 * (abs(nx) + abs(ny) + abs(nz)):
        return False
    for edge in range(3):
        if edge == 0:
            ex, ey, ez = ux, uy, uz
        elif edge == 1:
            ex, ey, ez = cx - bx, cy - by, cz - bz
        else:
            ex, ey, ez = vx, vy, vz
        radius = 0.5 * (abs(ey) + abs(ez))
        if _gap(az * ey - ay * ez, bz * ey - by * ez, cz * ey - cy * ez, radius) > 0:
            return False
        radius = 0.5 * (abs(ex) + abs(ez))
        if _gap(ax * ez - az * ex, bx * ez - bz * ex, cx * ez - cz * ex, radius) > 0:
            return False
        radius = 0.5 * (abs(ex) + abs(ey))
        if _gap(ay * ex - ax * ey, by * ex - bx * ey, cy * ex - cx * ey, radius) > 0:
            return False
    return True


@compiled("UniTuple(float64, 3)(float64[:, :], float64, float64, float64)")
def _from_nearest(t, x, y, z):
    """The vector to (x, y, z) from the point of a triangle that is nearest to it.

    After Ericson, "Real-Time Collision Detection" (2005), section 5.1.5.
    """
    ax, ay, az = x - t[0, 0], y - t[0, 1], z - t[0, 2]
    ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
    vx, vy, vz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
    d1 = ux * ax + uy * ay + uz * az
    d2 = vx * ax + vy * ay + vz * az
    if d1 <= 0.0 and d2 <= 0.0:
        return ax, ay, az
    bx, by, bz = x - t[1, 0], y - t[1, 1], z - t[1, 2]
    d3 = ux * bx + uy * by + uz * bz
    d4 = vx * bx + vy * by + vz * bz
    if d3 >= 0.0 and d4 <= d3:
        return bx, by, bz
    over_ab = d1 * d4 - d3 * d2
    if over_ab <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        s = d1 / (d1 - d3)
        return ax - s * ux, ay - s * uy, az - s * uz
    cx, cy, cz = x - t[2, 0], y - t[2, 1], z - t[2, 2]
    d5 = ux * cx + uy * cy + uz * cz
    d6 = vx * cx + vy * cy + vz * cz
    if d6 >= 0.0 and d5 <= d6:
        return cx, cy, cz
    over_ac = d5 * d2 - d1 * d6
    if over_ac <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        s = d2 / (d2 - d6)
        return ax - s * vx, ay - s * vy, az - s * vz
    over_bc = d3 * d6 - d5 * d4
    if over_bc <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        s = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return bx - s * (vx - ux), by - s * (vy - uy), bz - s * (vz - uz)
    scale = 1.0 / (over_ab + over_ac + over_bc)
    s, r = over_ac * scale, over_ab * scale
    return ax - s * ux - r * vx, ay - s * uy - r * vy, az - s * uz - r * vz


@compiled("UniTuple(int64, 2)(float64, float64, float64, int64, int64)")
def _slab(offset, slope, reach, first, last):
    """The whole numbers k of first .. last, and one beside, with |offset + slope k| <= reach."""
    if abs(slope) < 1e-9:
        return (first, last) if abs(offset) <= reach + 1e-6 else (first, first - 1)
    a, b = (-reach - offset) / slope, (reach - offset) / slope
    low, high = min(a, b), max(a, b)
    if low > last + 1.0 or high < first - 1.0:
        return first, first - 1
    return max(first, np.int64(max(low, -1e9)) - 1), min(last, np.int64(min(high, 1e9)) + 1)


@compiled("UniTuple(float64, 4)(float64[:, :])")
def _normal(t):
    """Return (nx, ny, nz, longest edge) of a triangle; of a sliver the normal is zero."""
    ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
    vx, vy, vz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    longest = max(
        ux * ux + uy * uy + uz * uz,
        vx * vx + vy * vy + vz * vz,
        (vx - ux) ** 2 + (vy - uy) ** 2 + (vz - uz) ** 2,
    )
    if length <= 1e-9 * longest or longest == 0.0:
        return 0.0, 0.0, 0.0, np.sqrt(longest)
    return nx / length, ny / length, nz / length, np.sqrt(longest)


@compiled("UniTuple(float64, 2)(float64[:, :], int64)")
def _range(t, axis):
    """Return the least and the largest coordinate of a triangle along an axis."""
    a, b, c = t[0, axis], t[1, axis], t[2, axis]
    return min(a, b, c), max(a, b, c)


@compiled("boolean(float64[:, :], float64, float64, float64, float64, float64)")
def _may_be_near(t, x, y, z, reach, sliver):
    """Whether no plane proves that the cube about (x, y, z) is `reach` away or more.

    sliver : the longest edge of a sliver, whose normal says nothing: its nearest point is the
             nearest corner, or at most this far from it; negative for any other triangle
    """
    if sliver >= 0.0:
        nearest = 1e30
        for corner in range(3):
            nearest = min(
                nearest,
                (x - t[corner, 0]) ** 2 + (y - t[corner, 1]) ** 2 + (z - t[corner, 2]) ** 2,
            )
        return np.sqrt(nearest) - sliver - 0.8661 < reach
    mx, my, mz = _from_nearest(t, x, y, z)
    apart = np.sqrt(mx * mx + my * my + mz * mz)
    # Both sides times `apart`, which may be 0.
    corner_way = 0.5 * (abs(mx) + abs(my) + abs(mz))
    return apart * apart - corner_way < reach * apart or apart == 0.0


@compiled("void(float64[:, :], UniTuple(float64, 4), uint8[:, :, :], uint8[:, :, :])")
def _mark_touched(t, normal, touched, near):
    """Mark the cells that a triangle touches."""
    nx, ny, nz, _ = normal
    half = 0.5 * (abs(nx) + abs(ny) + abs(nz))
    size_x, size_y, size_z = near.shape
    (low_x, high_x), (low_y, high_y), (low_z, high_z) = _range(t, 0), _range(t, 1), _range(t, 2)
    for i in range(max(0, int(low_x) - 1), min(size_x, int(high_x) + 2)):
        for j in range(max(0, int(low_y) - 1), min(size_y, int(high_y) + 2)):
            x, y = i + 0.5, j + 0.5
            offset = nx * (x - t[0, 0]) + ny * (y - t[0, 1]) + nz * (0.5 - t[0, 2])
            first, last = max(0, int(low_z) - 1), min(size_z - 1, int(high_z) + 1)
            first, last = _slab(offset, nz, half, first, last)
            for k in range(first, last + 1):
                if not touched[i, j, k] and _meets_cube(t, x, y, k + 0.5):
                    touched[i, j, k] = 1
                    near[i, j, k] = 1


@compiled("void(float64[:, :], UniTuple(float64, 4), float64, uint8[:, :, :])")
def _mark_near(t, normal, reach, near):
    """Mark the cells that may lie nearer to a triangle than `reach`."""
    nx, ny, nz, longest = normal
    half = 0.5 * (abs(nx) + abs(ny) + abs(nz))
    sliver = longest if half == 0.0 else -1.0
    size_x, size_y, size_z = near.shape
    (low_x, high_x), (low_y, high_y), (low_z, high_z) = _range(t, 0), _range(t, 1), _range(t, 2)
    around_x, around_y, around_z = (
        0.5 * (low_x + high_x),
        0.5 * (low_y + high_y),
        0.5 * (low_z + high_z),
    )
    ball = 0.5 * np.sqrt((high_x - low_x) ** 2 + (high_y - low_y) ** 2 + (high_z - low_z) ** 2)
    beyond = (ball + reach + 0.8661) ** 2
    for i in range(max(0, int(low_x - reach)), min(size_x, int(high_x + reach) + 1)):
        for j in range(max(0, int(low_y - reach)), min(size_y, int(high_y + reach) + 1)):
            x, y = i + 0.5, j + 0.5
            offset = nx * (x - t[0, 0]) + ny * (y - t[0, 1]) + nz * (0.5 - t[0, 2])
            first = max(0, int(low_z - reach))
            last = min(size_z - 1, int(high_z + reach))
            first, last = _slab(offset, nz, half + reach, first, last)
            flat = (x - around_x) ** 2 + (y - around_y) ** 2
            for k in range(first, last + 1):
                z = k + 0.5
                if near[i, j, k] or flat + (z - around_z) ** 2 > beyond:
                    continue
                if _may_be_near(t, x, y, z, reach, sliver):
                    near[i, j, k] = 1


@compiled("void(float64[:, :, :], float64, uint8[:, :, :], uint8[:, :, :])")
def mark(triangles, reach, touched, near):
    """Mark the cells that triangles touch, and those that may lie nearer to one than `reach`.

    A cell is not near where a plane proves it: the plane through the triangle's point nearest to
    the cell's centre, square to the line between them, has the triangle on one side, and the
    cube's nearest corner on the other, at |m - q| - (|nx| + |ny| + |nz|) / 2 at least.
    """
    for index in range(len(triangles)):
        normal = _normal(triangles[index])
        _mark_touched(triangles[index], normal, touched, near)
        _mark_near(triangles[index], normal, reach, near)


@compiled("int64[:](int16[:, :], int64)")
def spread(points, count):
    """The numbers of up to `count` points (n, 3), each as far as can be from those before it."""
    count = min(count, len(points))
    chosen = np.zeros(count, np.int64)
    apart = np.full(len(points), np.int64(1) << 60)
    for turn in range(1, count):
        x, y, z = points[chosen[turn - 1]]
        best = 0
        for i in range(len(points)):
            dx, dy, dz = points[i, 0] - x, points[i, 1] - y, points[i, 2] - z
            apart[i] = min(apart[i], dx * dx + dy * dy + dz * dz)
            if apart[i] > apart[best]:
                best = i
        chosen[turn] = best
    return chosen

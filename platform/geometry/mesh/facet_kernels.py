"""Compiled per-facet kernels: hashing, bounds, volume, transform, STL records.

It loads numba, so it is imported where facets are about to be read, and not by whoever only asks
for a version; the children of the workers have it before their first job.
"""

import numpy as np
from numba import njit

from jit import compiled

ONE, HALF_WORD = np.uint64(1), np.uint64(32)
DIRECTIONLESS = ~ONE
# Odd constants with their bits well spread, as in the finalisers of common hash functions.
MIX_XY = np.uint64(0x9E3779B97F4A7C15)
MIX_Z = np.uint64(0xC2B2AE3D27D4EB4F)
MIX_LAST = np.uint64(0xD6E8FEB86659FD93)


@compiled("void(uint32[:, ::1], uint64, uint64[:, ::1])")
def hash_bits(bits, salt, hashes):
    """Into (3, k) hashes those of the corners that (9, k) are the bits of."""
    for corner in range(3):
        for i in range(bits.shape[1]):
            word = np.uint64(bits[3 * corner, i]) << HALF_WORD | np.uint64(bits[3 * corner + 1, i])
            word = (word ^ salt) * MIX_XY
            word ^= word >> HALF_WORD
            word = (word ^ np.uint64(bits[3 * corner + 2, i]) * MIX_Z) * MIX_LAST
            word ^= word >> HALF_WORD
            word *= MIX_LAST
            hashes[corner, i] = word ^ word >> HALF_WORD


@njit
def _key(start, end):
    """Of a half-edge; see `geometry.mesh.half_edges.half_edges`."""
    return (start + end) & DIRECTIONLESS | np.uint64(start < end)


@njit
def _box_of_proper(facets, hashes, box):
    for i in range(facets.shape[1]):
        a, b, c = hashes[0, i], hashes[1, i], hashes[2, i]
        if a == b or b == c or c == a:
            continue
        for row in range(9):
            axis = row % 3
            box[0, axis] = min(box[0, axis], facets[row, i])
            box[1, axis] = max(box[1, axis], facets[row, i])


@compiled("int64(float32[:, ::1], uint64[:, ::1], float64[::1], uint64[::1], float32[:, ::1], "
          "float64[::1])")  # fmt: skip
def tally(facets, hashes, origin, keys, box, sums):
    """Take in (9, k) facets with the hashes (3, k) of their corners; how many have three corners.

    origin : (3,) from which the volume is measured
    keys   : takes the half-edges of facets that have three corners
    box    : (4, 3) lowest and highest corner of these, and of all facets
    sums   : their area, doubled, and the sixfold volume
    """
    kept = 0
    area, volume = 0.0, 0.0
    ox, oy, oz = origin[0], origin[1], origin[2]
    for axis in range(3):
        low, high = box[2, axis], box[3, axis]
        for corner in range(3):
            for i in range(facets.shape[1]):
                value = facets[3 * corner + axis, i]
                low, high = min(low, value), max(high, value)
        box[2, axis], box[3, axis] = low, high
    for i in range(facets.shape[1]):
        a, b, c = hashes[0, i], hashes[1, i], hashes[2, i]
        if a == b or b == c or c == a:
            continue
        keys[3 * kept] = _key(a, b)
        keys[3 * kept + 1] = _key(b, c)
        keys[3 * kept + 2] = _key(c, a)
        kept += 1
        ax, ay, az = np.float64(facets[0, i]), np.float64(facets[1, i]), np.float64(facets[2, i])
        ux, uy, uz = facets[3, i] - ax, facets[4, i] - ay, facets[5, i] - az
        vx, vy, vz = facets[6, i] - ax, facets[7, i] - ay, facets[8, i] - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        area += np.sqrt(nx * nx + ny * ny + nz * nz)
        volume += (ax - ox) * nx + (ay - oy) * ny + (az - oz) * nz
    if kept == facets.shape[1]:
        for axis in range(3):
            box[0, axis] = min(box[0, axis], box[2, axis])
            box[1, axis] = max(box[1, axis], box[3, axis])
    else:
        _box_of_proper(facets, hashes, box)
    sums[0] += area
    sums[1] += volume
    return kept


@compiled("void(float32[:, ::1], float32[:, ::1])")
def normals(facets, out):
    """Into (3, k) the unit normals of (9, k) facets, zero where a facet has no area."""
    for i in range(facets.shape[1]):
        ax, ay, az = np.float64(facets[0, i]), np.float64(facets[1, i]), np.float64(facets[2, i])
        ux, uy, uz = facets[3, i] - ax, facets[4, i] - ay, facets[5, i] - az
        vx, vy, vz = facets[6, i] - ax, facets[7, i] - ay, facets[8, i] - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = np.sqrt(nx * nx + ny * ny + nz * nz)
        if not length > 0.0:
            length = 1.0
        out[0, i], out[1, i], out[2, i] = nx / length, ny / length, nz / length


@compiled("void(uint32[:, ::1], uint16[:, ::1])")
def interleave(bits, records):
    """Into (k, 25) records of STL the 12 numbers of each facet that (12, k) are the bits of."""
    for i in range(bits.shape[1]):
        for row in range(12):
            records[i, 2 * row] = bits[row, i] & np.uint32(0xFFFF)
            records[i, 2 * row + 1] = bits[row, i] >> np.uint32(16)
        records[i, 24] = 0


@compiled("void(float32[:, ::1], float64[:, ::1], float64[::1], float32[:, ::1])")
def affine(facets, linear, offset, out):
    """Into (9, k) the facets under a map, rounded once and without -0.0.

    Terms are added in the order of the axes, and the offset last: equal corners stay equal.
    """
    for row in range(9):
        first, axis = row - row % 3, row % 3
        a, b, c, d = linear[axis, 0], linear[axis, 1], linear[axis, 2], offset[axis]
        for i in range(facets.shape[1]):
            x, y, z = facets[first, i], facets[first + 1, i], facets[first + 2, i]
            out[row, i] = np.float32(x * a + y * b + z * c + d) + np.float32(0.0)

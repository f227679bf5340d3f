"""Compiled rigid transform of triangles, rounded as in an STL."""

import numpy as np
from numpy.typing import NDArray

from jit import compiled


def transformed(
    triangles: NDArray[np.float32], transform: NDArray[np.float64]
) -> NDArray[np.float32]:
    """(n, 3, 3): triangles moved by a (4, 4), in float64, then rounded as an STL holds them."""
    rows = np.ascontiguousarray(transform[:3], dtype=np.float64)
    return _moved(np.ascontiguousarray(triangles, dtype=np.float32), rows)


@compiled("float32[:, :, ::1](float32[:, :, ::1], float64[:, ::1])")
def _moved(triangles, rows):
    """Sums from left to right, and no BLAS: the same bits everywhere; quarter turns stay exact."""
    moved = np.empty_like(triangles)
    a, b, c, d = rows[0, 0], rows[0, 1], rows[0, 2], rows[0, 3]
    e, f, g, h = rows[1, 0], rows[1, 1], rows[1, 2], rows[1, 3]
    i, j, k, m = rows[2, 0], rows[2, 1], rows[2, 2], rows[2, 3]
    for number in range(len(triangles)):
        for corner in range(3):
            x = np.float64(triangles[number, corner, 0])
            y = np.float64(triangles[number, corner, 1])
            z = np.float64(triangles[number, corner, 2])
            moved[number, corner, 0] = a * x + b * y + c * z + d
            moved[number, corner, 1] = e * x + f * y + g * z + h
            moved[number, corner, 2] = i * x + j * y + k * z + m
    return moved

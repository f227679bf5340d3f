"""Triangles of simple bodies, for the tests of pictures."""

import numpy as np
from numpy.typing import NDArray


def box(low: tuple, high: tuple) -> NDArray[np.float32]:
    """(12, 3, 3): an upright box, counter-clockwise from outside."""
    corners = np.array([[(low, high)[i >> axis & 1][axis] for axis in range(3)] for i in range(8)])
    sides = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    faces = [(a, b, c) for a, b, c, _ in sides] + [(a, c, d) for a, _, c, d in sides]
    return corners[np.array(faces)].astype(np.float32)


def ball(rings: int) -> NDArray[np.float32]:
    """(4 rings^2, 3, 3): a sphere of radius 10; the triangles at its poles are degenerate."""
    around, down = np.linspace(0, 2 * np.pi, 2 * rings + 1), np.linspace(0, np.pi, rings + 1)
    u, v = np.meshgrid(around, down, indexing="ij")
    grid = 10 * np.stack([np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), np.cos(v)], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]
    return np.stack([a, b, c, a, c, d], axis=2).reshape(-1, 3, 3).astype(np.float32)

"""Triangles to an indexed mesh: corners with the same bits become one vertex."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.clustering import mix

BLOCK = 1 << 18  # corners that are compared at once


class Welded(NamedTuple):
    """vertices (n, 3) float32 and faces (m, 3) int32, in the order of the triangles."""

    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]


def weld(triangles: NDArray[np.float32]) -> Welded:
    """The mesh of triangles, (m, 3, 3) float32 without -0.0."""
    corners = triangles.reshape(-1, 3)
    bits = corners.view(np.uint32)
    words = bits[:, 0].astype(np.uint64)
    words <<= np.uint64(32)
    words |= bits[:, 1]
    words = mix(mix(words) ^ bits[:, 2])
    _, first, place = np.unique(words, return_index=True, return_inverse=True)
    # Two places whose 64 mixed bits agree would become one: then each corner keeps its own.
    if not all(
        np.array_equal(bits[first[place[start : start + BLOCK]]], bits[start : start + BLOCK])
        for start in range(0, len(bits), BLOCK)
    ):
        return Welded(corners, np.arange(len(corners), dtype=np.int32).reshape(-1, 3))
    return Welded(corners[first], place.astype(np.int32).reshape(-1, 3))

"""Coarser copies of huge meshes, by clustering their vertices on a grid."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh.corners import mix
from geometry.mesh.edges import has_three_corners

CELL_BITS = 21  # of a cell's number on each axis

Chunks = Callable[[], Iterable[NDArray]]  # each call reads the triangles anew, (k, 3, 3) at a time


class Clustered(NamedTuple):
    """vertices (n, 3) float64, faces (m, 3) uint32 with their winding kept."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.uint32]


def cluster(
    chunks: Chunks,
    low: NDArray[np.float64],
    edge: float,
    cells: int,
    most: int,
) -> Clustered:
    """Triangles between cells: all their corners in a cell become one vertex, at the mean.

    Triangles with two corners in one cell collapse and are dropped.

    After Rossignac and Borrel, "Multi-resolution 3D approximations for rendering complex
    scenes" (1993). Memory goes with what survives, not with what is read.

    Parameters
    ----------
    low, edge : (3,) float64 and float
        The lowest corner and the edge of a cube that holds the mesh.
    cells : int
        Cells along the edge of the cube, below 2**21.
    most : int
        Where more triangles than this survive, fewer cells are used.
    """
    while (clustered := _cluster_on(chunks, low, edge, cells, most)) is None:
        cells = cells * 3 // 4
    return clustered


def _cluster_on(
    chunks: Chunks, low: NDArray, edge: float, cells: int, most: int
) -> Clustered | None:
    triangles, kept = [], 0  # the numbers of their three cells
    numbers, sums, counts = [], [], []  # of the cells of each chunk
    for corners in chunks():
        cell_of = _cell_numbers(corners, low, edge, cells)  # (k, 3)
        survives = has_three_corners(cell_of)
        cell_of, corners = cell_of[survives], corners[survives].reshape(-1, 3)
        used, place, count = np.unique(cell_of, return_inverse=True, return_counts=True)
        numbers.append(used)
        sums.append(_sums(corners, place.reshape(-1)))
        counts.append(count)
        triangles.append(without_repeats(cell_of))
        kept += len(triangles[-1])
        if kept > 2 * most:
            return None

    used, place = np.unique(np.concatenate(numbers), return_inverse=True)
    members = np.bincount(place, np.concatenate(counts))
    vertices = _sums(np.concatenate(sums), place) / members[:, None]

    faces = without_repeats(np.concatenate(triangles))
    if len(faces) > most:
        return None
    return Clustered(vertices, np.searchsorted(used, faces).astype(np.uint32))


def _sums(points: NDArray, place: NDArray) -> NDArray[np.float64]:
    """(n, 3): the sum of the points that have the same place."""
    return np.stack([np.bincount(place, points[:, axis]) for axis in range(3)], axis=1)


def _cell_numbers(corners: NDArray, low: NDArray, edge: float, cells: int) -> NDArray[np.int64]:
    """(k, 3) int64: the number of the cell that each corner of (k, 3, 3) lies in."""
    place = (corners - low.astype(corners.dtype)) * corners.dtype.type(cells / edge)
    place = np.clip(place, 0, cells - 1).astype(np.int64)  # (k, 3, 3)
    return (place[..., 0] << 2 * CELL_BITS) | (place[..., 1] << CELL_BITS) | place[..., 2]


def without_repeats(faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first of all triangles that join the same three vertices, in the order of the file.

    Triangles are told apart by 64 mixed bits: of ten million, one is lost in vain with a chance
    of about three in a million.
    """
    a, b, c = np.sort(faces, axis=1).astype(np.uint64).T
    mixed = mix(mix(mix(a) ^ b) ^ c)
    _, first = np.unique(mixed, return_index=True)
    return faces[np.sort(first)]

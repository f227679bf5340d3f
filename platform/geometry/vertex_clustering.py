"""Mesh simplification by vertex clustering (Rossignac and Borrel)."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh.half_edges import has_three_corners
from geometry.mesh.welding import in_order, mix

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
    triangles, kept, before = [], 0, 0  # each corner's place among the cells of all chunks
    numbers, sums, counts = [], [], []  # of the cells of each chunk
    for corners in chunks():
        cell_of = _cell_numbers(corners, low, edge, cells)  # (k, 3)
        survives = has_three_corners(cell_of)
        cell_of, corners = cell_of[survives], corners[survives].reshape(-1, 3)
        used, place, count = _distinct(cell_of.reshape(-1))
        numbers.append(used)
        sums.append(_sums(corners, place))
        counts.append(count)
        triangles.append(before + without_repeats(place.reshape(-1, 3)))
        before += len(used)
        kept += len(triangles[-1])
        if kept > 2 * most:
            return None

    used, place, _ = _distinct(np.concatenate(numbers))
    members = np.bincount(place, np.concatenate(counts))
    vertices = _sums(np.concatenate(sums), place) / members[:, None]

    faces = without_repeats(place[np.concatenate(triangles)])
    return None if len(faces) > most else Clustered(vertices, faces.astype(np.uint32))


def _distinct(
    words: NDArray[np.uint64],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """The words in order, each once; the place of each word among these; how many there are."""
    order, ordered = in_order(words)
    begins = np.ones(len(words), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    place = np.empty(len(words), dtype=np.int64)
    place[order] = np.cumsum(begins) - 1
    starts = np.flatnonzero(begins)
    return ordered[starts], place, np.diff(starts, append=len(words))


def _sums(points: NDArray, place: NDArray) -> NDArray[np.float64]:
    """(n, 3): the sum of the points that have the same place."""
    return np.stack([np.bincount(place, points[:, axis]) for axis in range(3)], axis=1)


def _cell_numbers(corners: NDArray, low: NDArray, edge: float, cells: int) -> NDArray[np.uint64]:
    """(k, 3): the number of the cell that each corner of (k, 3, 3) lies in."""
    place = (corners - low.astype(corners.dtype)) * corners.dtype.type(cells / edge)
    place = np.clip(place, 0, cells - 1).astype(np.uint64)  # (k, 3, 3)
    bits = np.uint64((cells - 1).bit_length())  # as few as there can be: short words sort sooner
    return (place[..., 0] << bits | place[..., 1]) << bits | place[..., 2]


def without_repeats(faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first of all triangles that join the same vertices the same way round, in their order.

    Of a wall that is thinner than a cell both sides stay: where faces turned away are not drawn,
    light would shine through it.

    Triangles are distinguished by 64 mixed bits: of ten million, one is lost in vain with a chance
    of about three in a million. They are sorted by as many of these as leave room for their
    place, so that of two kinds that agree in so many bits a repeat may stay.
    """
    one, other, third = faces.T
    turned = ((one < other) ^ (other < third) ^ (third < one)).astype(np.uint64) << np.uint64(63)
    a, b, c = np.sort(faces, axis=1).astype(np.uint64).T
    mixed = mix(mix(mix(a) ^ b) ^ c ^ turned)
    place = np.uint64(max(len(faces) - 1, 0).bit_length())
    packed = mixed >> place << place | np.arange(len(faces), dtype=np.uint64)
    packed.sort()
    order = (packed & ((np.uint64(1) << place) - np.uint64(1))).astype(np.int64)
    ordered = mixed[order]
    again = np.zeros(len(faces), dtype=bool)
    again[order[1:]] = ordered[1:] == ordered[:-1]
    return faces[~again]

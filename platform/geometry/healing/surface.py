"""The mesh while it is healed, its edges, and what is wrong with them."""

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from geometry.welding import weld

KEPT = -1  # in `Surface.fill`: not invented


@dataclass(frozen=True, eq=False)
class Surface:
    """An indexed mesh, and which of its faces were invented to close a hole.

    vertices : (n, 3) float64, mm
    faces    : (m, 3) int64, counter-clockwise from outside
    fill     : (m,) int64, KEPT, or the number of the hole that the face fills
    anchors  : (k, 3) float64, the middle of each hole's rim
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    fill: NDArray[np.int64]
    anchors: NDArray[np.float64]

    @property
    def triangles(self) -> NDArray[np.float64]:
        """(m, 3, 3): corner positions, face by face."""
        return self.vertices[self.faces]

    @property
    def diagonal(self) -> float:
        """Of the bounding box, mm."""
        return float(np.linalg.norm(np.ptp(self.vertices, axis=0))) if len(self.vertices) else 0.0

    @cached_property
    def edges(self) -> "Edges":
        return find_edges(self.faces)

    def replace(self, **changes: NDArray) -> Self:
        return dataclasses.replace(self, **changes)

    def only(self, kept: NDArray[np.bool_]) -> Self:
        return self.replace(faces=self.faces[kept], fill=self.fill[kept])

    def joined(self, onto: NDArray[np.int64]) -> Self:
        """With each vertex replaced by another, without the faces that this collapses."""
        faces = onto[self.faces]
        return self.replace(faces=faces).only(has_three_corners(faces))

    def turned(self, which: NDArray[np.bool_]) -> Self:
        """With the chosen faces wound the other way."""
        faces = self.faces.copy()
        faces[which] = faces[which, ::-1]
        return self.replace(faces=faces)


class Edges(NamedTuple):
    """The edges of faces; half-edge h is side h % 3 of face h // 3.

    ends    : (e, 2) the lower and the higher vertex
    faces   : (e,) how many are at the edge
    forward : (e,) those among them that run from the lower vertex to the higher
    order   : (3m,) half-edges, those of one edge together
    first   : (e,) where each edge's half-edges begin in `order`
    """

    ends: NDArray[np.int64]
    faces: NDArray[np.int64]
    forward: NDArray[np.int64]
    order: NDArray[np.int64]
    first: NDArray[np.int64]

    @property
    def open(self) -> NDArray[np.bool_]:
        return self.faces == 1

    @property
    def nonmanifold(self) -> NDArray[np.bool_]:
        return self.faces > 2

    @property
    def misoriented(self) -> NDArray[np.bool_]:
        return (self.faces == 2) & (self.forward != 1)

    @property
    def sound(self) -> bool:
        return not (self.open | self.nonmanifold | self.misoriented).any()

    def pairs(self) -> NDArray[np.int64]:
        """(p, 2): the half-edges of each edge that has exactly two."""
        first = self.first[self.faces == 2]
        return np.column_stack([self.order[first], self.order[first + 1]])


def surface_of(triangles: NDArray[np.float32]) -> Surface:
    """Triangles (m, 3, 3) with equal corners welded, without those that have two equal ones."""
    vertices, faces = weld(triangles)
    fill, anchors = np.full(len(faces), KEPT), np.empty((0, 3))
    surface = Surface(vertices.astype(np.float64), faces.astype(np.int64), fill, anchors)
    return surface.only(has_three_corners(surface.faces))


def has_three_corners(faces: NDArray[np.int64]) -> NDArray[np.bool_]:
    a, b, c = faces.T
    return (a != b) & (b != c) & (c != a)


def next_side(half_edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """The half-edge after each, round its face."""
    return half_edges + np.where(half_edges % 3 == 2, -2, 1)


def edge_keys(start: NDArray[np.int64], end: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """A number for each edge of a mesh with `count` vertices, the same in both directions."""
    return np.minimum(start, end) * count + np.maximum(start, end)


def find_edges(faces: NDArray[np.int64]) -> Edges:
    """The edges of faces, (m, 3)."""
    start, end = faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1)
    keys = edge_keys(start, end, int(faces.max(initial=0)) + 1)
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else order
    count = np.diff(first, append=len(keys))
    lead = order[first]
    ends = np.sort(np.column_stack([start[lead], end[lead]]), axis=1)
    rising = (start < end)[order].astype(np.int64)
    forward = np.add.reduceat(rising, first) if len(first) else count
    return Edges(ends, count, forward, order, first)


def components(pairs: NDArray[np.int64], count: int) -> tuple[int, NDArray[np.int32]]:
    """How many groups the (p, 2) pairs make of `count` things, and the group of each."""
    links = coo_array((np.ones(len(pairs), dtype=np.int8), pairs.T), shape=(count, count))
    return connected_components(links, directed=False)


def find_patches(surface: Surface) -> tuple[int, NDArray[np.int32]]:
    """The faces joined over edges of exactly two: how many patches, and the patch of each face."""
    return components(surface.edges.pairs() // 3, len(surface.faces))


def area_vectors(triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, 3): along each normal, as long as the area."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return np.cross(b - a, c - a) / 2


def areas(triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m,) mm^2."""
    return np.linalg.norm(area_vectors(triangles), axis=1)


def cone_volumes(triangles: NDArray[np.float64], apex: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m,) mm^3, signed: between each triangle and the apex, (3,) or (m, 3).

    Over a closed surface they add up to its volume (divergence theorem).
    """
    return np.einsum("ij,ij->i", triangles[:, 0] - apex, area_vectors(triangles)) / 3

"""Half-edges: boundary and non-manifold edges, connected components, shells.

Of a file that is streamed, half-edges are hashes: two corners are one vertex if their 96 bits
agree. Each half-edge is hashed to the sum of its corners' hashes with the direction in the lowest
bit, and one sort brings the facets of an edge together: the mesh is manifold if and only if the
sorted keys come in pairs (k, k + 1). With 64 random bits the chance that two edges collide is
1e-7 at a million triangles. Of an indexed mesh they are numbers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh.mesh import TRIANGLES_A_BLOCK, cones
from geometry.mesh.welding import in_order, weld

PAIRS_A_BLOCK = 1 << 15

ONE = np.uint64(1)
DIRECTIONLESS = ~ONE


class EdgeCounts(NamedTuple):
    """What the half-edges say. `touching` edges are among the `nonmanifold` ones."""

    open: NDArray[np.uint64]  # keys, sorted
    nonmanifold: int
    touching: int
    misoriented: int
    balanced: bool  # as many facets run along each edge in one direction as in the other


def half_edges(hashes: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """(3, k) to (3, k): a key for each side of each facet, alike for both its directions
    but for the lowest bit."""
    for side in range(3):
        start, end = hashes[side], hashes[(side + 1) % 3]
        np.add(start, end, out=out[side])
        out[side] &= DIRECTIONLESS
        out[side] |= start < end


def count_edges(keys: NDArray[np.uint64]) -> EdgeCounts:
    """What the sorted keys of all half-edges say about the edges."""
    if _come_in_pairs(keys):
        return EdgeCounts(keys[:0], 0, 0, 0, balanced=True)
    edges = keys & DIRECTIONLESS
    first = np.flatnonzero(np.concatenate([[True], edges[1:] != edges[:-1]]))
    facets = np.diff(first, append=len(keys))
    forward = np.add.reduceat(keys & ONE, first).astype(np.int64)
    balanced = 2 * forward == facets
    return EdgeCounts(
        open=edges[first[facets == 1]],
        nonmanifold=int(np.count_nonzero(facets > 2)),
        touching=int(np.count_nonzero((facets > 2) & balanced)),
        misoriented=int(np.count_nonzero((facets == 2) & ~balanced)),
        balanced=bool(balanced.all()),
    )


def _come_in_pairs(keys: NDArray[np.uint64]) -> bool:
    """Whether sorted keys read k, k + 1 with an even k, and no such pair occurs twice."""
    if len(keys) % 2:
        return False
    even, odd = keys[0::2], keys[1::2]
    for start in range(0, len(even), PAIRS_A_BLOCK):  # in blocks that stay in the cache
        block = slice(start, start + PAIRS_A_BLOCK)
        if not (even[block] | ONE == odd[block]).all() or (even[block] == odd[block]).any():
            return False
        following = even[start + 1 : start + PAIRS_A_BLOCK + 1]
        if (even[start : start + len(following)] == following).any():
            return False
    return True


class Edges(NamedTuple):
    """The edges of an indexed mesh; half-edge h is side h % 3 of face h // 3.

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
    def balanced(self) -> NDArray[np.bool_]:
        """As many faces run along the edge in one direction as in the other."""
        return 2 * self.forward == self.faces

    @property
    def sound(self) -> bool:
        return not (self.open | self.nonmanifold | self.misoriented).any()

    def pairs(self) -> NDArray[np.int64]:
        """(p, 2): the half-edges of each edge that has exactly two."""
        first = self.first[self.faces == 2]
        return np.column_stack([self.order[first], self.order[first + 1]])


def has_three_corners(faces: NDArray) -> NDArray[np.bool_]:
    """(m,): which of the faces, (m, 3), have no two corners that are equal."""
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
    numbers = edge_keys(start, end, int(faces.max(initial=0)) + 1)
    order, keys = in_order(numbers.view(np.uint64))
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else order
    count = np.diff(first, append=len(keys))
    lead = order[first]
    ends = np.sort(np.column_stack([start[lead], end[lead]]), axis=1)
    rising = (start < end)[order].astype(np.int64)
    forward = np.add.reduceat(rising, first) if len(first) else count
    return Edges(ends, count, forward, order, first)


def components(pairs: NDArray[np.int64], count: int) -> tuple[int, NDArray[np.int32]]:
    """How many groups the (p, 2) pairs make of `count` things, and the group of each."""
    # Only where it is asked: a file without open edges, the common case, is judged before scipy
    # is loaded, and so is every process that only knows what is measured.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(pairs), dtype=np.int8), pairs.T), shape=(count, count))
    return connected_components(links, directed=False)


class Shells(NamedTuple):
    """The shell of each triangle, and what is known of each shell.

    of      : (m,) int32, the shell's number
    volumes : (n,) float64, mm^3, negative where the facets are inside out; no meaning if open
    extents : (n,) float32, mm, the longest side of each shell's bounding box
    """

    of: NDArray[np.int32]
    volumes: NDArray[np.float64]
    extents: NDArray[np.float32]


def count_shells(triangles: NDArray[np.float32]) -> int:
    """How many parts of triangles, (m, 3, 3) float32, have no corner in common."""
    vertices, faces = weld(triangles)
    return _shell_of_vertex(faces, len(vertices))[0]


def _shell_of_vertex(faces: NDArray[np.int32], vertices: int) -> tuple[int, NDArray[np.int32]]:
    sides = np.concatenate([faces[:, [0, 1]], faces[:, [0, 2]]])
    return components(sides, vertices)


def find_shells(triangles: NDArray[np.float32]) -> Shells:
    """The shells of triangles, (m, 3, 3) float32 near the origin, m >= 1."""
    vertices, faces = weld(triangles)
    count, shell_of_vertex = _shell_of_vertex(faces, len(vertices))
    of = shell_of_vertex[faces[:, 0]]

    volumes = np.zeros(count)
    for start in range(0, len(of), TRIANGLES_A_BLOCK):
        block = slice(start, start + TRIANGLES_A_BLOCK)
        facets = triangles[block].reshape(-1, 9).T.astype(np.float64)
        volumes += np.bincount(of[block], cones(facets).sum(axis=0), minlength=count) / 6

    order = np.argsort(shell_of_vertex, kind="stable")
    first = np.searchsorted(shell_of_vertex[order], np.arange(count))
    low, high = (end.reduceat(vertices[order], first) for end in (np.minimum, np.maximum))
    return Shells(of, volumes, (high - low).max(axis=1))

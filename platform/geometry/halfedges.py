"""Half-edges as hashes: what a sort of them says about the edges of a mesh.

Two corners are one vertex if their 96 bits agree. Each corner is hashed to 64 bits, each
half-edge to the sum of its two hashes with the direction in the lowest bit, and one sort brings
the facets of an edge together: the mesh is manifold if and only if the sorted keys come in pairs
(k, k + 1). With 64 random bits the chance that two edges collide is 1e-7 at a million triangles.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PAIRS_A_BLOCK = 1 << 15

ONE = np.uint64(1)
DIRECTIONLESS = ~ONE
# Odd constants with their bits well spread, as in the finalisers of common hash functions.
MIX_XY = np.uint64(0x9E3779B97F4A7C15)
MIX_Z = np.uint64(0xC2B2AE3D27D4EB4F)
MIX_LAST = np.uint64(0xD6E8FEB86659FD93)
HALF_WORD = np.uint64(32)


class Edges(NamedTuple):
    """What the half-edges say. `touching` edges are among the `nonmanifold` ones."""

    open: NDArray[np.uint64]  # keys, sorted
    nonmanifold: int
    touching: int
    misoriented: int
    balanced: bool  # as many facets run along each edge in one direction as in the other


def hash_corners(facets: NDArray[np.float32], salt: np.uint64) -> NDArray[np.uint64]:
    """(3, k) from (9, k): a hash of each corner's bits."""
    bits = facets.view(np.uint32)
    hashes = bits[0::3].astype(np.uint64)
    hashes <<= HALF_WORD
    hashes |= bits[1::3]
    hashes ^= salt
    hashes *= MIX_XY
    hashes ^= hashes >> HALF_WORD
    hashes ^= bits[2::3] * MIX_Z
    hashes *= MIX_LAST
    hashes ^= hashes >> HALF_WORD
    hashes *= MIX_LAST
    hashes ^= hashes >> HALF_WORD
    return hashes


def half_edges(hashes: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """(3, k) to (3, k): a key for each side of each facet, alike for both its directions
    but for the lowest bit."""
    for side in range(3):
        start, end = hashes[side], hashes[(side + 1) % 3]
        np.add(start, end, out=out[side])
        out[side] &= DIRECTIONLESS
        out[side] |= start < end


def count_edges(keys: NDArray[np.uint64]) -> Edges:
    """What the sorted keys of all half-edges say about the edges."""
    if _come_in_pairs(keys):
        return Edges(keys[:0], 0, 0, 0, balanced=True)
    edges = keys & DIRECTIONLESS
    first = np.flatnonzero(np.concatenate([[True], edges[1:] != edges[:-1]]))
    facets = np.diff(first, append=len(keys))
    forward = np.add.reduceat(keys & ONE, first).astype(np.int64)
    balanced = 2 * forward == facets
    return Edges(
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

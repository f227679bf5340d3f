"""Corners: one hash of their bits, and the weld that makes one vertex of equal ones."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh.mesh import Mesh

BLOCK = 1 << 18  # corners that are compared at once

HALF_WORD = np.uint64(32)
# Odd constants with their bits well spread, as in the finalisers of common hash functions.
MIX_XY = np.uint64(0x9E3779B97F4A7C15)
MIX_Z = np.uint64(0xC2B2AE3D27D4EB4F)
MIX_LAST = np.uint64(0xD6E8FEB86659FD93)


class Welded(NamedTuple):
    """vertices (n, 3) float32 and faces (m, 3) int32, in the order of the triangles."""

    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]

    @property
    def mesh(self) -> Mesh:
        """The same in double precision."""
        return Mesh(self.vertices.astype(np.float64), self.faces.astype(np.int64))


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


def mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of 64-bit words that spreads every bit (the finalizer of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def join_equal(
    points: NDArray[np.float32] | NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One of each set of points with the same bits, (k,), and for each point its place there.

    points : (n, 3), contiguous, without -0.0
    """
    bits: NDArray[Any] = points.view(np.uint32 if points.dtype == np.float32 else np.uint64)
    if bits.dtype == np.uint32:
        words = bits[:, 0].astype(np.uint64)
        words <<= HALF_WORD
        words |= bits[:, 1]
    else:
        words = mix(bits[:, 0]) ^ bits[:, 1]
    words = mix(mix(words) ^ bits[:, 2])
    _, first, place = np.unique(words, return_index=True, return_inverse=True)
    # Two places whose 64 mixed bits agree would become one: then each point keeps its own.
    if not all(
        np.array_equal(bits[first[place[start : start + BLOCK]]], bits[start : start + BLOCK])
        for start in range(0, len(bits), BLOCK)
    ):
        return np.arange(len(bits)), np.arange(len(bits))
    return first, place


def weld(triangles: NDArray[np.float32]) -> Welded:
    """The mesh of triangles, (m, 3, 3) float32 without -0.0."""
    corners = triangles.reshape(-1, 3)
    first, place = join_equal(corners)
    return Welded(corners[first], place.astype(np.int32).reshape(-1, 3))

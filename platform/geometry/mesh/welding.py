"""Vertex welding: hashes corner coordinates and merges equal ones."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh.mesh import Mesh

BLOCK = 1 << 18  # corners that are compared at once

HALF_WORD = np.uint64(32)


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
    from geometry.mesh.facet_kernels import hash_bits  # not above: many only ask what a mesh is

    hashes = np.empty((3, facets.shape[1]), dtype=np.uint64)
    hash_bits(np.ascontiguousarray(facets).view(np.uint32), salt, hashes)
    return hashes


def mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of 64-bit words that spreads every bit (the finalizer of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def in_order(words: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The stable order of words, and the words in it.

    A word and its place are sorted as one where both fit into 64 bits: numpy sorts numbers
    several times as fast as it finds their order.
    """
    place = max(len(words) - 1, 0).bit_length()
    if len(words) and int(words.max()).bit_length() + place <= 64:
        packed = words << np.uint64(place) | np.arange(len(words), dtype=np.uint64)
        packed.sort()
        order = (packed & np.uint64((1 << place) - 1)).astype(np.int64)
        return order, packed >> np.uint64(place)
    order = np.argsort(words, kind="stable")
    return order, words[order]


def join_equal(
    points: NDArray[np.float32] | NDArray[np.float64] | NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first of each set of points with the same bits, (k,), and for each point its place there.

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
    # As many of the mixed bits as can be sorted together with a place, or else all of them.
    for left_out in (max(len(words) - 1, 0).bit_length(), 0):
        order, ordered = in_order(words >> np.uint64(left_out))
        new = np.ones(len(words), dtype=bool)
        np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
        first, place = order[new], np.empty(len(words), dtype=np.int64)
        place[order] = np.cumsum(new) - 1
        if all(
            np.array_equal(bits[first[place[start : start + BLOCK]]], bits[start : start + BLOCK])
            for start in range(0, len(bits), BLOCK)
        ):
            return first, place
    # Two places whose 64 mixed bits agree would become one: then each point keeps its own.
    return np.arange(len(bits)), np.arange(len(bits))


def weld(triangles: NDArray[np.float32]) -> Welded:
    """The mesh of triangles, (m, 3, 3) float32 without -0.0."""
    corners = triangles.reshape(-1, 3)
    first, place = join_equal(corners)
    return Welded(corners[first], place.astype(np.int32).reshape(-1, 3))

"""Mesh defects: cracks, holes, duplicate facets."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh.half_edges import DIRECTIONLESS, components, half_edges, has_three_corners
from geometry.mesh.near import NEAR_TOLERANCE, group_near
from geometry.mesh.welding import mix

# More near vertices than these are no cracks of float noise: in all, and for each of them.
WELD_PAIRS, WELD_NEIGHBOURS = 1 << 24, 256

# Facets (9, k) float32, and the hashes (3, k) of their corners.
Hashed = Iterable[tuple[NDArray[np.float32], NDArray[np.uint64]]]


class OpenSides(NamedTuple):
    """The open sides of facets: hashes (n, 2) and places (n, 2, 3) of their starts and ends."""

    hashes: NDArray[np.uint64]
    places: NDArray[np.float32]


class Weld(NamedTuple):
    """Vertices that are moved onto another: hashes (sorted), and hash and place of the other."""

    moved: NDArray[np.uint64]
    onto: NDArray[np.uint64]
    places: NDArray[np.float32]  # (n, 3)

    def apply(
        self, facets: NDArray[np.float32], hashes: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.uint64]]:
        """The facets and hashes as they are after the weld."""
        index, moves = _look_up(self.moved, hashes)
        facets, hashes = facets.copy(), hashes.copy()
        for corner in range(3):
            here = moves[corner]
            target = index[corner, here]
            facets[3 * corner : 3 * corner + 3, here] = self.places[target].T
            hashes[corner, here] = self.onto[target]
        return facets, hashes


def find_outline(mesh: Hashed, open_edges: NDArray[np.uint64]) -> OpenSides:
    """The sides whose key is among `open_edges`, which are sorted; there must be one."""
    found_hashes, found_places = [], []
    for facets, hashes in mesh:
        keys = np.empty_like(hashes)
        half_edges(hashes, out=keys)
        _, is_open = _look_up(open_edges, keys & DIRECTIONLESS)
        for side in range(3):
            here, end = is_open[side], (side + 1) % 3
            found_hashes.append(np.stack([hashes[side, here], hashes[end, here]], axis=1))
            corners = [facets[3 * corner : 3 * corner + 3, here].T for corner in (side, end)]
            found_places.append(np.stack(corners, axis=1))
    return OpenSides(np.concatenate(found_hashes), np.concatenate(found_places))


def find_cracks(outline: OpenSides, diagonal: float) -> Weld | None:
    """Which vertices of the outline lie within the tolerance of another; None if none does.

    diagonal : mm, of the bounding box
    """
    hashes, index = np.unique(outline.hashes, return_index=True)
    places = outline.places.reshape(-1, 3)[index]
    order = np.lexsort(places.T)  # a result that does not depend on the salt
    hashes, places = hashes[order], places[order]
    most = min(2 * WELD_PAIRS, WELD_NEIGHBOURS * len(places))
    group = group_near(places, NEAR_TOLERANCE * diagonal, max_pairs=most)
    if group is None:
        return None

    _, leader = np.unique(group, return_index=True)
    onto = leader[group]
    moved = np.flatnonzero(onto != np.arange(len(places)))
    moved = moved[np.argsort(hashes[moved])]
    return Weld(hashes[moved], hashes[onto[moved]], places[onto[moved]])


def count_holes(outline: OpenSides) -> int:
    """Connected outlines of open edges; two that share a corner count as one."""
    used, sides = np.unique(outline.hashes, return_inverse=True)
    return components(sides.reshape(-1, 2), len(used))[0]


def count_duplicates(mesh: Hashed) -> int:
    """Facets that join the same three corners, in the same direction, as one before them."""
    keys = []
    for _, hashes in mesh:
        a, b, c = hashes
        proper = has_three_corners(hashes.T)
        sides = [mix(start ^ mix(end)) for start, end in ((a, b), (b, c), (c, a))]
        keys.append((sides[0] + sides[1] + sides[2])[proper])
    sorted_keys = np.sort(np.concatenate(keys))
    return int(np.count_nonzero(sorted_keys[1:] == sorted_keys[:-1]))


def _look_up(
    table: NDArray[np.uint64], values: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each value stands in a sorted table that is not empty, and whether it is there."""
    index = np.minimum(np.searchsorted(table, values), len(table) - 1)
    return index, table[index] == values

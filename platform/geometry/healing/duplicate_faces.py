"""Removes duplicate faces."""

import numpy as np
from numpy.typing import NDArray

from geometry.healing.working_mesh import WorkingMesh, areas
from geometry.mesh.half_edges import components, edge_keys, find_edges
from geometry.mesh.welding import join_equal


def drop_doubles(surface: WorkingMesh) -> WorkingMesh:
    """Keep one of the faces that share all corners; none where they are no outer surface.

    They are judged region by region, joined over shared edges. An even number of copies whose rim
    lies on surface that is whole without them is an inner wall between two solids, or a leaf that
    sticks out; so is a leaf that hangs free, with as many copies facing one way as the other.

    Where all edges are balanced, solids that lie on each other share faces: copies that face each
    other are dropped in pairs, which leaves every edge balanced, and the others are kept, each for
    its solid. Of a solid that is there several times one is kept.
    """
    faces = surface.faces
    corners = np.sort(faces, axis=1)
    first, place = join_equal(corners)
    if len(first) == len(faces):
        return surface
    copies = np.bincount(place)
    kept = np.zeros(len(faces), dtype=bool)
    kept[first] = True

    # Of the sets of copies: how their edges join them, and what else lies on these edges.
    repeated = copies > 1
    sets = corners[first[repeated]]
    plain_faces = faces[~repeated[place]]
    facings = _facings(faces, corners)
    facing = np.bincount(place, facings)[repeated]

    edges = find_edges(sets)
    leader = np.repeat(edges.order[edges.first], edges.faces) // 3
    count, region = components(np.column_stack([edges.order // 3, leader]), len(sets))
    rim = edges.open
    rim_region = region[edges.order[edges.first[rim]] // 3]
    others = _faces_at(edges.ends[rim], plain_faces)

    def of_region(where: NDArray, weights: NDArray) -> NDArray[np.float64]:
        return np.bincount(where, weights, minlength=count).astype(np.float64)

    area = areas(surface.vertices[sets])
    even = of_region(region, copies[repeated] % 2) == 0
    has_rim = of_region(rim_region, np.ones(len(rim_region))) > 0
    on_whole = of_region(rim_region, (others % 2 == 0) & (others > 0))
    on_open = of_region(rim_region, others % 2 == 1)
    sides = of_region(rim_region, np.ones(len(rim_region)))
    if surface.edges.balanced.all():
        net = np.bincount(place, facings)
        net[repeated] = _once(facing, region, has_rim)
        return surface.only(_rank(place, facings) < net[place] * facings)
    opposed = 2 * of_region(region, area * (facing == 0)) > of_region(region, area)
    dropped = even & has_rim & (2 * on_open < sides) & (opposed | (on_whole > 0))

    in_dropped = np.zeros(len(first), dtype=bool)
    in_dropped[repeated] = dropped[region]
    kept[in_dropped[place]] = False
    return surface.only(kept)


def _once(facing: NDArray, region: NDArray[np.int32], has_rim: NDArray[np.bool_]) -> NDArray:
    """How many copies of each set are kept, by their facing: one where a closed region is alike."""
    first, last = np.full((2, len(has_rim)), np.inf)
    np.minimum.at(first, region, np.abs(facing))
    np.minimum.at(last, region, -np.abs(facing))
    alike = ~has_rim & (first == -last)
    return np.where(alike[region], np.sign(facing), facing)


def _rank(place: NDArray[np.int64], facings: NDArray[np.int64]) -> NDArray[np.int64]:
    """(m,) the number of each face, from 0, among those of its set that face the same way."""
    order = np.lexsort((facings, place))
    group = 2 * place[order] + (facings[order] > 0)
    start = np.flatnonzero(np.diff(group, prepend=-1))
    rank = np.empty(len(place), dtype=np.int64)
    rank[order] = np.arange(len(place)) - np.repeat(start, np.diff(start, append=len(place)))
    return rank


def _facings(faces: NDArray[np.int64], corners: NDArray[np.int64]) -> NDArray[np.int64]:
    """(m,) 1 or -1: the winding, for faces with the same sorted corners."""
    lowest = np.argmax(faces == corners[:, :1], axis=1)
    following = faces[np.arange(len(faces)), (lowest + 1) % 3]
    return np.where(following == corners[:, 1], 1, -1)


def _faces_at(ends: NDArray[np.int64], faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of the faces lie at each edge, given by its two vertices."""
    count = int(max(faces.max(initial=0), ends.max(initial=0))) + 1
    sides = edge_keys(faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1), count)
    sides.sort()
    keys = edge_keys(ends[:, 0], ends[:, 1], count)
    return np.searchsorted(sides, keys, "right") - np.searchsorted(sides, keys, "left")

"""Resolves non-manifold edges by separating touching solids.

An STL knows a vertex only by its place. Copies of a vertex at one place would be one vertex again
for whoever reads the file, so each copy is moved into its own solid.
"""

import numpy as np
from numpy.typing import NDArray

from geometry.healing.working_mesh import WorkingMesh, area_normals
from geometry.mesh.half_edges import Edges, components, next_side

SAME_ANGLE = 1e-5  # rad; faces nearer to each other than this lie on each other


def move_apart(surface: WorkingMesh, reach: float) -> WorkingMesh:
    """Give each solid at an edge of four faces and more its own vertices, `reach` mm apart."""
    edges = surface.edges
    if not edges.nonmanifold.any():
        return surface
    bad = edges.nonmanifold & edges.balanced
    pairs = np.concatenate([edges.pairs(), *_own_pairs(surface, edges, bad)])
    group = _fans(surface.faces, pairs)
    return _with_copies(surface, group, np.unique(edges.ends[bad]), reach)


def add_midpoints(surface: WorkingMesh, reach: float) -> WorkingMesh:
    """Divide edges of four faces that hang together at both ends: each solid gets its own middle.

    Of a face with several such edges one is divided.
    """
    edges = surface.edges
    bad = edges.nonmanifold & edges.balanced
    if not bad.any():
        return surface
    used: set[int] = set()
    chosen = []
    for pairs in _own_pairs(surface, edges, bad):
        faces = set((pairs // 3).reshape(-1).tolist())
        if len(faces) == 2 * len(pairs) and not faces & used:
            chosen.append(pairs)
            used |= faces
    if not chosen:
        return surface
    sides = np.concatenate(chosen)
    return _divided(surface, sides, reach)


def collapse_short(surface: WorkingMesh, length: float) -> WorkingMesh:
    """Join the ends of edges of more than two faces that are shorter than `length` mm."""
    edges = surface.edges
    ends = edges.ends[edges.nonmanifold]
    starts, stops = surface.vertices[ends].swapaxes(0, 1)
    ends = ends[np.linalg.norm(stops - starts, axis=1) < length]
    _, group = components(ends, len(surface.vertices))
    _, leader = np.unique(group, return_index=True)
    return surface.joined(leader[group])


def _own_pairs(
    surface: WorkingMesh, edges: Edges, bad: NDArray[np.bool_]
) -> list[NDArray[np.int64]]:
    """For each bad edge (p, 2) half-edges: the two faces that bound one solid there.

    Round the edge solids begin at faces that run one way and end at those that run the other,
    like brackets. Edges are few, and each has few faces.
    """
    return [
        _matched(surface, edges.order[first : first + count], edges.ends[edge])
        for edge, first, count in zip(
            np.flatnonzero(bad), edges.first[bad], edges.faces[bad], strict=True
        )
    ]


def _matched(
    surface: WorkingMesh, half: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    start, end = surface.vertices[ends]
    axis = (end - start) / max(float(np.linalg.norm(end - start)), 1e-300)
    corners = surface.faces.reshape(-1)
    opposite = surface.vertices[corners[next_side(next_side(half))]] - start
    aside = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    aside /= max(float(np.linalg.norm(aside)), 1e-300)
    angle = np.arctan2(opposite @ np.cross(axis, aside), opposite @ aside)
    angle = np.floor((angle - angle[0] + SAME_ANGLE / 2) % (2 * np.pi) / SAME_ANGLE)
    ending = corners[half] == ends[0]  # the solid lies below this face's angle
    # Faces that lie on each other are taken in one order at every edge, so that each stays with
    # its solid.
    order = np.lexsort((np.where(ending, -half, half), ~ending, angle)).tolist()
    waiting: list[int] = []
    left = []
    pairs = []
    for place in order:
        if not ending[place]:
            waiting.append(place)
        elif waiting:
            pairs.append((half[place], half[waiting.pop()]))
        else:
            left.append(place)
    # What ends before it began lies across the angle zero.
    pairs += [(half[place], half[waiting.pop()]) for place in left]
    return np.array(pairs, dtype=np.int64)


def _fans(faces: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.int32]:
    """(3m,): which corners hang together, over the edges of paired half-edges."""
    one, other = pairs.T
    corners = faces.reshape(-1)
    alike = corners[one] == corners[other]  # both run in the same direction: wound differently
    beside_start = np.where(alike, other, next_side(other))
    beside_end = np.where(alike, next_side(other), other)
    links = np.concatenate(
        [
            np.column_stack([one, beside_start]),
            np.column_stack([next_side(one), beside_end]),
        ]
    )
    return components(links, len(corners))[1]


def _with_copies(
    surface: WorkingMesh, fan: NDArray[np.int32], vertices: NDArray[np.int64], reach: float
) -> WorkingMesh:
    """A vertex of its own for each fan at the given vertices; the largest fan keeps the place."""
    corners = surface.faces.reshape(-1)
    concerned = np.flatnonzero(np.isin(corners, vertices))
    _, lead, copy = np.unique(fan[concerned], return_index=True, return_inverse=True)
    vertex = corners[concerned[lead]]
    face = concerned // 3
    triangles = surface.triangles
    vectors = area_normals(triangles[face])
    size = np.bincount(copy, np.linalg.norm(vectors, axis=1))
    inward = -_sums(vectors, copy)
    middle = _sums(triangles[face].mean(axis=1) - surface.vertices[corners[concerned]], copy)
    direction = _unit(inward, middle)

    order = np.lexsort((-size, vertex))
    stays = np.zeros(len(vertex), dtype=bool)
    stays[order[np.searchsorted(vertex[order], np.unique(vertex))]] = True
    number = vertex.copy()
    number[~stays] = len(surface.vertices) + np.arange(np.count_nonzero(~stays))
    moved = surface.vertices[vertex[~stays]] + reach * direction[~stays]
    corners = corners.copy()
    corners[concerned] = number[copy]
    return surface.replace(
        vertices=np.concatenate([surface.vertices, moved]), faces=corners.reshape(-1, 3)
    )


def _divided(surface: WorkingMesh, sides: NDArray[np.int64], reach: float) -> WorkingMesh:
    """Both faces of each pair of half-edges divided at a vertex of their own."""
    corners = surface.faces.reshape(-1)
    starts = surface.vertices[corners[sides[:, 0]]]
    ends = surface.vertices[corners[next_side(sides[:, 0])]]
    middle = (starts + ends) / 2
    triangles = surface.triangles
    inward = -area_normals(triangles[sides // 3].reshape(-1, 3, 3)).reshape(-1, 2, 3).sum(axis=1)
    towards = triangles[sides // 3].mean(axis=(1, 2)) - middle
    points = middle + reach * _unit(inward, towards)
    number = len(surface.vertices) + np.repeat(np.arange(len(sides)), 2)

    half = sides.reshape(-1)
    start, end = corners[half], corners[next_side(half)]
    apex = corners[next_side(next_side(half))]
    halves = np.concatenate(
        [np.column_stack([start, number, apex]), np.column_stack([number, end, apex])]
    )
    whole = np.ones(len(surface.faces), dtype=bool)
    whole[half // 3] = False
    rest = surface.only(whole)
    return WorkingMesh(
        vertices=np.concatenate([surface.vertices, points]),
        faces=np.concatenate([rest.faces, halves]),
        fill=np.concatenate([rest.fill, np.tile(surface.fill[half // 3], 2)]),
        anchors=surface.anchors,
    )


def _sums(vectors: NDArray[np.float64], group: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.column_stack([np.bincount(group, vectors[:, axis]) for axis in range(3)])


def _unit(vectors: NDArray[np.float64], otherwise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Along the vectors, or along the others where a vector is too short to have a direction."""
    length = np.linalg.norm(vectors, axis=1)
    typical = length.max(initial=0.0)
    vectors = np.where((length > 1e-9 * typical)[:, None], vectors, otherwise)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1e-300)[:, None]

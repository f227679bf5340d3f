"""Stitches cracks: welds near boundary vertices, splits edges at T-junctions, drops slivers."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from geometry.healing.working_mesh import WorkingMesh, areas, find_patches
from geometry.mesh.half_edges import Edges, has_three_corners
from geometry.mesh.near import NEAR_TOLERANCE, group_near

ON_AN_EDGE = 1e-5  # of the diagonal: a vertex so near to an edge divides it
WIDER = (1e-5, 1e-4, 1e-3)  # of the diagonal
SHORT = 0.3  # of the median open edge: a weld must not reach further
GAIN = 0.7  # a wider weld must leave fewer open edges than this share
SPLITTINGS = 6
SCRAP_FACES, SCRAP_AREA = 8, 1e-3
NEAR_PAIRS = 1 << 22  # more are no cracks, and would not fit into memory


def weld_noise(surface: WorkingMesh) -> WorkingMesh:
    """Join vertices of open edges that are equal up to float noise."""
    return _weld_open(surface, surface.edges, NEAR_TOLERANCE * surface.diagonal)


def weld_wider(surface: WorkingMesh) -> WorkingMesh:
    """Join vertices of open edges over wider cracks, as long as that closes many of them."""
    for share in WIDER:
        edges = surface.edges
        if not edges.open.any():
            break
        tolerance = share * surface.diagonal
        starts, ends = surface.vertices[edges.ends[edges.open]].swapaxes(0, 1)
        if tolerance > SHORT * np.median(np.linalg.norm(ends - starts, axis=1)):
            break
        welded = _weld_open(surface, edges, tolerance)
        after = welded.edges
        fewer = after.open.sum() <= GAIN * edges.open.sum()
        if fewer and after.nonmanifold.sum() <= edges.nonmanifold.sum():
            surface = welded
    return surface


def split_at_junctions(surface: WorkingMesh) -> WorkingMesh:
    """Divide faces whose open edge passes through vertices of other open edges (T-junctions)."""
    edges = surface.edges
    for _ in range(SPLITTINGS):
        if not edges.open.any():
            break
        sides, vertices = _vertices_on_sides(surface, edges, ON_AN_EDGE * surface.diagonal)
        if not len(sides):
            break
        divided = _split(surface, sides, vertices)
        after = divided.edges
        if after.open.sum() >= edges.open.sum():
            break  # these were vertices that a wider weld joins
        surface, edges = divided, after
    return surface


def drop_scraps(surface: WorkingMesh) -> WorkingMesh:
    """Leave out open patches of a few small faces that belong to nothing, and all single faces."""
    edges = surface.edges
    if not edges.open.any():
        return surface
    count, patch = find_patches(surface)
    area = areas(surface.triangles)
    size, share = np.bincount(patch), np.bincount(patch, area) / max(float(area.sum()), 1e-300)
    open_sides = np.bincount(patch[edges.order[edges.first[edges.open]] // 3], minlength=count)
    scrap = (open_sides > 0) & (size <= SCRAP_FACES) & (share < SCRAP_AREA)
    loose = (size == 1) & (open_sides == 3)  # they enclose nothing, however many they are
    scrap = loose if (loose | scrap).all() else loose | scrap
    if not scrap.any():
        return surface
    without = surface.only(~scrap[patch])
    fewer = without.edges.open.sum() < edges.open.sum()
    return without if fewer else surface


def _weld_open(surface: WorkingMesh, edges: Edges, tolerance: float) -> WorkingMesh:
    vertices = np.unique(edges.ends[edges.open])
    if not len(vertices):
        return surface
    group = group_near(surface.vertices[vertices], tolerance, max_pairs=NEAR_PAIRS)
    if group is None:
        return surface
    # All take the place of that among them which most faces have: a crack rarely runs there.
    used = np.bincount(surface.faces.reshape(-1), minlength=len(surface.vertices))[vertices]
    order = np.lexsort((vertices, -used, group))
    leader = vertices[order[np.searchsorted(group[order], np.arange(group.max() + 1))]]
    onto = np.arange(len(surface.vertices))
    onto[vertices] = leader[group]
    return surface.joined(onto)


def _vertices_on_sides(
    surface: WorkingMesh, edges: Edges, tolerance: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Open half-edges, sorted, at most one a face, and vertices inside of them, in order."""
    half = edges.order[edges.first[edges.open]]
    faces = surface.faces
    start, end = faces.reshape(-1)[half], np.roll(faces, -1, axis=1).reshape(-1)[half]
    a, b = surface.vertices[start], surface.vertices[end]
    length = np.linalg.norm(b - a, axis=1)
    vertices = np.unique(edges.ends[edges.open])
    tree = KDTree(surface.vertices[vertices])
    middles, radii = (a + b) / 2, length / 2 + tolerance
    if tree.query_ball_point(middles, radii, return_length=True).sum() > NEAR_PAIRS:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    near = tree.query_ball_point(middles, radii)
    side = np.repeat(np.arange(len(half)), [len(found) for found in near])
    vertex = vertices[np.concatenate([np.asarray(found, dtype=np.int64) for found in near])]

    along = (b - a)[side] / np.maximum(length, 1e-300)[side, None]
    offset = surface.vertices[vertex] - a[side]
    place = np.einsum("ij,ij->i", offset, along)
    aside = np.linalg.norm(offset - place[:, None] * along, axis=1)
    inside = (place > tolerance) & (place < length[side] - tolerance) & (aside <= tolerance)
    inside &= ~(faces[half[side] // 3] == vertex[:, None]).any(axis=1)
    side, vertex, place = side[inside], vertex[inside], place[inside]

    chosen = np.full(len(faces), -1)
    chosen[half[side] // 3] = side
    first_of_face = chosen[half[side] // 3] == side
    side, vertex, place = side[first_of_face], vertex[first_of_face], place[first_of_face]
    order = np.lexsort((place, half[side]))
    return half[side[order]], vertex[order]


def _split(
    surface: WorkingMesh, sides: NDArray[np.int64], vertices: NDArray[np.int64]
) -> WorkingMesh:
    """Replace each face by a fan from the corner opposite to its side to the vertices on it."""
    corners = surface.faces
    split, first, count = np.unique(sides, return_index=True, return_counts=True)
    face, side = split // 3, split % 3
    start, end = corners[face, side], corners[face, (side + 1) % 3]
    apex = corners[face, (side + 2) % 3]
    # Along each side: its start, the vertices on it, its end.
    last = first + count - 1
    begins = np.insert(vertices, first, start)
    ends = np.insert(vertices, last + 1, end)
    fans = np.column_stack([begins, ends, np.repeat(apex, count + 1)])
    fill = np.repeat(surface.fill[face], count + 1)
    whole = np.ones(len(corners), dtype=bool)
    whole[face] = False
    rest = surface.only(whole)
    faces, fill = np.concatenate([rest.faces, fans]), np.concatenate([rest.fill, fill])
    return surface.replace(faces=faces, fill=fill).only(has_three_corners(faces))

"""Shells: volume, nesting, union of overlapping solids."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from manifold3d import Error, Manifold, Mesh64, OpType
from numpy.typing import NDArray

from geometry.healing.working_mesh import WorkingMesh, area_normals, cone_volumes, find_patches
from geometry.mesh import winding_number
from geometry.mesh.half_edges import components

MAX_SHELLS = 400  # of more, which lies in which is not asked
OVERLAP = 1e-7  # of the volume; less is contact


class NestedShells(NamedTuple):
    """The patches of a surface.

    of        : (m,) the shell of each face
    closed    : (n,) by itself, and wound alike
    volumes   : (n,) mm^3, signed; no meaning if not closed
    low, high : (n, 3) the boxes
    nested    : (p, 2) shells that lie in another, and that other, both closed
    """

    of: NDArray[np.int32]
    closed: NDArray[np.bool_]
    volumes: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    nested: NDArray[np.int64]


@lru_cache(maxsize=1)  # it is asked for several times on the way to a solid
def find_shells(surface: WorkingMesh) -> NestedShells:
    edges = surface.edges
    count, of = find_patches(surface)
    triangles = surface.triangles
    middle = surface.vertices.mean(axis=0) if len(surface.vertices) else np.zeros(3)
    cones = cone_volumes(triangles, middle)
    volumes = np.bincount(of, cones, minlength=count).astype(np.float64)

    # A patch that meets others at an edge is closed if it has two faces there itself.
    edge = np.repeat(np.arange(len(edges.faces)), edges.faces)
    own, faces_there = np.unique(edge * count + of[edges.order // 3], return_counts=True)
    closed = np.ones(count, dtype=bool)
    closed[own[faces_there != 2] % max(count, 1)] = False
    closed[of[edges.order[edges.first[edges.misoriented]] // 3]] = False

    order = np.argsort(of, kind="stable")
    first = np.searchsorted(of[order], np.arange(count))
    low = np.minimum.reduceat(triangles.min(axis=1)[order], first) if count else triangles[:0, 0]
    high = np.maximum.reduceat(triangles.max(axis=1)[order], first) if count else triangles[:0, 0]
    nested = _nesting(triangles, of, closed, low, high)
    return NestedShells(of, closed, volumes, low, high, nested)


def inside_out(shells: NestedShells) -> NDArray[np.bool_]:
    """(n,) which to turn: outermost solids of negative volume, each with what lies within it.

    What lies within keeps its sense, so that a cavity stays one.
    """
    if shells.closed.sum() > MAX_SHELLS:
        return shells.closed & (shells.volumes[shells.closed].sum() < 0)
    inner, outer = shells.nested.T
    wrong = shells.closed & (shells.volumes < 0)
    wrong[inner] = False
    wrong[inner[wrong[outer]]] = True
    return wrong


def join_overlapping(surface: WorkingMesh) -> WorkingMesh | None:
    """Unite solids that overlap, by exact boolean operations; what only touches stays.

    surface : closed, wound outward

    Returns None where the shells cannot be taken as solids.
    """
    shells = find_shells(surface)
    solids = np.flatnonzero(shells.closed & (shells.volumes > 0))
    if not 2 <= len(solids) <= MAX_SHELLS:
        return surface
    owner = _owners(shells, solids)
    low, high = shells.low[solids], shells.high[solids]
    meet = (low[:, None] <= high).all(axis=2) & (low <= high[:, None]).all(axis=2)
    _, group = components(np.argwhere(np.triu(meet, 1)), len(solids))
    parts = []
    for number in range(int(group.max()) + 1):
        members = solids[group == number]
        if len(members) == 1:
            continue
        bodies = [np.isin(shells.of, np.flatnonzero(owner == member)) for member in members]
        united = _unite(surface, bodies)
        if united is None:
            return None
        parts.append((np.any(bodies, axis=0), united))
    return _replaced(surface, [part for part in parts if len(part[1].faces)])


def _unite(surface: WorkingMesh, bodies: list[NDArray[np.bool_]]) -> WorkingMesh | None:
    """The union of bodies; without faces where they do not overlap."""
    solids = [_solid(surface, body) for body in bodies]
    if any(solid.status() != Error.NoError for solid in solids):
        return None
    union = Manifold.batch_boolean(solids, OpType.Add)
    total = sum(solid.volume() for solid in solids)
    if union.status() != Error.NoError:
        return None
    if total - union.volume() <= OVERLAP * total:
        return surface.only(np.zeros(len(surface.faces), dtype=bool))
    mesh = union.to_mesh64()
    vertices = np.asarray(mesh.vert_properties)[:, :3]
    fill = surface.fill[np.asarray(mesh.face_id).astype(np.int64)]
    return WorkingMesh(vertices, np.asarray(mesh.tri_verts).astype(np.int64), fill, surface.anchors)


def _solid(surface: WorkingMesh, chosen: NDArray[np.bool_]) -> Manifold:
    used, faces = np.unique(surface.faces[chosen], return_inverse=True)
    # With its number as an identity, each face is found again in the union.
    numbers = np.flatnonzero(chosen).astype(np.uint64)
    faces = faces.reshape(-1, 3).astype(np.uint64)
    return Manifold(Mesh64(surface.vertices[used], faces, face_id=numbers))


def _replaced(
    surface: WorkingMesh, parts: list[tuple[NDArray[np.bool_], WorkingMesh]]
) -> WorkingMesh:
    """With the chosen faces of each part replaced by those of its surface."""
    for chosen, _ in parts:
        surface = surface.replace(faces=np.where(chosen[:, None], -1, surface.faces))
    rest = surface.only(surface.faces[:, 0] >= 0) if parts else surface
    for _, part in parts:
        faces = np.concatenate([rest.faces, part.faces + len(rest.vertices)])
        vertices = np.concatenate([rest.vertices, part.vertices])
        fill = np.concatenate([rest.fill, part.fill])
        rest = WorkingMesh(vertices, faces, fill, rest.anchors)
    return rest


def _owners(shells: NestedShells, solids: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) the solid that each shell belongs to: a cavity to the smallest that holds it."""
    owner = np.full(len(shells.closed), -1)
    owner[solids] = solids
    for shell in np.flatnonzero(shells.closed & (shells.volumes <= 0)):
        inner, outer = shells.nested.T
        around = np.intersect1d(outer[inner == shell], solids)
        if len(around):
            owner[shell] = around[np.argmin(shells.volumes[around])]
    return owner


def _largest_faces(triangles: NDArray, of: NDArray, count: int) -> NDArray[np.int64]:
    """(n,) the largest face of each shell."""
    vectors = area_normals(triangles)
    order = np.lexsort((-np.einsum("ij,ij->i", vectors, vectors), of))
    return order[np.searchsorted(of[order], np.arange(count))]


def _nesting(
    triangles: NDArray[np.float64],
    of: NDArray[np.int32],
    closed: NDArray[np.bool_],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.int64]:
    """(p, 2), by the winding number about the middle of the largest face of each shell."""
    if len(closed) < 2:
        return np.empty((0, 2), dtype=np.int64)
    found = []
    points = triangles[_largest_faces(triangles, of, len(closed))].mean(axis=1)
    for outer in np.flatnonzero(closed) if closed.sum() <= MAX_SHELLS else []:
        inner = closed & (low >= low[outer]).all(axis=1) & (high <= high[outer]).all(axis=1)
        inner[outer] = False
        around = triangles[of == outer] if inner.any() else triangles[:0]
        for shell in np.flatnonzero(inner):
            if abs(winding_number(points[shell], around)) > 0.5:
                found.append((shell, outer))
    return np.array(found, dtype=np.int64).reshape(-1, 2)

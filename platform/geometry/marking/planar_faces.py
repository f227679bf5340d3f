"""Planar faces of a part: coplanar facets grouped over their edges."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh import Mesh, area_vectors
from geometry.mesh.half_edges import components, edge_keys

SAME_DIRECTION = float(np.cos(np.radians(0.3)))
IN_PLANE = 2e-5  # of the diagonal
LOOKED_AT, KEPT = 40, 12


class Face(NamedTuple):
    """A flat face.

    triangles : (k, 3, 3) float64, mm
    normal    : (3,) outward, of length 1
    offset    : mm, where its plane lies along the normal
    edge      : (3,) along its longest rim edge, of length 1
    """

    triangles: NDArray[np.float64]
    normal: NDArray[np.float64]
    offset: float
    edge: NDArray[np.float64]


def find_faces(mesh: Mesh) -> list[Face]:
    """The largest flat faces of a closed mesh, the largest first."""
    vectors = area_vectors(mesh.triangles.reshape(-1, 9).T).T  # (m, 3)
    doubled = np.linalg.norm(vectors, axis=1)
    normals = vectors / np.where(doubled > 0, doubled, 1.0)[:, None]
    one, other = _neighbours(mesh)
    joined = (normals[one] * normals[other]).sum(axis=1) >= SAME_DIRECTION
    regions, of = components(np.column_stack([one, other])[joined], len(mesh.faces))
    areas = np.bincount(of, doubled, minlength=regions)
    largest = areas.argsort(kind="stable")[::-1][:LOOKED_AT]
    diagonal = float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    faces = [
        _face(mesh, np.flatnonzero(of == region), normals, doubled, diagonal)
        for region in largest.tolist()
    ]
    flat = [face for face in faces if face is not None]
    sizes = [float(_areas(face).sum()) for face in flat]
    return [flat[i] for i in np.argsort(sizes, kind="stable")[::-1][:KEPT].tolist()]


def _neighbours(mesh: Mesh) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The two facets of each edge."""
    starts, ends = mesh.faces.reshape(-1), mesh.faces[:, [1, 2, 0]].reshape(-1)
    keys = edge_keys(starts, ends, len(mesh.vertices))
    facets = np.argsort(keys, kind="stable") // 3  # every edge of a closed mesh has two
    return facets[0::2], facets[1::2]


def _face(
    mesh: Mesh,
    facets: NDArray[np.int64],
    normals: NDArray[np.float64],
    doubled: NDArray[np.float64],
    diagonal: float,
) -> Face | None:
    """Those of a region's facets that lie in the plane of its largest one."""
    first = facets[doubled[facets].argmax()]
    if not doubled[first]:
        return None
    normal = normals[first]
    heights = mesh.vertices[mesh.faces[facets]] @ normal  # (k, 3)
    offset = float((mesh.vertices[mesh.faces[first]] @ normal).mean())
    here = facets[(np.abs(heights - offset) <= IN_PLANE * diagonal).all(axis=1)]
    triangles = mesh.vertices[mesh.faces[here]]
    return Face(triangles, normal, offset, _longest_rim(mesh, here, normal))


def _longest_rim(
    mesh: Mesh, facets: NDArray[np.int64], normal: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(3,), of length 1, within the plane."""
    faces = mesh.faces[facets]
    starts, ends = faces.reshape(-1), faces[:, [1, 2, 0]].reshape(-1)
    keys = edge_keys(starts, ends, len(mesh.vertices))
    _, first, times = np.unique(keys, return_index=True, return_counts=True)
    rim = first[times == 1]
    edges = mesh.vertices[ends[rim]] - mesh.vertices[starts[rim]]
    edges -= (edges @ normal)[:, None] * normal
    lengths = np.linalg.norm(edges, axis=1)
    longest = int(lengths.argmax())
    return edges[longest] / lengths[longest]


def _areas(face: Face) -> NDArray[np.float64]:
    return np.linalg.norm(area_vectors(face.triangles.reshape(-1, 9).T), axis=0) / 2

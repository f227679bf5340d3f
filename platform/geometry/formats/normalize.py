"""Normalises a read mesh: millimetres, welded, unused vertices dropped."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.formats.reader_checks import ReadMesh
from geometry.mesh import Mesh, signed_volume
from geometry.mesh.half_edges import has_three_corners
from geometry.mesh.welding import join_equal


def compact(content: ReadMesh, scale: float) -> Mesh:
    """In mm; equal places are one vertex, unused vertices and facets without corners are gone."""
    used = np.zeros(len(content.vertices), dtype=bool)
    used[content.faces.reshape(-1)] = True
    number = np.cumsum(used) - 1
    vertices = content.vertices[used] * scale + 0.0  # -0.0 becomes 0.0
    first, place = join_equal(vertices)
    order = np.lexsort(vertices[first].T)
    faces = np.argsort(order)[place[number[content.faces]]]
    return Mesh(vertices[first[order]], faces[has_three_corners(faces)])


class ShapeFigures(NamedTuple):
    """size (3,), mm; volume, mm^3, without meaning unless `manifold`"""

    size: NDArray[np.float64]
    volume: float
    manifold: bool


def figures_of(mesh: Mesh) -> ShapeFigures:
    """Of a mesh in mm."""
    places = mesh.vertices[mesh.faces.reshape(-1)]
    low, high = places.min(axis=0), places.max(axis=0)
    volume = signed_volume((places - (low + high) / 2).reshape(-1, 9).T)
    return ShapeFigures(high - low, volume, is_manifold(mesh.faces))


def is_manifold(faces: NDArray[np.int64]) -> bool:
    """Every edge joins exactly two facets, which run along it in opposite directions."""
    count = int(faces.max()) + 1
    starts, ends = faces.reshape(-1), faces[:, [1, 2, 0]].reshape(-1)
    there, back = np.sort(starts * count + ends), np.sort(ends * count + starts)
    return bool((there[1:] != there[:-1]).all() and (there == back).all())

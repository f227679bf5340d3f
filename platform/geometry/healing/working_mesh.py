"""Mesh under repair, with provenance of each face."""

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from geometry.mesh import area_vectors, cones
from geometry.mesh.half_edges import Edges, components, find_edges, has_three_corners
from geometry.mesh.welding import weld

KEPT = -1  # in `Patched.fill`: not invented


@dataclass(frozen=True, eq=False)
class WorkingMesh:
    """An indexed mesh, and which of its faces were invented to close a hole.

    vertices : (n, 3) float64, mm
    faces    : (m, 3) int64, counter-clockwise from outside
    fill     : (m,) int64, KEPT, or the number of the hole that the face fills
    anchors  : (k, 3) float64, the middle of each hole's rim
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    fill: NDArray[np.int64]
    anchors: NDArray[np.float64]

    @property
    def triangles(self) -> NDArray[np.float64]:
        """(m, 3, 3): corner positions, face by face."""
        return self.vertices[self.faces]

    @cached_property
    def diagonal(self) -> float:
        """Of the bounding box, mm."""
        return float(np.linalg.norm(np.ptp(self.vertices, axis=0))) if len(self.vertices) else 0.0

    @cached_property
    def edges(self) -> Edges:
        return find_edges(self.faces)

    def replace(self, **changes: NDArray) -> Self:
        return dataclasses.replace(self, **changes)

    def only(self, kept: NDArray[np.bool_]) -> Self:
        return self.replace(faces=self.faces[kept], fill=self.fill[kept])

    def joined(self, onto: NDArray[np.int64]) -> Self:
        """With each vertex replaced by another, without the faces that this collapses."""
        faces = onto[self.faces]
        return self.replace(faces=faces).only(has_three_corners(faces))

    def turned(self, which: NDArray[np.bool_]) -> Self:
        """With the chosen faces wound the other way."""
        faces = self.faces.copy()
        faces[which] = faces[which, ::-1]
        return self.replace(faces=faces)


def surface_of(triangles: NDArray[np.float32]) -> WorkingMesh:
    """Triangles (m, 3, 3) with equal corners welded, without those that have two equal ones."""
    mesh = weld(triangles).mesh
    surface = WorkingMesh(*mesh, np.full(len(mesh.faces), KEPT), np.empty((0, 3)))
    return surface.only(has_three_corners(surface.faces))


def find_patches(surface: WorkingMesh) -> tuple[int, NDArray[np.int32]]:
    """The faces joined over edges of exactly two: how many patches, and the patch of each face."""
    return components(surface.edges.pairs() // 3, len(surface.faces))


def areas(triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m,) mm^2."""
    return np.linalg.norm(area_normals(triangles), axis=1)


def area_normals(triangles: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, 3): along each normal, as long as the area."""
    return area_vectors(triangles.reshape(-1, 9).T).T / 2


def cone_volumes(triangles: NDArray[np.float64], apex: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m,) mm^3, signed: between each triangle and the apex, (3,) or (m, 3)."""
    around = triangles - apex.reshape(-1, 1, 3)
    return cones(around.reshape(-1, 9).T).sum(axis=0) / 6

"""Mesh (indexed triangles, mm), area and volume, InvalidMesh."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from input_errors import InputError

TRIANGLES_A_BLOCK = 1 << 18  # so that float64 copies of huge meshes stay small


class InvalidMesh(InputError):
    """A file or an array that cannot be taken as a mesh."""


class Mesh(NamedTuple):
    """An indexed triangle mesh, in millimetres.

    vertices : (n, 3) float64, mm
    faces    : (m, 3) int64, indices into `vertices`, counter-clockwise from outside
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]

    @property
    def triangles(self) -> NDArray[np.float64]:
        """(m, 3, 3) float64, mm: corner positions, face by face."""
        return self.vertices[self.faces]


def area_vectors(facets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Along each facet's normal, twice its area long.

    Parameters
    ----------
    facets : (9, k) float64
        One column a facet: x, y, z of its three corners. Rows that lie together in memory
        are several times faster here than (k, 3, 3).

    Returns
    -------
    (3, k) float64
    """
    ux, uy, uz = facets[3:6] - facets[0:3]
    vx, vy, vz = facets[6:9] - facets[0:3]
    return np.stack([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx])


def cones(
    facets: NDArray[np.float64], vectors: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """(3, k), of which the columns sum to six times the volumes between each facet and the origin.

    They are signed, so that over a closed surface they add up to what it encloses (divergence
    theorem). Facets should lie near the origin: else digits are spent on their distance from it.

    facets  : (9, k) float64, as for `area_vectors`
    vectors : their `area_vectors`, where these are known
    """
    return facets[:3] * (area_vectors(facets) if vectors is None else vectors)


def signed_volume(facets: NDArray[np.float64], vectors: NDArray[np.float64] | None = None) -> float:
    """What a closed surface encloses, negative if it is inside out; arguments as of `cones`."""
    return float(cones(facets, vectors).sum()) / 6


def mesh_volume(triangles: NDArray[np.float32], about: ArrayLike | None = None) -> float:
    """The signed volume of triangles, (m, 3, 3), wherever they lie.

    about : (3,), the first corner if it is not given; of a closed mesh it makes no difference
    """
    start = triangles[0, 0].astype(np.float64) if about is None else np.asarray(about)
    total = 0.0
    for first in range(0, len(triangles), TRIANGLES_A_BLOCK):
        block = triangles[first : first + TRIANGLES_A_BLOCK].astype(np.float64) - start
        total += signed_volume(block.reshape(-1, 9).T)
    return total


def welded_volume(vertices: NDArray[np.float32], faces: NDArray[np.uint32]) -> float:
    """The signed volume between faces, (m, 3), of vertices, (n, 3), that lie about the origin."""
    points, sixfold = vertices.astype(np.float64), 0.0
    for start in range(0, len(faces), TRIANGLES_A_BLOCK):
        sides = faces[start : start + TRIANGLES_A_BLOCK].T
        one, two, three = (np.take(points, side, axis=0) for side in sides)
        sixfold += float(np.einsum("ij,ij->", one, np.cross(two, three)))
    return sixfold / 6


def triangle_areas(triangles: NDArray[np.float32]) -> NDArray[np.float64]:
    """(m,) the areas of triangles, (m, 3, 3)."""
    areas = np.empty(len(triangles))
    for start in range(0, len(triangles), TRIANGLES_A_BLOCK):
        block = slice(start, start + TRIANGLES_A_BLOCK)
        vectors = area_vectors(triangles[block].reshape(-1, 9).T.astype(np.float64))
        areas[block] = np.sqrt((vectors * vectors).sum(axis=0)) / 2
    return areas


def winding_number(point: NDArray[np.float64], triangles: NDArray) -> float:
    """How often closed triangles, (n, 3, 3), wind about a point; of an open mesh, a share.

    The sum of solid angles (A. van Oosterom and J. Strackee, "The solid angle of a plane
    triangle", 1983) over that of the full sphere.
    """
    a, b, c = (triangles.astype(np.float64) - point).transpose(1, 0, 2)
    la, lb, lc = (np.sqrt((side * side).sum(axis=1)) for side in (a, b, c))
    ab, bc, ca = ((p * q).sum(axis=1) for p, q in ((a, b), (b, c), (c, a)))
    determinant = (a * np.cross(b, c)).sum(axis=1)
    return float(np.arctan2(determinant, la * lb * lc + ab * lc + bc * la + ca * lb).sum()) / (
        2 * np.pi
    )

"""What a triangle mesh is here, and how a file says that it is not one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from refusal import Refusal

TRIANGLES_A_BLOCK = 1 << 18  # so that float64 copies of huge meshes stay small


class InvalidMesh(Refusal):
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


def mesh_volume(triangles: NDArray[np.float32]) -> float:
    """The signed volume of triangles, (m, 3, 3), wherever they lie; of an open mesh it means
    nothing."""
    start = triangles[0, 0].astype(np.float64)
    total = 0.0
    for first in range(0, len(triangles), TRIANGLES_A_BLOCK):
        block = triangles[first : first + TRIANGLES_A_BLOCK].astype(np.float64) - start
        total += signed_volume(block.reshape(-1, 9).T)
    return total


def triangle_areas(triangles: NDArray[np.float32]) -> NDArray[np.float64]:
    """(m,) the areas of triangles, (m, 3, 3)."""
    areas = np.empty(len(triangles))
    for start in range(0, len(triangles), TRIANGLES_A_BLOCK):
        block = slice(start, start + TRIANGLES_A_BLOCK)
        vectors = area_vectors(triangles[block].reshape(-1, 9).T.astype(np.float64))
        areas[block] = np.sqrt((vectors * vectors).sum(axis=0)) / 2
    return areas

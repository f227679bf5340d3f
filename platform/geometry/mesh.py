"""What a triangle mesh is here, and how a file says that it is not one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TRIANGLES_A_BLOCK = 1 << 18  # so that float64 copies of huge meshes stay small


class InvalidMesh(ValueError):
    """A file or an array that cannot be taken as a mesh.

    code  : kebab-case, for programs
    title : a sentence for people: where, why, what was expected, what would mend it
    """

    def __init__(self, code: str, title: str):
        super().__init__(code, title)
        self.code = code
        self.title = title

    def __str__(self) -> str:
        return self.title


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


def triangle_areas(triangles: NDArray[np.float32]) -> NDArray[np.float64]:
    """(m,) the areas of triangles, (m, 3, 3)."""
    areas = np.empty(len(triangles))
    for start in range(0, len(triangles), TRIANGLES_A_BLOCK):
        block = slice(start, start + TRIANGLES_A_BLOCK)
        vectors = area_vectors(triangles[block].reshape(-1, 9).T.astype(np.float64))
        areas[block] = np.sqrt((vectors * vectors).sum(axis=0)) / 2
    return areas

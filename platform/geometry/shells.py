"""The shells of a mesh: its parts that share no corner with each other."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh import TRIANGLES_A_BLOCK, area_vectors
from geometry.welding import weld


class Shells(NamedTuple):
    """The shell of each triangle, and what is known of each shell.

    of      : (m,) int32, the shell's number
    volumes : (n,) float64, mm^3, negative where the facets are inside out; no meaning if open
    extents : (n,) float32, mm, the longest side of each shell's bounding box
    """

    of: NDArray[np.int32]
    volumes: NDArray[np.float64]
    extents: NDArray[np.float32]


def find_shells(triangles: NDArray[np.float32]) -> Shells:
    """The shells of triangles, (m, 3, 3) float32 near the origin, m >= 1."""
    # Only where shells are found: every process that knows what is measured would load it.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    vertices, faces = weld(triangles)
    links = (np.concatenate([faces[:, 0], faces[:, 0]]), faces[:, 1:].T.reshape(-1))
    graph = coo_array(
        (np.ones(2 * len(faces), dtype=np.int8), links), shape=(len(vertices), len(vertices))
    )
    count, shell_of_vertex = connected_components(graph, directed=False)
    of = shell_of_vertex[faces[:, 0]]

    volumes = np.zeros(count)
    for start in range(0, len(of), TRIANGLES_A_BLOCK):
        block = slice(start, start + TRIANGLES_A_BLOCK)
        facets = triangles[block].reshape(-1, 9).T.astype(np.float64)
        # Divergence theorem: six times the volume of each facet's tetrahedron.
        sixfold = (facets[:3] * area_vectors(facets)).sum(axis=0)
        volumes += np.bincount(of[block], sixfold, minlength=count) / 6

    order = np.argsort(shell_of_vertex, kind="stable")
    first = np.searchsorted(shell_of_vertex[order], np.arange(count))
    low, high = (end.reduceat(vertices[order], first) for end in (np.minimum, np.maximum))
    return Shells(of, volumes, (high - low).max(axis=1))

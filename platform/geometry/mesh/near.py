"""Near vertices: points within a tolerance of each other, in groups (single linkage)."""

import numpy as np
from numpy.typing import NDArray

from geometry.mesh.half_edges import components

# Of the bounding box's diagonal: what export programs leave between equal vertices.
NEAR_TOLERANCE = 1e-6


def group_near(
    points: NDArray[np.floating], tolerance: float, *, max_pairs: int
) -> NDArray[np.int32] | None:
    """Return the number of the group of each point; None where no two are near.

    Parameters
    ----------
    points : (n, 3), mm
    tolerance : mm
    max_pairs : of near points, each counted in both directions. None is returned beyond, too:
        so many are no cracks of float noise, and would not fit into memory.
    """
    # Imported here: a file without open edges, the common case, is analysed before scipy is loaded.
    from scipy.spatial import KDTree

    tree = KDTree(points.astype(np.float64, copy=False))
    if tree.count_neighbors(tree, tolerance) - len(points) > max_pairs:
        return None
    pairs = tree.query_pairs(tolerance, output_type="ndarray")
    return components(pairs, len(points))[1] if len(pairs) else None

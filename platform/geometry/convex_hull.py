"""Convex hulls (Qhull).

scipy is loaded where a hull is first asked for: every process of the platform imports what asks,
and few ever do.
"""

import numpy as np
from numpy.typing import NDArray


def hull(points: NDArray[np.floating]) -> NDArray[np.float64]:
    """The corners of the hull of points (n, d), (k, d); all of them where they span no volume.

    In two dimensions they are counter-clockwise.
    """
    from scipy.spatial import ConvexHull, QhullError

    found = points.astype(np.float64)
    try:
        return found[ConvexHull(found).vertices]
    except (QhullError, ValueError):
        return np.unique(found, axis=0)


def hull_volume(points: NDArray[np.floating]) -> float | None:
    """The volume of the hull of points (n, 3), or the area of (n, 2); None where they span none."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return float(ConvexHull(points.astype(np.float64)).volume)
    except (QhullError, ValueError):
        return None

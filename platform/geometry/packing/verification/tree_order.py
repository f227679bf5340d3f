"""Triangle order of an AABB tree, shared by all copies."""

import numpy as np
from numpy.typing import NDArray

LEAF = 4  # triangles, at most


def tree_order(triangles: NDArray[np.float32]) -> NDArray[np.int64]:
    """The order in which triangles, (n, 3, 3), stand in a balanced tree over them.

    Each set is divided at the median along the longest side of its centres' box. The number of
    leaves is a power of two and all are as large; triangles are repeated to fill them up.

    Returns
    -------
    (leaves, size) indices into the triangles, size <= LEAF
    """
    centres = triangles.mean(axis=1)
    count = len(triangles)
    levels = max(0, int(np.ceil(np.log2(count / LEAF))))
    size = -(-count // (1 << levels))
    order = np.resize(np.arange(count), (1, size << levels))
    for _ in range(levels):
        points = centres[order]  # (sets, members, 3)
        axes = np.ptp(points, axis=1).argmax(axis=1)
        keys = np.take_along_axis(points, axes[:, None, None], axis=2)[..., 0]
        order = np.take_along_axis(order, keys.argsort(axis=1, kind="stable"), axis=1)
        order = order.reshape(2 * len(order), -1)
    return order

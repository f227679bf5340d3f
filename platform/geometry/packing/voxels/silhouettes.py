"""Silhouette of a part on the plate, as cells.

The grid that packs volumes packs plates too, as a single layer. V are the cells that the
projection of any triangle touches, D those nearer to one of them than the distance: on a plate
nothing stands beneath anything else.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from geometry.packing.compiled.voxel_kernels import mark
from geometry.packing.voxels.voxelization import SHRINK, SPARE, Solid, solid_of

TOUCHES, NEARBY = 160, 48  # cells of the rim that are looked at for contact, at 1 and 3 cells
# Quarter turns about z.
QUARTERS = np.array(
    [[[c, -s, 0], [s, c, 0], [0, 0, 1]] for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))],
    dtype=np.float64,
)


def flattened(triangles: NDArray) -> NDArray:
    """(n, 3, 3): triangles seen from above, at z = 0."""
    flat = triangles.copy()
    flat[:, :, 2] = 0.0
    return flat


def silhouette(
    triangles: NDArray, quarters: NDArray[np.float64], pitch: float, distance: float
) -> Solid:
    """What a model covers of the plate.

    Parameters
    ----------
    triangles : (n, 3, 3), mm, n >= 1
    quarters  : (r, 3, 3), of QUARTERS
    pitch     : mm
    distance  : mm, from any other silhouette
    """
    above = flattened(triangles.astype(np.float64))
    corners = above.reshape(-1, 3)
    low, high = corners.min(axis=0), corners.max(axis=0)
    centre, extents = (low + high) / 2, high - low
    size = np.maximum(1, np.ceil(extents / pitch - 1e-6)).astype(np.int64)
    pad = math.ceil(distance / pitch) + 3  # of which two for the rim
    covered = np.zeros(size + 2 * pad, dtype=np.uint8)
    scale = 1.0 - 2 * SHRINK / np.maximum(extents, 4 * SHRINK)
    in_cells = (above - centre) * (scale / pitch) + (size / 2 + pad)
    mark(in_cells, 0.0, covered, np.zeros_like(covered))
    plane = covered[:, :, pad] != 0
    moving, standing = np.zeros_like(covered, dtype=bool), np.zeros_like(covered, dtype=bool)
    moving[:, :, pad] = plane
    standing[:, :, pad] = _kept_free(plane, (distance + SPARE) / pitch)
    return solid_of(moving, standing, _rim(plane, pad), pad, centre, extents, quarters)


def _kept_free(plane: NDArray[np.bool_], reach: float) -> NDArray[np.bool_]:
    """The cells of which some point is nearer to some point of V than `reach`, in cells.

    Cells that touch are 0 apart: so the distance is that of centres, from V grown by one.
    """
    grown = ndimage.binary_dilation(plane, structure=np.ones((3, 3), dtype=bool))
    return grown | (ndimage.distance_transform_edt(~grown) < reach)


def _rim(plane: NDArray[np.bool_], pad: int) -> NDArray[np.int16]:
    """(k, 3): some cells at 1 and at 3 cells from V, the same at every call."""
    rng = np.random.default_rng(0)
    found = []
    for steps, count in ((1, TOUCHES), (3, NEARBY)):
        grown = ndimage.binary_dilation(plane, iterations=steps)
        inner = ndimage.binary_dilation(plane, iterations=steps - 1) if steps > 1 else plane
        cells = np.argwhere(grown & ~inner)
        found.append(cells[np.sort(rng.integers(len(cells), size=count))])
    flat = np.concatenate(found) - pad
    return np.insert(flat, 2, 0, axis=1).astype(np.int16)

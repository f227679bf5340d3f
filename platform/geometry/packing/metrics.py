"""Metrics of the written packing: bounds, height, density."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from geometry.mesh import mesh_volume
from geometry.packing.request import PackItem, Placement, Volume


def bounds_of(triangles: NDArray[np.float32]) -> NDArray[np.float64]:
    """(2, 3): the least and greatest coordinates of triangles, (n, 3, 3)."""
    columns = np.ascontiguousarray(triangles.reshape(-1, 3).T)
    return np.array([columns.min(axis=1), columns.max(axis=1)], dtype=np.float64)


def turned_bounds(
    triangles: NDArray[np.float32], rotations: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(r, 2, 3), mm: the least and greatest coordinates of triangles under each rotation."""
    corners = triangles.reshape(-1, 3)
    box = bounds_of(triangles)
    bounds = np.empty((len(rotations), 2, 3))
    for i, rotation in enumerate(rotations):
        quarter = (np.abs(rotation) == 1.0).sum() == 3  # exchanges and reverses axes only
        points = box if quarter else corners.astype(np.float64)
        turned = np.einsum("ij,nj->ni", rotation, points)
        bounds[i] = turned.min(axis=0), turned.max(axis=0)
    return bounds


def height(pieces: Sequence[PackItem], placements: Iterable[Placement]) -> float:
    """mm: the top of the highest placed piece as written; 0 where nothing is placed."""
    tops: dict[tuple[int, bytes], float] = {}
    highest = 0.0
    for placement in placements:
        rotation = placement.transform[:3, :3]
        key = placement.piece, rotation.tobytes()
        if key not in tops:
            bounds = turned_bounds(pieces[placement.piece].triangles, rotation[None])
            tops[key] = float(bounds[0, 1, 2])
        highest = max(highest, float(np.float32(tops[key] + placement.transform[2, 3])))
    return highest


def density(
    pieces: Sequence[PackItem], placements: Iterable[Placement], volume: Volume, top: float
) -> float:
    """The share of volume.x * volume.y * top that the placed meshes fill; 0 without a height."""
    if not top:
        return 0.0
    volumes: dict[int, float] = {}
    filled = 0.0
    for placement in placements:
        if placement.piece not in volumes:
            volumes[placement.piece] = abs(mesh_volume(pieces[placement.piece].triangles))
        filled += volumes[placement.piece]
    return filled / (volume.x * volume.y * top)

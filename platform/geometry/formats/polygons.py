"""Polygon triangulation: fan for convex, ear clipping for concave polygons."""

import manifold3d
import numpy as np
from numpy.typing import NDArray


def triangulate(
    vertices: NDArray[np.float64], sizes: NDArray[np.int64], corners: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The triangles of polygons that follow one another.

    Every corner of a polygon stays a corner of its triangles, so that no neighbour comes apart.
    The order of the polygons is not kept.

    Parameters
    ----------
    vertices : (n, 3) float64
    sizes    : (k,) the corners of each polygon, 3 at least
    corners  : (sum of sizes,) indices into `vertices`, all of them valid

    Returns
    -------
    (m, 3) int64
    """
    starts = np.cumsum(sizes) - sizes
    parts = [np.empty((0, 3), dtype=np.int64)]
    for size in np.unique(sizes).tolist():
        polygons = corners[starts[sizes == size, None] + np.arange(size)]  # (k, size)
        parts.append(polygons if size == 3 else _split(vertices, polygons))
    return np.concatenate(parts)


def polygon_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """(m,) for each triangle that `triangulate` makes of polygons of these sizes: its polygon."""
    order = np.argsort(sizes, kind="stable")
    return np.repeat(order, sizes[order] - 2)


def _split(vertices: NDArray[np.float64], polygons: NDArray[np.int64]) -> NDArray[np.int64]:
    """(k (size - 2), 3): the triangles of polygons of one size."""
    size = polygons.shape[1]
    fan = np.stack([np.zeros(size - 2, int), np.arange(1, size - 1), np.arange(2, size)], axis=1)
    places = vertices[polygons]
    spokes = places[:, 1:] - places[:, :1]
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is refused later
        areas = np.cross(spokes[:, :-1], spokes[:, 1:])  # (k, size - 2, 3)
        normals = areas.sum(axis=1, keepdims=True)  # Newell's
        along = (areas * normals).sum(axis=2)
        concave = (along < -1e-12 * (normals * normals).sum(axis=2)).any(axis=1)
    triangles = polygons[:, fan]
    for which in np.flatnonzero(concave):  # rare, and each is another problem
        triangles[which] = polygons[which][_clip(places[which], normals[which, 0])]
    return triangles.reshape(-1, 3)


def _clip(places: NDArray[np.float64], normal: NDArray[np.float64]) -> NDArray[np.int64]:
    """(size - 2, 3): a concave polygon's triangles, in the plane that it lies in most."""
    axis = int(np.abs(normal).argmax())
    flat = places[:, [(axis + 1) % 3, (axis + 2) % 3]]
    if normal[axis] < 0:
        flat = flat[:, ::-1]  # seen from the other side: counter-clockwise again
    return manifold3d.triangulate([np.ascontiguousarray(flat)])

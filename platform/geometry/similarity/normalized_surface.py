"""Surface normalised for translation and scale."""

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.formats.stl import read_triangles
from geometry.mesh import InvalidMesh, area_vectors, signed_volume
from geometry.mesh.half_edges import count_edges, half_edges
from geometry.mesh.welding import hash_corners

MIN_AREA = 1e-14  # of the whole surface; facets below it have no normal worth the name
FEWEST_FACETS = 4
CLOSED = 1e-6  # the area vectors of a closed surface sum to so little of its area
CELLS = 32  # along each axis of the box, by which facets are put in order


class NormalForm(NamedTuple):
    """(x - centre) @ axes / rms leads from the file into the normal frame.

    triangles : (m, 3, 3) float64, normal frame
    normals   : (m, 3) float64, of length 1
    areas     : (m,) float64, normal frame
    vertices  : (n,) int64: one corner, 3 * facet + corner, for each place that corners share
    centre    : (3,) float64, mm, centroid of the surface
    rms       : mm, root mean square distance of the surface from `centre`
    radii     : (3,) float64, principal radii, descending; their squares sum to 1
    axes      : (3, 3) float64, columns: the principal axes in the file's frame, right-handed
    volume    : signed, normal frame; None where the surface is open
    diagonal  : mm, of the bounding box in the file's frame
    """

    triangles: NDArray[np.float64]
    normals: NDArray[np.float64]
    areas: NDArray[np.float64]
    vertices: NDArray[np.int64]
    centre: NDArray[np.float64]
    rms: float
    radii: NDArray[np.float64]
    axes: NDArray[np.float64]
    volume: float | None
    diagonal: float

    @property
    def corners(self) -> NDArray[np.float64]:
        """(n, 3), normal frame: each place that corners share once."""
        return self.triangles.reshape(-1, 3)[self.vertices]


def read_surface(path: str | os.PathLike) -> NormalForm:
    """The surface of an STL file.

    Raises InvalidMesh: nothing-to-index, and what `read_triangles` raises.
    """
    return surface_of(read_triangles(path))


def surface_of(corners: NDArray[np.float32]) -> NormalForm:
    """The surface of (m, 3, 3) float32 triangles, mm.

    Its moments are exact for flat facets, so they do not depend on how it is tessellated, nor on
    which way round the facets are: open and flipped surfaces have them too.
    """
    places = _places(corners)
    facets = _distinct(corners, places)
    low, high = (bound(axis=(0, 1)).astype(np.float64) for bound in (corners.min, corners.max))
    middle, size = (low + high) / 2, float((high - low).max())
    if len(facets) < FEWEST_FACETS or size <= 0:
        raise _nothing()
    facets = facets[_by_place((corners[facets, 0] - low) / size)]
    corners, places = corners[facets], places[facets]

    # In a box of size 1 no product overflows or vanishes, whatever the file's coordinates are.
    triangles = (corners - middle) / size
    vectors = area_vectors(triangles.reshape(-1, 9).T).T / 2
    areas = np.sqrt((vectors * vectors).sum(axis=1))
    solid = areas > MIN_AREA * areas.sum()
    if solid.sum() < FEWEST_FACETS:
        raise _nothing()
    if not solid.all():
        triangles, vectors, areas = triangles[solid], vectors[solid], areas[solid]
        places = places[solid]

    weights = areas / areas.sum()
    centre = weights @ triangles.mean(axis=1)
    triangles -= centre
    summed = triangles.sum(axis=1)
    moment = np.einsum("m,mci,mcj->ij", weights, triangles, triangles, optimize=True)
    moment = (moment + np.einsum("m,mi,mj->ij", weights, summed, summed, optimize=True)) / 12
    rms = float(np.sqrt(np.trace(moment)))
    squares, axes = np.linalg.eigh(moment / rms**2)
    axes = axes[:, ::-1] * [1, 1, np.linalg.det(axes[:, ::-1])]
    triangles = triangles @ (axes / rms)
    closed = np.abs(vectors.sum(axis=0)).max() <= CLOSED * areas.sum() and _is_closed(places)
    return NormalForm(
        triangles=triangles,
        normals=(vectors / areas[:, None]) @ axes,
        areas=areas / rms**2,
        vertices=np.sort(np.unique(places, return_index=True)[1]),
        centre=middle + size * centre,
        rms=size * rms,
        radii=np.sqrt(np.maximum(squares[::-1], 0.0)),
        axes=axes,
        volume=signed_volume(triangles.reshape(-1, 9).T) if closed else None,
        diagonal=size * float(np.linalg.norm((high - low) / size)),
    )


def _nothing() -> InvalidMesh:
    return InvalidMesh(
        "nothing-to-index",
        f"There is nothing to index: the model has no surface, or fewer than {FEWEST_FACETS} "
        "different triangles. Export it again as a body.",
    )


def _places(corners: NDArray[np.float32]) -> NDArray[np.uint64]:
    """(m, 3): a number for each corner, the same for the same coordinates."""
    return hash_corners(np.ascontiguousarray(corners.reshape(-1, 9).T), np.uint64(0)).T


def _distinct(corners: NDArray[np.float32], places: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Indices of the facets, one of each that occur twice, whichever way round.

    A double shell would weigh twice in the moments.
    """
    keys, first = np.unique(places.sum(axis=1, dtype=np.uint64), return_index=True)
    if len(keys) == len(corners):
        return np.arange(len(corners))
    return np.sort(first)


def _by_place(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """An order of (n, 3) points in a box of size 1 in which neighbours come soon after each other.

    A tree is asked for such points in up to half the time: most of it is in the cache.
    """
    x, y, z = (points * (CELLS - 1)).astype(np.int64).T
    return np.argsort((x * CELLS + y) * CELLS + z, kind="stable")


def _is_closed(places: NDArray[np.uint64]) -> bool:
    """Whether every edge is passed as often forwards as backwards."""
    keys = np.empty((3, len(places)), dtype=np.uint64)
    half_edges(places.T, out=keys)
    return count_edges(np.sort(keys, axis=None)).balanced

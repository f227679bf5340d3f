"""Shape metrics for pricing: surface area by slope, convex hull volume."""

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.convex_hull import hull, hull_volume
from geometry.formats.stl.detection import inspect
from geometry.formats.stl.reader import MAX_TRIANGLES, stream_facets
from geometry.mesh import area_vectors

# A facet is flat where its normal is at most so far from the vertical, degrees: it is printed as
# a floor or a ceiling, not as walls.
FLAT = 45.0


class Numbers(NamedTuple):
    """Of one mesh.

    steep, flat : surface that is printed as walls, and as floors and ceilings, mm²
    hull        : volume of the convex hull, mm³; None where it has none
    """

    steep: float
    flat: float
    hull: float | None


def shape_numbers(path: str | os.PathLike) -> Numbers:
    """The numbers of a binary STL file, read in pieces. Raises what reading it does."""
    steep = flat = 0.0
    corners: list[NDArray[np.float64]] = []
    least = np.cos(np.radians(FLAT))
    for facets in stream_facets(inspect(path, max_triangles=MAX_TRIANGLES)):
        rows = np.asarray(facets, np.float64)  # (9, k)
        vectors = area_vectors(rows)  # (3, k)
        areas = np.sqrt((vectors**2).sum(axis=0)) / 2  # (k,)
        lies = np.abs(vectors[2]) / 2 >= least * areas
        flat += float(areas[lies].sum())
        steep += float(areas[~lies].sum())
        corners.append(hull(rows.reshape(3, 3, -1).transpose(2, 0, 1).reshape(-1, 3)))
    return Numbers(steep, flat, hull_volume(np.concatenate(corners)) if corners else None)

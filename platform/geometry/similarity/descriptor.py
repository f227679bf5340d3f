"""Shape descriptor of a mesh, as stored in the index."""

import os
from typing import NamedTuple

import numpy as np

from geometry.mesh.aabb_tree import AabbTree
from geometry.similarity.normalized_surface import NormalForm, read_surface
from geometry.similarity.spherical_harmonics import harmonics_of, power_spectrum

DESCRIPTOR_VERSION = 2
SIZE = 324


class Description(NamedTuple):
    """JSON-able by `_asdict()`. All but `rms` and `diagonal` is the same at any size and place.

    vector       : SIZE numbers that fit into float16; L1 distance, 2.0 for a random pair; the
                   same for a mirror image
    radii        : principal radii of the surface, descending; their squares sum to 1
    area_ratio   : area / rms^2
    volume_ratio : |volume| / rms^3 of a closed surface; None of an open one
    rms          : mm; root mean square distance of the surface from its centroid
    diagonal     : mm, of the bounding box
    triangles    : without duplicates and without those that have no area
    """

    vector: list[float]
    radii: tuple[float, float, float]
    area_ratio: float
    volume_ratio: float | None
    rms: float
    diagonal: float
    triangles: int


def describe(path: str | os.PathLike) -> Description:
    """Describe the mesh of an STL file.

    Raises InvalidMesh: nothing-to-index where it has fewer than 4 triangles or no surface, and
    what `geometry.formats.stl.read_triangles` raises.
    """
    return describe_surface(read_surface(path))


def describe_surface(surface: NormalForm) -> Description:
    """The same of a surface that is already read."""
    vector = power_spectrum(harmonics_of(AabbTree(surface.triangles)))
    first, second, third = (float(radius) for radius in surface.radii)
    return Description(
        vector=vector.astype(np.float16).astype(float).tolist(),
        radii=(first, second, third),
        area_ratio=float(surface.areas.sum()),
        volume_ratio=None if surface.volume is None else abs(surface.volume),
        rms=surface.rms,
        diagonal=surface.diagonal,
        triangles=len(surface.areas),
    )

"""Engraves or embosses the text by boolean operations and verifies the result."""

from typing import NamedTuple

import numpy as np
from manifold3d import CrossSection, Manifold, Mesh64
from numpy.typing import NDArray

from geometry.marking.text_placement import MARGIN, TextPlace
from geometry.mesh import Mesh

IN_FRONT = 2.0  # mm that must be free before the text
BEYOND = 0.2  # mm that the tool reaches past the surface, so that no two faces coincide
SKIN = 1e-3  # mm between the surface and what is measured beside it
FULL, EMPTY = 0.999, 1e-4  # of a box
VOLUME_TOLERANCE, VOLUME_ROUNDING = 1e-3, 2e-7  # of the text's volume, and of the part's


class Cut(NamedTuple):
    """The part with its text, and the mm^3 that it lost or gained."""

    solid: Manifold
    volume_change: float


def to_solid(mesh: Mesh) -> Manifold | None:
    """None where manifold3d does not take it for a closed solid."""
    solid = Manifold(Mesh64(mesh.vertices, mesh.faces.astype(np.uint64)))
    return None if solid.is_empty() else solid


def to_triangles(solid: Manifold) -> NDArray[np.float64]:
    mesh = solid.to_mesh64()
    return np.asarray(mesh.vert_properties)[:, :3][np.asarray(mesh.tri_verts).astype(np.int64)]


def is_free_in_front(
    part: Manifold, place: TextPlace, width: float, height: float, reach: float
) -> bool:
    """reach : mm that the text stands out"""
    box = _box(place, width, height, SKIN, SKIN + reach + IN_FRONT)
    return (part ^ box).volume() <= EMPTY * box.volume()


def is_solid_behind(
    part: Manifold, place: TextPlace, width: float, height: float, depth: float
) -> bool:
    box = _box(place, width, height, -SKIN - depth, -SKIN)
    return (part ^ box).volume() >= FULL * box.volume()


def find_obstacles(part: Manifold, place: TextPlace, depth: float, reach: float) -> CrossSection:
    """Where the part is in the way within `reach` and beyond, or ends within `depth`.

    In mm along the frame's x and y, from the part's own origin.
    """
    low, high = np.array(part.bounding_box()).reshape(2, 3)
    extent = 2 * float(np.linalg.norm(np.maximum(np.abs(low), np.abs(high))))
    offset = float(place.origin @ place.frame.z)
    level = part.transform(np.column_stack([np.array(place.frame), (0.0, 0.0, -offset)]))
    front = _slab(extent, SKIN, SKIN + reach + IN_FRONT) ^ level
    missing = _slab(extent, -SKIN - depth, -SKIN) - level
    return front.project() + missing.project()


def wall_behind(part: Manifold, place: TextPlace) -> float:
    """mm from the place to where the part ends behind it."""
    low = np.array(part.bounding_box()[:3])
    high = np.array(part.bounding_box()[3:])
    inward = place.origin - place.frame.z * float(np.linalg.norm(high - low))
    hits = part.ray_cast(tuple(place.origin - SKIN * place.frame.z), tuple(inward))
    if not hits:
        return 0.0
    return float(np.linalg.norm(np.array(hits[0].position) - place.origin))


def cut(
    part: Manifold, place: TextPlace, letters: CrossSection, depth: float, mode: str
) -> Cut | None:
    """The part with the letters; None where they did not come out as they should have.

    letters : in mm
    """
    beyond = min(BEYOND, depth / 2)
    bottom = -depth if mode == "engrave" else -beyond
    tool = Manifold.extrude(letters, depth + beyond).translate((0.0, 0.0, bottom))
    tool = tool.transform(_matrix(place))
    solid = part - tool if mode == "engrave" else part + tool
    change = solid.volume() - part.volume()
    expected = letters.area() * depth * (-1.0 if mode == "engrave" else 1.0)
    most = VOLUME_TOLERANCE * abs(expected) + VOLUME_ROUNDING * part.volume()
    if abs(change - expected) > most:
        return None
    return Cut(solid, change)


def _box(place: TextPlace, width: float, height: float, low: float, high: float) -> Manifold:
    """Over the text and its margin, from one height to another above the surface."""
    size = (width + MARGIN, height + MARGIN, high - low)
    box = Manifold.cube(size, center=True).translate((0.0, 0.0, (low + high) / 2))
    return box.transform(_matrix(place))


def _slab(extent: float, low: float, high: float) -> Manifold:
    slab = Manifold.cube((extent, extent, high - low), center=True)
    return slab.translate((0.0, 0.0, (low + high) / 2))


def _matrix(place: TextPlace) -> NDArray[np.float64]:
    """(3, 4): from the text's own coordinates to the part's."""
    return np.column_stack([*place.frame, place.origin])

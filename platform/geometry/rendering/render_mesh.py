"""Prepares a mesh for rendering: normalised, welded, decimated where it is huge."""

import math
import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.formats.stl.detection import HEADER_BYTES, RECORD
from geometry.mesh import welded_volume
from geometry.mesh.half_edges import components
from geometry.mesh.welding import weld
from geometry.rendering.view import NothingToShow
from geometry.vertex_clustering import Chunks, cluster, without_repeats

CHUNK = 262_144  # triangles
BLOCK = 8192  # triangles that are measured at once, in the processor's cache
ROW = 3 * 256  # numbers of which the least are taken at once

# From so many triangles on a coarser copy is drawn, on a grid of so many cells, of so many at most.
DISPLAY, DISPLAY_CELLS, MAX_DISPLAY = 400_000, 768, 2_000_000  # a cell is about a pixel
CASTERS, MAX_CASTERS = 4_000, 250_000  # the grid of casters is of two texels of the shadow
CLOSE_CELLS = 4096  # for a camera that stands close

# What triangles cover is drawn pixel by pixel, also where it is hidden. Parts cover 25 squares of
# their radius at most, a hundred thousand faces that overlap 20,000. So much may be covered, with
# shadows so much, and so much more for each triangle, or a picture would take over three times as
# long as one of an ordinary part. Beyond that a model is crowded: equal triangles are dropped, then
# a copy is drawn on a coarse grid, then the pixels are larger.
COVERED, COVERED_SHADOWS, COVERED_EACH = 80.0, 200.0, 5e-4
STRIP = 0.009  # radii: the width of what even the thinnest triangle covers
CROWDED_CELLS = 192

Source = str | os.PathLike | NDArray[np.float32]


class UnitMesh(NamedTuple):
    """vertices (n, 3) float32 in units of the model's radius about its centre, faces (m, 3)."""

    vertices: NDArray[np.float32]
    faces: NDArray[np.uint32]

    def signed_volume(self) -> float:
        """In cubes of the radius: negative where the faces are inside out."""
        return welded_volume(self.vertices, self.faces)

    def pieces(self) -> int:
        """How many groups of faces share no vertex."""
        sides = self.faces.reshape(-1, 3)
        pairs = np.concatenate([sides[:, :2], sides[:, 1:]])
        return components(pairs.astype(np.int64), len(self.vertices))[0]

    def covered(self) -> "Covered":
        """What its triangles cover, whether they are seen or not."""
        area = length = 0.0
        for start in range(0, len(self.faces), BLOCK):
            faces = self.faces[start : start + BLOCK]
            corners = np.take(self.vertices, faces.ravel(), axis=0).reshape(-1, 3, 3)
            one, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
            ones, others = _products(one, one), _products(other, other)
            squares = ones * others - _products(one, other) ** 2
            area += float(np.sqrt(np.maximum(squares, 0)).sum()) / 2
            length += float(np.sqrt(np.maximum(ones, others)).sum())
        return Covered(area, length * STRIP)


def _products(some: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n,): the scalar products of the rows."""
    return np.einsum("ij,ij->i", some, others)


class Covered(NamedTuple):
    """In squares of the radius."""

    area: float
    strips: float  # along the longer of two sides of each triangle

    def grain(self, most: float) -> float:
        """How many times larger pixels must be to draw at most so much; 1 where none need."""
        # area / grain**2 + strips / grain = most
        root = math.sqrt(self.strips**2 + 4 * self.area * most)
        return max(1.0, (self.strips + root) / (2 * most))


class Drawable(NamedTuple):
    """What the painter draws, and what casts the shadows: the same but for large models."""

    surface: UnitMesh
    casters: UnitMesh
    exact: bool  # whether the surface is the model's own, not a coarser copy
    whole: bool  # whether it is all of one piece, and the model's own
    grain: float  # so many times larger pixels it must be drawn with, without shadows; as a rule 1
    center: NDArray[np.float64]  # (3,) mm
    radius: float  # mm, half the diagonal of the bounding box
    low: float  # mm, the lowest z
    high: float


def prepare(source: Source, *, shadows: int, eye: tuple | None = None) -> Drawable:
    """The drawable of a canonical binary STL, or of (m, 3, 3) triangles.

    Parameters
    ----------
    shadows : int
        Texels along the edge of a shadow map; 0 where there are none, and casters are the surface.
    eye : position of the camera in mm, if it is given
        A huge model is kept finer where it is looked at from close by.

    Raises
    ------
    NothingToShow
        No triangle has finite corners, or all corners lie in one point.
    """

    def chunks() -> Iterator[NDArray[np.float32]]:
        return _finite_triangles(source)

    low, high, count = _bounds(chunks)
    center, radius = (low + high) / 2, float(np.linalg.norm(high - low) / 2)
    if not radius > 0:
        raise NothingToShow("All corners of the model lie in one point, so it cannot be drawn.")

    exact = count <= DISPLAY
    if exact:
        surface = _of_unit_size(np.concatenate(list(chunks())), center, radius)
    else:
        close = eye is not None and np.linalg.norm((np.array(eye) - center) / radius) < 1.5
        cells = CLOSE_CELLS if close else DISPLAY_CELLS
        coarse = cluster(chunks, low, 2 * radius, cells, MAX_DISPLAY)
        surface = UnitMesh(_normalized(coarse.vertices, center, radius), coarse.faces)

    most = (COVERED_SHADOWS if shadows else COVERED) + COVERED_EACH * count
    grain = surface.covered().grain(most)
    if grain > 1:
        surface, grain, exact = *_thinned(surface, most), False

    casters = surface
    if shadows and grain == 1 and len(surface.faces) > CASTERS:
        casters = _coarser(surface, shadows // 2)
    if not len(surface.faces):
        raise NothingToShow("All triangles of the model are too small to be seen.")
    whole = exact and surface.pieces() == 1
    heights = float(low[2]), float(high[2])
    return Drawable(surface, casters, exact, whole, grain, center, radius, *heights)


def _finite_triangles(source: Source) -> Iterator[NDArray[np.float32]]:
    for triangles in _triangles(source):
        finite = np.isfinite(triangles).all(axis=(1, 2))
        yield triangles if finite.all() else triangles[finite]


def _triangles(source: Source) -> Iterator[NDArray[np.float32]]:
    if isinstance(source, np.ndarray):
        for start in range(0, len(source), CHUNK):
            yield source[start : start + CHUNK]
        return

    with open(source, "rb") as file:
        header = file.read(HEADER_BYTES)
        count = int.from_bytes(header[80:], "little")
        if os.path.getsize(source) != HEADER_BYTES + count * RECORD.itemsize:
            raise ValueError("Only canonical binary STL can be drawn: write the model as such.")
        while len(records := np.fromfile(file, RECORD, CHUNK)):
            yield records["corners"]


def _bounds(chunks: Chunks) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Lowest and highest corner of the bounding box, (3,) float64, and the triangles' number."""
    count, low, high = 0, np.full(3, np.inf), np.full(3, -np.inf)
    for triangles in chunks():
        if len(triangles):
            low, high = np.minimum(low, _least(triangles)), np.maximum(high, -_least(-triangles))
            count += len(triangles)
    if not count:
        raise NothingToShow("The model has no triangle with finite corners, so nothing is seen.")
    return low, high, count


def _least(triangles: NDArray[np.float32]) -> NDArray[np.float32]:
    """(3,), the lowest corner. Of long rows numpy takes it many times as fast as of short ones."""
    numbers = triangles.reshape(-1)
    whole = len(numbers) // ROW * ROW
    found = numbers[whole:].reshape(-1, 3)
    if whole:
        columns = numbers[:whole].reshape(-1, ROW).min(axis=0).reshape(-1, 3)
        found = np.concatenate([columns, found])
    least: NDArray[np.float32] = found.min(axis=0)
    return least


def _normalized(points: NDArray, center: NDArray, radius: float) -> NDArray[np.float32]:
    """In double precision until the centre is taken off: models may lie far from the origin."""
    return ((points - center) / radius).astype(np.float32)


def _of_unit_size(triangles: NDArray[np.float32], center: NDArray, radius: float) -> UnitMesh:
    """Welded: half the memory, and each vertex is transformed once."""
    vertices, faces = weld(triangles + np.float32(0))  # turns -0.0 into 0.0
    return UnitMesh(_normalized(vertices, center, radius), faces.astype(np.uint32))


def _thinned(surface: UnitMesh, most: float) -> tuple[UnitMesh, float]:
    """What is drawn of a crowded model, and with what grain."""
    faces = without_repeats(surface.faces.astype(np.int64))
    surface = UnitMesh(surface.vertices, faces.astype(np.uint32))
    grain = surface.covered().grain(most)
    if grain > 1:
        surface = _coarser(surface, CROWDED_CELLS)
        grain = surface.covered().grain(most)
    return surface, grain


def _coarser(surface: UnitMesh, cells: int) -> UnitMesh:
    def chunks() -> Iterator[NDArray[np.float32]]:
        for start in range(0, len(surface.faces), CHUNK):
            yield surface.vertices[surface.faces[start : start + CHUNK]]

    coarse = cluster(chunks, np.full(3, -1.0), 2.0, cells, MAX_CASTERS)
    return UnitMesh(coarse.vertices.astype(np.float32), coarse.faces)

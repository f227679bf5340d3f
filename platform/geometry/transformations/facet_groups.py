"""Facets grouped by direction, and convex hull, for auto-orientation."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from manifold3d import Manifold
from numpy.typing import NDArray

from geometry.mesh import area_vectors, signed_volume

# Cells along each side of a cube onto which directions are projected: 1.4 degrees each. An odd
# number, so that an axis points to the middle of a cell and its noise does not leave it.
CELLS = 65
HULL_BLOCK = 1 << 18  # corners that are added to the hull at a time
OUTERMOST = 1e-4  # of the box's diagonal: facets this near a group's outermost plane lie in it


class Groups(NamedTuple):
    """Facets grouped by normals that agree within a degree or two; degenerate ones left out.

    areas           : (n,), mm^2
    normals         : (3, n), unit, the mean of a group
    centroids       : (3, n), mm, area-weighted
    largest         : (3, n), unit, the normal of its largest facet
    outer_areas     : (n,), mm^2, of the facets that lie in the group's outermost plane
    outer_centroids : (3, n), mm
    """

    areas: NDArray[np.float64]
    normals: NDArray[np.float64]
    centroids: NDArray[np.float64]
    largest: NDArray[np.float64]
    outer_areas: NDArray[np.float64]
    outer_centroids: NDArray[np.float64]

    def largest_first(self, count: int) -> NDArray[np.float64]:
        """(count or less, 3): `largest` of the groups that have most area."""
        return self.largest[:, np.argsort(-self.areas, kind="stable")[:count]].T


class Facets(NamedTuple):
    """A mesh's facets, grouped; the corners of its convex hull, (p, 3) mm; and the hull's facets.

    The hull has at least one corner; that of a flat mesh has no facets. A mesh that is inside out
    encloses a negative volume.
    """

    facets: Groups
    hull: NDArray[np.float64]
    hull_facets: Groups
    inside_out: bool


def survey(facets: Iterable[NDArray[np.float64]]) -> Facets:
    """One pass over (9, k) facets; what it holds grows with the hull, not with the facets."""
    sums, corners, held = _Sums(), [np.empty((0, 3))], 0
    for chunk in facets:
        sums.add(chunk)
        corners.append(chunk.reshape(3, 3, -1).transpose(0, 2, 1).reshape(-1, 3))
        held += len(corners[-1])
        if held > HULL_BLOCK:
            corners, held = [_hull(np.concatenate(corners)).points], 0
    hull = _hull(np.concatenate(corners))
    hull_sums = _Sums()
    hull_sums.add(hull.facets)
    return Facets(sums.groups(), hull.points, hull_sums.groups(), sums.volume() < 0)


class _Sums:
    """Sums over the facets of each direction."""

    def __init__(self) -> None:
        cells = 6 * CELLS * CELLS
        self.area = np.zeros(cells)
        self.vector = np.zeros((3, cells))
        self.moment = np.zeros((3, cells))
        self.enclosed = 0.0  # mm^3, about the origin
        self.outermost = np.full(cells, -np.inf)  # mm, how far out along the normal
        self.outer_area = np.zeros(cells)
        self.outer_moment = np.zeros((3, cells))
        self.largest_area = np.zeros(cells)
        self.largest = np.zeros((3, cells))
        self.low, self.high = np.full(3, np.inf), np.full(3, -np.inf)

    def add(self, facets: NDArray[np.float64]) -> None:
        if not facets.shape[1]:
            return
        corners = facets.reshape(3, 3, -1)  # corner, axis, facet
        self.low = np.minimum(self.low, corners.min(axis=(0, 2)))
        self.high = np.maximum(self.high, corners.max(axis=(0, 2)))
        vectors = area_vectors(facets)
        self.enclosed += signed_volume(facets, vectors)
        vectors /= 2
        area = np.sqrt((vectors * vectors).sum(axis=0))
        proper = area > 0
        if not proper.any():
            return
        area, vectors, centroid = area[proper], vectors[:, proper], corners.mean(axis=0)[:, proper]
        cell = _cells(vectors / area)
        order = np.lexsort((area, cell))  # within a cell the largest comes last
        area, cell = area[order], cell[order]
        vectors, centroid = vectors[:, order], centroid[:, order]
        first = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
        last = np.append(first[1:], len(cell)) - 1

        self.area[cell[first]] += np.add.reduceat(area, first)
        self.vector[:, cell[first]] += np.add.reduceat(vectors, first, axis=1)
        self.moment[:, cell[first]] += np.add.reduceat(centroid * area, first, axis=1)
        self._keep_largest(cell[last], area[last], vectors[:, last] / area[last])
        self._keep_outermost(cell, area, centroid, first)

    def _keep_largest(
        self, cell: NDArray[np.int64], area: NDArray[np.float64], normal: NDArray[np.float64]
    ) -> None:
        """The largest facets of some cells, each cell once."""
        larger = area > self.largest_area[cell]
        cell = cell[larger]
        self.largest_area[cell], self.largest[:, cell] = area[larger], normal[:, larger]
        # How far out is measured along this normal, that of a sliver being noise: what is
        # known to lie outermost is measured anew.
        cell = cell[self.outer_area[cell] > 0]
        middle = self.outer_moment[:, cell] / self.outer_area[cell]
        self.outermost[cell] = (self.largest[:, cell] * middle).sum(axis=0)

    def _keep_outermost(
        self,
        cell: NDArray[np.int64],
        area: NDArray[np.float64],
        centroid: NDArray[np.float64],
        first: NDArray[np.int64],
    ) -> None:
        """Add the facets in each cell's outermost plane; forget what a plane further out covers."""
        here = cell[first]
        depth = OUTERMOST * float(np.linalg.norm(self.high - self.low))
        reach = (self.largest[:, cell] * centroid).sum(axis=0)
        furthest = np.maximum(np.maximum.reduceat(reach, first), self.outermost[here])
        overtaken = here[furthest > self.outermost[here] + depth]
        self.outer_area[overtaken] = 0.0
        self.outer_moment[:, overtaken] = 0.0
        self.outermost[here] = furthest
        outer_area = np.where(reach >= self.outermost[cell] - depth, area, 0.0)
        self.outer_area[here] += np.add.reduceat(outer_area, first)
        self.outer_moment[:, here] += np.add.reduceat(centroid * outer_area, first, axis=1)

    def volume(self) -> float:
        """mm^3, about the mean centroid: an open mesh has one too."""
        area = float(self.area.sum()) or 1.0
        middle = self.moment.sum(axis=1) / area
        return self.enclosed - float((middle * self.vector.sum(axis=1)).sum()) / 3

    def groups(self) -> Groups:
        """The quotients, of the cells that are used."""
        used = np.flatnonzero(self.area)
        area, outer_area, vector = self.area[used], self.outer_area[used], self.vector[:, used]
        return Groups(
            areas=area,
            normals=vector / np.sqrt((vector * vector).sum(axis=0)),
            centroids=self.moment[:, used] / area,
            largest=self.largest[:, used],
            outer_areas=outer_area,
            outer_centroids=self.outer_moment[:, used] / np.where(outer_area > 0, outer_area, 1.0),
        )


def _cells(normal: NDArray[np.float64]) -> NDArray[np.int64]:
    """(k,): the cell of a cube's surface to which each unit vector of (3, k) points."""
    columns = np.arange(normal.shape[1])
    axis = np.abs(normal).argmax(axis=0)
    major = normal[axis, columns]
    u = normal[(axis + 1) % 3, columns] / np.abs(major)
    v = normal[(axis + 2) % 3, columns] / np.abs(major)
    row, column = (
        np.minimum(((value + 1.0) * (CELLS / 2)).astype(np.int64), CELLS - 1) for value in (u, v)
    )
    return ((2 * axis + (major < 0)) * CELLS + row) * CELLS + column


class _Hull(NamedTuple):
    points: NDArray[np.float64]  # (p, 3)
    facets: NDArray[np.float64]  # (9, q)


def _hull(points: NDArray[np.float64]) -> _Hull:
    """The convex hull. What is flat is padded to a body first, and then only points count."""
    solid = Manifold.hull_points(np.ascontiguousarray(points))
    if not solid.is_empty():
        mesh = solid.to_mesh64()
        vertices = np.asarray(mesh.vert_properties)[:, :3].copy()
        return _Hull(vertices, vertices[np.asarray(mesh.tri_verts)].reshape(-1, 9).T)

    middle = points.mean(axis=0)
    spread = points - middle
    reach = float(np.abs(spread).max()) or 1.0
    _, directions = np.linalg.eigh(np.einsum("ki,kj->ij", spread / reach, spread / reach))
    for flat in (1, 2, 3):  # a plane, a line, a point: along the directions of least spread
        padding = reach * directions[:, :flat].T
        padding = np.concatenate([middle + padding, middle - padding])
        solid = Manifold.hull_points(np.concatenate([points, padding]))
        if not solid.is_empty():
            break
    vertices = np.asarray(solid.to_mesh64().vert_properties)[:, :3]
    added = (vertices[:, None] == padding).all(axis=2).any(axis=1)
    own = vertices[~added] if not added.all() else points[:1]
    return _Hull(own, np.empty((9, 0)))

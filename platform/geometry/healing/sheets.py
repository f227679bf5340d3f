"""Sheets without thickness: fins, inner walls, and what only its own back side would close."""

import numpy as np
from numpy.typing import NDArray

from geometry.healing.shells import find_shells
from geometry.healing.working_mesh import WorkingMesh, areas, find_patches
from geometry.mesh.half_edges import Edges

THIN = 1e-4  # of the area to the power of 1.5: a filled shell of less volume is two sides of one


class _Rims:
    """The edges at which patches end, and how many faces are left at each.

    met : the patches that end at an edge of three faces or more
    """

    def __init__(self, surface: WorkingMesh, edges: Edges, patch: NDArray[np.int32], count: int):
        edge = np.repeat(np.arange(len(edges.faces)), edges.faces)
        ends = edges.faces[edge] != 2
        half, self._edge = edges.order[ends], edge[ends]
        corners = surface.faces.reshape(-1)
        self._forward = corners[half] == edges.ends[self._edge, 0]
        owner = patch[half // 3]
        self._order = np.argsort(owner, kind="stable")
        self._first = np.searchsorted(owner[self._order], np.arange(count + 1))
        self._left, self._left_forward = edges.faces.copy(), edges.forward.copy()
        self.met = np.unique(owner[edges.faces[self._edge] > 2])

    def take(self, patch: int) -> bool:
        """Whether a patch is a sheet that ends on surface which is whole without it; take it off.

        It has one face at each edge where it meets others, and most of these have two others, or
        balanced ones. Where sheets cross, what remains at the edge is decided by the next one.
        """
        own = self._order[self._first[patch] : self._first[patch + 1]]
        edge, where, mine = np.unique(self._edge[own], return_inverse=True, return_counts=True)
        left = self._left[edge] - mine
        forward = np.bincount(where, self._forward[own], minlength=len(edge)).astype(np.int64)
        left_forward = self._left_forward[edge] - forward
        met = left > 0
        mended = met & ((left == 2) | (2 * left_forward == left))
        if not met.any() or (mine[met] != 1).any() or 2 * mended.sum() <= met.sum():
            return False
        self._left[edge], self._left_forward[edge] = left, left_forward
        return True


def drop_sheets(surface: WorkingMesh) -> WorkingMesh:
    """Leave out fins and inner walls: of the patches that meet at an edge the smallest first.

    A wall is flat, and what it divides is not: both sides of the rim have more area than it.
    """
    edges = surface.edges
    if not (edges.nonmanifold & ~edges.balanced).any():
        return surface
    count, patch = find_patches(surface)
    rims = _Rims(surface, edges, patch, count)
    area = np.bincount(patch, areas(surface.triangles), minlength=count)
    dropped = np.zeros(count, dtype=bool)
    for number in rims.met[np.argsort(area[rims.met], kind="stable")].tolist():
        dropped[number] = rims.take(number)
    if not dropped.any():
        return surface
    without = surface.only(~dropped[patch])
    fewer = without.edges.nonmanifold.sum() < edges.nonmanifold.sum()
    return without if fewer and without.edges.open.sum() <= edges.open.sum() else surface


def drop_two_sided(surface: WorkingMesh) -> WorkingMesh:
    """Leave out shells that filling closed by their own back side."""
    shells = find_shells(surface)
    count = len(shells.closed)
    area = np.bincount(shells.of, areas(surface.triangles), minlength=count)
    filled = np.bincount(shells.of, surface.fill >= 0, minlength=count) > 0
    flat = shells.closed & filled & (np.abs(shells.volumes) <= THIN * area**1.5)
    return surface.only(~flat[shells.of]) if flat.any() else surface

"""Consistent, outward face winding."""

import numpy as np
from numpy.typing import NDArray

from geometry.healing.shells import find_shells, inside_out
from geometry.healing.working_mesh import WorkingMesh, areas, cone_volumes, find_patches
from geometry.mesh.half_edges import components


def wind_alike(surface: WorkingMesh) -> WorkingMesh:
    """Turn the faces of each patch to the side that most of its area has.

    Each face is two nodes of a graph, as it is and turned, linked over the edges of two faces to
    the state of the neighbour that suits. Where both nodes of a face come into one component, the
    patch has one side only (a Moebius strip) and stays as it is.
    """
    edges = surface.edges
    bad = edges.misoriented
    if not bad.any():
        return surface
    _, patch = find_patches(surface)
    mixed = np.zeros(len(surface.faces), dtype=bool)
    mixed[patch[edges.order[edges.first[bad]] // 3]] = True  # by patch
    concerned = np.flatnonzero(mixed[patch])
    place = np.full(len(surface.faces), -1)
    place[concerned] = np.arange(len(concerned))

    agree = edges.forward[edges.faces == 2] == 1
    pairs = place[edges.pairs() // 3]
    inside = pairs[:, 0] >= 0
    pairs, agree = pairs[inside], agree[inside]
    count = len(concerned)
    one, other = pairs.T
    links = np.concatenate(
        [
            np.column_stack([one, np.where(agree, other, other + count)]),
            np.column_stack([one + count, np.where(agree, other + count, other)]),
        ]
    )
    groups, group = components(links, 2 * count)
    as_is, turned = group[:count], group[count:]
    area = np.bincount(as_is, areas(surface.triangles[concerned]), minlength=groups)
    better = (area[turned] > area[as_is]) | ((area[turned] == area[as_is]) & (turned < as_is))
    turn = np.zeros(len(surface.faces), dtype=bool)
    turn[concerned[better & (as_is != turned)]] = True
    return surface.turned(turn)


def wind_outward(surface: WorkingMesh) -> WorkingMesh:
    """Turn closed patches that are inside out, each with all that lies within it.

    A balanced surface whose patches meet is turned as one: they are not closed by themselves.
    """
    edges = surface.edges
    if edges.nonmanifold.any() and edges.balanced.all():
        inside = cone_volumes(surface.triangles, surface.vertices.mean(axis=0)).sum() < 0
        return surface.turned(np.full(len(surface.faces), inside)) if inside else surface
    shells = find_shells(surface)
    turn: NDArray[np.bool_] = inside_out(shells)
    return surface.turned(turn[shells.of]) if turn.any() else surface

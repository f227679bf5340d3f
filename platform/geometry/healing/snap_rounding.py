"""Snap rounding to float32 without new contacts."""

import numpy as np
from numpy.typing import NDArray

from geometry.healing.duplicate_faces import drop_doubles
from geometry.healing.nonmanifold_edges import add_midpoints, collapse_short, move_apart
from geometry.healing.working_mesh import WorkingMesh
from geometry.mesh.half_edges import has_three_corners
from geometry.mesh.welding import weld

ROUNDS = 12
REACH = 4e-6  # of the diagonal: how far solids that touch are moved apart
REACH_ULPS = 8  # or so many steps of float32, whichever is more
COLLAPSING = 6  # from this round on, short edges that resist are collapsed
SHORT_EDGE = 2e-3  # of the diagonal


def settle(surface: WorkingMesh) -> WorkingMesh:
    """The surface with float32 coordinates, parted where solids touch.

    The edges are counted as whoever reads the file will count them: by place. Every second round
    reaches twice as far. The result may still be unsound.
    """
    reach = max(
        REACH * surface.diagonal,
        REACH_ULPS * float(np.spacing(np.float32(np.abs(surface.vertices).max(initial=0.0)))),
    )
    for number in range(ROUNDS):
        surface = rounded(surface)
        edges = surface.edges
        if not edges.nonmanifold.any():
            break
        surface = drop_doubles(surface)
        if number >= COLLAPSING:
            surface = collapse_short(surface, SHORT_EDGE * surface.diagonal)
        surface = move_apart(surface, reach * 2 ** (number // 2))
        surface = add_midpoints(surface, reach * 2 ** (number // 2))
    return rounded(surface)


def rounded(surface: WorkingMesh) -> WorkingMesh:
    """With float32 coordinates, and vertices at one place joined."""
    corners = as_written(surface)
    vertices, indices = weld(corners)
    faces = indices.astype(np.int64)
    surface = surface.replace(vertices=vertices.astype(np.float64), faces=faces)
    return surface.only(has_three_corners(faces))


def as_written(surface: WorkingMesh) -> NDArray[np.float32]:
    """(m, 3, 3), without -0.0."""
    return surface.triangles.astype(np.float32) + np.float32(0.0)

"""Procedural sample part: a wall bracket."""

import numpy as np
from manifold3d import CrossSection, JoinType, Manifold
from numpy.typing import NDArray

# Millimetres; as it is built, x runs along the wall, y away from it, z upwards.
WIDTH, HEIGHT, THICKNESS = 44.0, 72.0, 7.0  # of the plate on the wall
CORNER, EDGE = 8.0, 2.0  # radii of its outline and of its front edge
ARM_TOP, ARM_THICKNESS, ARM_WIDTH, FILLET = 62.0, 9.0, 20.0, 5.0
GUSSET_REACH, GUSSET_THICKNESS = 26.0, 6.0
SOCKET_Y, SOCKET_RADIUS, SOCKET_BORE, DRAIN = 50.0, 15.0, 10.0, 3.0
SOCKET_BOTTOM, SOCKET_FLOOR, SOCKET_TOP = 43.0, 47.0, 66.0
SCREW, SCREW_HEAD, HEAD_DEPTH = 2.6, 5.2, 3.0
SCREWS_AT = [(8.5, 10.0), (35.5, 10.0), (8.5, 40.0), (35.5, 40.0)]  # x, z

SEGMENTS = 64  # of a full circle
OVERLAP = 1.0  # what is cut or joined reaches this far beyond the surface
SHORTEST_EDGE = 1e-3


def bracket() -> NDArray[np.float32]:
    """(m, 3, 3) float32, mm: one closed part of a few thousand triangles, always the same.

    It is 44 x 65 x 72 mm, lies in the positive octant and stands on z = 0 as it is printed.
    The gusset carries half of the arm; the socket hangs free and needs support.
    """
    holes = [_screw_hole().translate((x, 0.0, z)) for x, z in SCREWS_AT]
    body = _plate() + _arm() + _gusset() + _socket() - _bore()
    for hole in holes:
        body -= hole
    body = body.trim_by_plane((0.0, 1.0, 0.0), 0.0).trim_by_plane((0.0, 0.0, 1.0), 0.0)
    # Turned about, the arm points to whoever looks along y.
    body = body.rotate((0.0, 0.0, 180.0)).translate((WIDTH, SOCKET_Y + SOCKET_RADIUS, 0.0))
    mesh = body.simplify(SHORTEST_EDGE).to_mesh()
    return np.asarray(mesh.vert_properties, dtype=np.float32)[:, :3][mesh.tri_verts]


def _plate() -> Manifold:
    disc = _disc(CORNER, THICKNESS + OVERLAP, EDGE).rotate((-90.0, 0.0, 0.0))
    return Manifold.batch_hull(
        [
            disc.translate((x, -OVERLAP, z))
            for x in (CORNER, WIDTH - CORNER)
            for z in (0.0, HEIGHT - CORNER)
        ]
    )


def _arm() -> Manifold:
    arm = _rectangle(0.0, SOCKET_Y, ARM_TOP - ARM_THICKNESS, ARM_TOP)
    wall = _rectangle(0.0, THICKNESS - EDGE, FILLET, HEIGHT - CORNER)
    rounded = (arm + wall).offset(FILLET, JoinType.Round, 2.0, SEGMENTS)
    # Outward and back again: only the inner corners keep the radius.
    return _across(rounded.offset(-FILLET, JoinType.Round, 2.0, SEGMENTS), ARM_WIDTH)


def _gusset() -> Manifold:
    under = ARM_TOP - ARM_THICKNESS + OVERLAP
    outline = [
        (0.0, under - THICKNESS - GUSSET_REACH),
        (THICKNESS + GUSSET_REACH, under),
        (0.0, under),
    ]
    return _across(CrossSection([outline]), GUSSET_THICKNESS)


def _socket() -> Manifold:
    return _disc(SOCKET_RADIUS, SOCKET_TOP - SOCKET_BOTTOM, EDGE).translate(
        (WIDTH / 2, SOCKET_Y, SOCKET_BOTTOM)
    )


def _bore() -> Manifold:
    deep = SOCKET_TOP - SOCKET_FLOOR + OVERLAP
    bore = Manifold.cylinder(deep, SOCKET_BORE, circular_segments=SEGMENTS)
    drain = Manifold.cylinder(SOCKET_TOP, DRAIN, circular_segments=SEGMENTS)
    both = bore.translate((0.0, 0.0, SOCKET_FLOOR)) + drain
    return both.translate((WIDTH / 2, SOCKET_Y, 0.0))


def _screw_hole() -> Manifold:
    shaft = [(0.0, -OVERLAP), (SCREW, -OVERLAP), (SCREW, THICKNESS - HEAD_DEPTH)]
    head = [(SCREW_HEAD, THICKNESS), (SCREW_HEAD, 2 * THICKNESS), (0.0, 2 * THICKNESS)]
    return CrossSection([shaft + head]).revolve(SEGMENTS).rotate((-90.0, 0.0, 0.0))


def _disc(radius: float, height: float, edge: float) -> Manifold:
    """A cylinder on z = 0 whose upper edge is rounded."""
    turn = np.linspace(0.0, np.pi / 2, SEGMENTS // 4 + 1)
    rounded = np.column_stack(
        [radius - edge + edge * np.cos(turn), height - edge + edge * np.sin(turn)]
    )
    outline = np.vstack([[(0.0, 0.0), (radius, 0.0)], rounded, [(0.0, height)]])
    return CrossSection([outline]).revolve(SEGMENTS)


def _rectangle(y_low: float, y_high: float, z_low: float, z_high: float) -> CrossSection:
    return CrossSection([[(y_low, z_low), (y_high, z_low), (y_high, z_high), (y_low, z_high)]])


def _across(outline: CrossSection, width: float) -> Manifold:
    """An outline in (y, z), extruded along x about the middle of the plate."""
    # The rotations take (x, y, z) to (z, x, y).
    solid = outline.extrude(width).rotate((90.0, 0.0, 0.0)).rotate((0.0, 0.0, 90.0))
    return solid.translate(((WIDTH - width) / 2, 0.0, 0.0))

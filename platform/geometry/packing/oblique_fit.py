"""Parts that fit only at an oblique angle about z."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from geometry.convex_hull import hull, hull_volume
from geometry.packing.compiled.placed_mesh import transformed
from geometry.packing.input_checks import extents, fitting_boxes, oblique_rotations, too_large
from geometry.packing.request import Packing, PackItem, Volume, orientations

MIN_ROOM = 1e-2  # mm, that must be left beside a turned part: packers round its box up by less
EQUAL = 1e-6  # mm; of turns that leave as much room the least is taken


def turned_to_fit(piece: PackItem, room: Volume) -> tuple[PackItem, NDArray[np.float64]]:
    """A piece that fits in one of its orientations, and the (4, 4) transform that made it so.

    Where it fits in one already, it stays as it is. Otherwise it lies as in the first of its
    orientations in which some turn about z makes it fit, turned by the angle that leaves most
    room, and may be turned by quarters about z from there. It is never mirrored.

    room : what the walls leave

    Raises
    ------
    InputError: piece-too-large, orientation-forbids
    """
    size = extents(piece)
    if len(fitting_boxes(size, piece.rotations, room)):
        return piece, np.eye(4)
    for rotation in oblique_rotations(size, piece.rotations, room):
        lying = np.einsum("ij,nj->ni", rotation, piece.triangles.reshape(-1, 3).astype(np.float64))
        angle, spare = roomiest_turn(hull(lying[:, :2]), room.x, room.y)
        if spare >= MIN_ROOM:
            return _turned(piece, rotation, angle)
    raise too_large(piece.name, size, piece.rotations, room, oblique=True)


def turned_back(packing: Packing, turns: Sequence[NDArray[np.float64]]) -> Packing:
    """The packing of pieces as they were before each of them was turned, (4, 4)."""
    return packing._replace(
        placements=tuple(
            at._replace(transform=np.einsum("ij,jk->ik", at.transform, turns[at.piece]))
            for at in packing.placements
        )
    )


def roomiest_turn(corners: NDArray[np.float64], x: float, y: float) -> tuple[float, float]:
    """The angle by which a convex polygon lies in an upright rectangle with most room.

    Between two angles at which a side of the polygon lies along an axis, its width and its depth
    are each the distance of the same two corners (rotating calipers, M. I. Shamos, 1978). The
    room that is left is there a convex function of the angle for either axis; the lesser of the
    two is greatest at such an angle, or where both are equal.

    Parameters
    ----------
    corners : (k, 2), mm
    x, y    : of the rectangle, mm

    Returns
    -------
    radians, counter-clockwise, within a half turn; and the lesser of the room along x and along
    y, mm, below 0 where it does not fit at any angle
    """
    if hull_volume(corners) is None:
        corners = corners[[0, -1]]  # of a line, whose points are in order
    sides = np.roll(corners, -1, axis=0) - corners
    along = np.arctan2(sides[:, 1], sides[:, 0])
    flush = np.unique(np.mod(np.concatenate([along, along + np.pi / 2]), np.pi))  # (m,)
    between = (flush + np.append(flush[1:], flush[0] + np.pi)) / 2
    # The two corners that are the width, and the depth, from each of them to the next.
    width, depth = _across(corners, between), _across(corners, between + np.pi / 2)
    a, b = width[:, 0] - depth[:, 1], width[:, 1] + depth[:, 0]
    middle = np.arctan2(b, a)
    off = np.arccos(np.clip((x - y) / np.maximum(np.hypot(a, b), 1e-12), -1.0, 1.0))
    seen = np.mod(np.concatenate([flush, middle - off, middle + off]), np.pi)
    spare = np.minimum(x - _length(corners, seen), y - _length(corners, seen + np.pi / 2))
    turns = np.where(seen > np.pi / 2, np.pi - seen, -seen)  # what lay along `seen` is along x then
    best = np.flatnonzero(spare >= spare.max() - EQUAL)
    least = best[np.abs(turns[best]).argmin()]
    return float(turns[least]), float(spare[least])


def _length(corners: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m,), mm: of a polygon along each direction, radians."""
    across = _across(corners, directions)
    return across[:, 0] * np.cos(directions) + across[:, 1] * np.sin(directions)


def _across(corners: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, 2), mm: from the first corner of a convex polygon along each direction to the last."""
    return _last(corners, directions) - _last(corners, directions + np.pi)


def _last(corners: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, 2): the corner between those two sides whose normals have the direction between them."""
    sides = np.roll(corners, -1, axis=0) - corners
    normals = np.mod(np.arctan2(-sides[:, 0], sides[:, 1]), 2 * np.pi)
    order = np.argsort(normals, kind="stable")
    following = np.searchsorted(normals[order], np.mod(directions, 2 * np.pi)) % len(corners)
    return corners[order[following]]


def _turned(
    piece: PackItem, rotation: NDArray[np.float64], angle: float
) -> tuple[PackItem, NDArray[np.float64]]:
    """A piece turned, its box at the origin, so that rounding to float32 moves it least."""
    c, s = np.cos(angle), np.sin(angle)
    about_z = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    turn = np.eye(4)
    turn[:3, :3] = np.einsum("ij,jk->ik", about_z, rotation)
    turned = np.einsum("ij,nj->ni", turn[:3, :3], piece.triangles.reshape(-1, 3).astype(np.float64))
    turn[:3, 3] = -turned.min(axis=0)
    moved = transformed(piece.triangles, turn)
    return piece._replace(triangles=moved, rotations=orientations("upright")), turn

"""How many pieces cannot be exceeded in a volume, and why: proofs, not estimates."""

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.packing.boxes import Mode, room_within
from geometry.packing.grown import grown_shadow, grown_volume
from geometry.packing.rows import Piece, Volume, orientations
from geometry.packing.written import mesh_volume, turned_bounds

Packer = Literal["box_packer", "premium_packer"]

ROUNDING = 1e-9  # relative; a quotient so little below a whole number is that number
FULL = 1e-6  # the share of its box that a part may leave free and be a box still

BY_BOXES = "By their bounding boxes with the distance, no more than {} fit."
BY_ROWS = "By whole rows of boxes along the sides of the volume, no more than {} fit."
BY_SHAPE = {
    "volume": "By their volume, grown by half the distance, no more than {} fit.",
    "plate": "By their shadow on the plate, grown by half the distance, no more than {} fit.",
}


class Bound(NamedTuple):
    """At most so many fit, and a sentence that says why."""

    at_most: int
    reason: str


def box_bound(
    piece: Piece, volume: Volume, distance: float, *, wall: float = 0.0, mode: Mode = "volume"
) -> Bound:
    """For the box packer: the volume and the boxes, each with the distance added to its sides.

    On a plate these are areas, and each piece stands on the smallest side that is allowed.
    """
    room = room_within(volume, wall, mode)
    boxes = _fitting(piece, room)
    if not len(boxes):
        return _none(piece, room)
    at_most = _whole(_boxed(room, distance, mode) / _least_box(boxes, distance, mode))
    return Bound(at_most, BY_BOXES.format(at_most))


def rows_bound(
    piece: Piece, volume: Volume, distance: float, *, wall: float = 0.0, mode: Mode = "volume"
) -> Bound:
    """For the box packer: boxes pushed together fill no more of a side than whole rows do.

    Any packing of boxes can be pushed towards a corner until each coordinate is a sum of sides of
    boxes (the normal patterns of N. Christofides and C. Whitlock, 1977).
    """
    room = room_within(volume, wall, mode)
    boxes = _fitting(piece, room)
    if not len(boxes):
        return _none(piece, room)
    if mode == "plate":
        boxes[:, 2] = room.z  # nothing stands above another
    at_most = _rows(boxes, room, distance)
    return Bound(at_most, BY_ROWS.format(at_most))


def shape_bound(
    piece: Piece, volume: Volume, distance: float, *, wall: float = 0.0, mode: Mode = "volume"
) -> Bound:
    """For any packer: parts grown by half the distance are disjoint, in a volume grown as much."""
    room = room_within(volume, wall, mode)
    boxes = _fitting(piece, room)
    if not len(boxes):
        return _none(piece, room)
    at_most = _whole(_with_reach(room, distance, mode) / _grown(piece, room, distance, mode))
    bounds = [Bound(at_most, BY_SHAPE[mode].format(at_most))]
    if mode == "volume" and _is_box(piece):
        # Boxes that are nearer than d / sqrt(3) along each axis are nearer than d.
        at_most = _rows(boxes, room, distance / math.sqrt(3))
        bounds.append(Bound(at_most, BY_ROWS.format(at_most)))
    return min(bounds, key=lambda bound: bound.at_most)


def mix_bound(
    pieces: Sequence[Piece],
    volume: Volume,
    distance: float,
    *,
    wall: float = 0.0,
    mode: Mode = "volume",
    packer: Packer = "premium_packer",
) -> Bound:
    """Of all copies of all pieces, how many fit together at most; all of them if nothing forbids.

    The smallest are counted first, by the sizes of `box_bound` or `shape_bound`.
    """
    room = room_within(volume, wall, mode)
    fitting = {i: _fitting(piece, room) for i, piece in enumerate(pieces)}
    for i, boxes in fitting.items():
        if not len(boxes):
            return _none(pieces[i], room)
    needed = [_least_box(fitting[i], distance, mode) for i in fitting]
    if packer == "box_packer":
        at_most = _counted(pieces, needed, _boxed(room, distance, mode))
        return Bound(at_most, BY_BOXES.format(at_most))
    free = _with_reach(room, distance, mode)
    at_most = _counted(pieces, needed, free)
    if at_most < sum(piece.quantity for piece in pieces):  # a grown part is smaller than its box
        needed = [_grown(piece, room, distance, mode) for piece in pieces]
        at_most = _counted(pieces, needed, free)
    return Bound(at_most, BY_SHAPE[mode].format(at_most))


def _fitting(piece: Piece, room: Volume) -> NDArray[np.float64]:
    """(k, 3), mm: the box in each allowed orientation in which it fits."""
    bounds = turned_bounds(piece.triangles, piece.rotations)
    boxes = bounds[:, 1] - bounds[:, 0]
    return boxes[(boxes <= np.array(room)).all(axis=1)]


def _none(piece: Piece, room: Volume) -> Bound:
    allowed = "in every orientation"
    if len(_fitting(piece._replace(rotations=orientations("free")), room)):
        allowed += " that is allowed for it"
    return Bound(0, f"{piece.name} is longer than the volume {allowed}.")


def _boxed(room: Volume, distance: float, mode: Mode) -> float:
    return math.prod(side + distance for side in _counting(room, mode))


def _least_box(boxes: NDArray[np.float64], distance: float, mode: Mode) -> float:
    return min(
        math.prod(side + distance for side in _counting(box, mode)) for box in boxes.tolist()
    )


def _counting(sides: Sequence[float], mode: Mode) -> Sequence[float]:
    """Those of the sides that are filled: on a plate not the third."""
    return sides[:2] if mode == "plate" else sides


def _with_reach(box: Sequence[float], distance: float, mode: Mode) -> float:
    """A box, or its floor, with all points within half the distance: Steiner's formula."""
    x, y, z = box
    radius = distance / 2
    if mode == "plate":
        return x * y + 2 * (x + y) * radius + math.pi * radius**2
    faces, edges = 2 * (x * y + y * z + z * x), x + y + z
    return x * y * z + faces * radius + math.pi * edges * radius**2 + 4 / 3 * math.pi * radius**3


def _grown(piece: Piece, room: Volume, distance: float, mode: Mode) -> float:
    """What one piece needs of it at least; tiny, not 0, where that cannot be told."""
    tiny = 1e-9 * math.prod(_counting(room, mode))
    if mode == "volume" and _is_box(piece):
        return _with_reach(_fitting(piece, room)[0].tolist(), distance, mode)
    if mode == "volume":
        return max(grown_volume(piece.triangles, distance / 2), tiny)
    ups = {tuple(np.abs(rotation[2]).round(9).tolist()): rotation for rotation in piece.rotations}
    turned = (
        np.einsum("ij,nkj->nki", rotation, piece.triangles)
        for rotation in ups.values()
        if len(_fitting(piece._replace(rotations=rotation[None]), room))
    )
    return max(min(grown_shadow(triangles, distance / 2) for triangles in turned), tiny)


def _is_box(piece: Piece) -> bool:
    """Whether a part is all of its bounding box, its sides along the axes."""
    triangles = piece.triangles
    (low, high), size = turned_bounds(triangles, np.eye(3)[None])[0], mesh_volume(triangles)
    on_sides = (triangles == low).all(axis=1).any(axis=1) | (triangles == high).all(axis=1).any(
        axis=1
    )
    return bool(on_sides.all() and abs(size / math.prod(high - low) - 1) <= FULL)


def _rows(boxes: NDArray[np.float64], room: Volume, gap: float) -> int:
    """By the volume of what rows of boxes fill at most of each side."""
    filled = [_longest_row(np.unique(boxes[:, i] + gap), side + gap) for i, side in enumerate(room)]
    return _whole(math.prod(filled) / float(np.prod(boxes + gap, axis=1).min()))


def _longest_row(lengths: NDArray[np.float64], side: float) -> float:
    """The greatest sum of whole multiples of the lengths that is no more than `side`."""
    sums = np.zeros(1)
    for length in lengths.tolist():
        multiples = length * np.arange(_whole(side / length) + 1)
        sums = (sums[:, None] + multiples).reshape(-1)
        sums = np.unique(sums[sums <= side * (1 + ROUNDING)])
    return float(sums[-1])


def _counted(pieces: Sequence[Piece], needed: Iterable[float], free: float) -> int:
    """How many copies fit into `free` if the smallest are taken first."""
    total = 0
    for size, quantity in sorted(
        (size, piece.quantity) for size, piece in zip(needed, pieces, strict=True)
    ):
        taken = min(quantity, _whole(free / size))
        total += taken
        free -= taken * size
    return total


def _whole(quotient: float) -> int:
    return math.floor(quotient * (1 + ROUNDING))

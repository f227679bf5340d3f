"""Upper bounds on the number of parts, with a proof sentence.

Of outlines, as the web process knows parts, and no mesh is read; closer ones of the meshes.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.mesh import mesh_volume
from geometry.packing.bed_mask import BedMask
from geometry.packing.boxes.box_packer import EXACT, UNITS, Mode, room_within
from geometry.packing.boxes.box_packer import ROUNDING as MOVED
from geometry.packing.input_checks import extents, fitting_boxes, oblique_rotations, too_large
from geometry.packing.metrics import turned_bounds
from geometry.packing.offset_volume import grown_shadow, grown_volume
from geometry.packing.request import PackItem, Policy, Volume, orientations

Packer = Literal["box_packer", "premium_packer"]
Sides = tuple[float, float, float]

ROUNDING = 1e-9  # relative; a quotient so little below a whole number is that number
MIN_SHARE = 1e-18  # of the room, so that counts stay below 2^63
FULL = 1e-6  # the share of its box that a part may leave free and be a box still

BY_BOXES = "By their bounding boxes with the distance, no more than {:,} fit."
BY_ROWS = "By whole rows of boxes along the sides of the volume, no more than {:,} fit."
BY_SHAPE = {
    "volume": "By their volume, grown by half the distance, no more than {:,} fit.",
    "plate": "By their shadow on the plate, grown by half the distance, no more than {:,} fit.",
}


class Outline(NamedTuple):
    """A part, as far as its bounds go.

    size   : extents as it lies, mm
    volume : mm^3; None where the surface is not closed
    """

    name: str
    size: Sides
    volume: float | None
    policy: Policy
    quantity: int = 1


class PackingSpace(NamedTuple):
    """What parts are packed into, and how.

    floor : of a plate that is no rectangle, for the premium packer
    """

    volume: Volume
    distance: float
    mode: Mode
    packer: Packer
    floor: BedMask | None = None


class Bound(NamedTuple):
    """At most so many fit, and a sentence that says why."""

    at_most: int
    reason: str


class Bounds(NamedTuple):
    """At least so many fit, side by side; at most so many do, and a sentence that says why."""

    at_least: int
    at_most: int
    reason: str


def outline_bounds(outline: Outline, room: PackingSpace) -> Bounds:
    """Of one part: at least as many as stand in a plain grid, at most what `room` has place for.

    Whether one goes in that could only stand at an oblique angle its shape alone tells.
    """
    if not _may_fit(outline, room):
        return Bounds(0, 0, _outside(outline, room))
    at_most = _whole(_free(room) / _needed(outline, room))
    at_least = max((_grid(box, room) for box in _allowed(outline, room).tolist()), default=0)
    return Bounds(min(at_least, at_most), at_most, _because(at_most, [outline], room))


def most_together(outlines: Sequence[Outline], room: PackingSpace) -> Bound:
    """Of all of them together: the smallest are counted first."""
    for outline in outlines:
        if not _may_fit(outline, room):
            return Bound(0, _outside(outline, room))
    free, at_most = _free(room), 0
    needs = [(_needed(outline, room), outline) for outline in outlines]
    for need, outline in sorted(needs, key=lambda pair: pair[0]):
        counted = min(outline.quantity, _whole(free / need))
        at_most += counted
        free -= counted * need
        if counted < outline.quantity:
            break
    return Bound(at_most, _because(at_most, outlines, room))


def box_bound(
    piece: PackItem, volume: Volume, distance: float, *, wall: float = 0.0, mode: Mode = "volume"
) -> Bound:
    """For the box packer: the volume and the boxes, each with the distance added to its sides.

    On a plate these are areas, and each piece stands on the smallest side that is allowed.
    """
    room = room_within(volume, wall, mode)
    boxes = fitting_boxes(extents(piece), piece.rotations, room)
    if not len(boxes):
        return _none(piece, room)
    at_most = _whole(_boxed(room, distance, mode) / _least_box(boxes, distance, mode))
    return Bound(at_most, BY_BOXES.format(at_most))


def rows_bound(
    piece: PackItem, volume: Volume, distance: float, *, wall: float = 0.0, mode: Mode = "volume"
) -> Bound:
    """For the box packer: boxes pushed together fill no more of a side than whole rows do.

    Any packing of boxes can be pushed towards a corner until each coordinate is a sum of sides of
    boxes (the normal patterns of N. Christofides and C. Whitlock, 1977).
    """
    room = room_within(volume, wall, mode)
    boxes = fitting_boxes(extents(piece), piece.rotations, room)
    if not len(boxes):
        return _none(piece, room)
    if mode == "plate":
        boxes[:, 2] = room.z  # nothing stands above another
    at_most = _rows(boxes, room, distance)
    return Bound(at_most, BY_ROWS.format(at_most))


def shape_bound(
    piece: PackItem,
    volume: Volume,
    distance: float,
    *,
    wall: float = 0.0,
    mode: Mode = "volume",
    floor: BedMask | None = None,
) -> Bound:
    """For any packer: parts grown by half the distance are disjoint, in a volume grown as much."""
    room = room_within(volume, wall, mode)
    boxes = fitting_boxes(extents(piece), piece.rotations, room)
    if not len(boxes):
        return _none(piece, room)
    filled = _with_reach(room, distance, mode)
    if floor is not None:
        filled = min(filled, floor.grown_area(distance / 2))
    at_most = _whole(filled / _grown(piece, room, distance, mode))
    bounds = [Bound(at_most, BY_SHAPE[mode].format(at_most))]
    if mode == "volume" and _is_box(piece):
        # Boxes that are nearer than d / sqrt(3) along each axis are nearer than d.
        at_most = _rows(boxes, room, distance / math.sqrt(3))
        bounds.append(Bound(at_most, BY_ROWS.format(at_most)))
    return min(bounds, key=lambda bound: bound.at_most)


def _allowed(outline: Outline, room: PackingSpace) -> NDArray[np.float64]:
    return fitting_boxes(outline.size, orientations(outline.policy), room.volume)


def _oblique(outline: Outline, room: PackingSpace) -> NDArray[np.float64]:
    """(k, 3), mm: the boxes from which it may fit once it is turned about z."""
    rotations = oblique_rotations(outline.size, orientations(outline.policy), room.volume)
    return np.asarray(outline.size)[np.abs(rotations).argmax(axis=2)]


def _may_fit(outline: Outline, room: PackingSpace) -> bool:
    return bool(len(_allowed(outline, room)) or len(_oblique(outline, room)))


def _outside(outline: Outline, room: PackingSpace) -> str:
    rotations = orientations(outline.policy)
    return too_large(outline.name, outline.size, rotations, room.volume, oblique=True).title


def _none(piece: PackItem, room: Volume) -> Bound:
    return Bound(0, too_large(piece.name, extents(piece), piece.rotations, room).title)


def _grid(box: Sequence[float], room: PackingSpace) -> int:
    """How many boxes stand side by side, in the whole units that the box packer places by."""
    gap = math.ceil(room.distance * UNITS - EXACT)
    free = room.volume
    if room.floor is not None:
        left, front, right, back = room.floor.rectangle()
        free = Volume(right - left - 2 / UNITS, back - front - 2 / UNITS, free.z)  # whole units
    counts = [
        (math.floor(most * UNITS + EXACT) + gap) // max(1, _units(side) + gap)
        for side, most in zip(box, free, strict=True)
    ]
    return math.prod(counts[:2] if room.mode == "plate" else counts)


def _units(side: float) -> int:
    exact = side * UNITS
    if abs(exact - round(exact)) <= EXACT:
        return round(exact)
    return math.ceil(exact + MOVED * UNITS)


def _free(room: PackingSpace) -> float:
    """What there is to fill: of a volume its mm^3, of a plate its mm^2, grown for the gaps."""
    grow = _boxed if room.packer == "box_packer" else _with_reach
    free = grow(room.volume, room.distance, room.mode)
    return min(free, room.floor.grown_area(room.distance / 2)) if room.floor else free


def _needed(outline: Outline, room: PackingSpace) -> float:
    """What one part takes of it at least; tiny, not 0, where that cannot be computed."""
    boxes, least = _allowed(outline, room), MIN_SHARE * _free(room)
    boxed = room.packer == "box_packer"
    if boxed and len(boxes):
        return max(_least_box(boxes, room.distance, room.mode), least)
    volume = outline.volume or 0.0
    # The Brunn-Minkowski inequality: nothing that large grows by less than a ball, or a disc; and
    # no box around it by less than a cube, or a square.
    if room.mode == "plate":
        upright = boxes if len(boxes) else _oblique(outline, room)
        shadow = volume / max(float(upright[:, 2].max()), MIN_SHARE)
        around = room.distance * (1.0 if boxed else math.sqrt(math.pi) / 2)
        return max((math.sqrt(shadow) + around) ** 2, least)
    around = room.distance * (1.0 if boxed else math.cbrt(math.pi / 6))
    return max((math.cbrt(volume) + around) ** 3, least)


def _because(at_most: int, outlines: Sequence[Outline], room: PackingSpace) -> str:
    if room.packer != "box_packer":
        return BY_SHAPE[room.mode].format(at_most)
    words = BY_BOXES.format(at_most)
    if any(_hindered(outline, room) for outline in outlines):
        words += " More might if they could be turned in every way."
    return words


def _hindered(outline: Outline, room: PackingSpace) -> bool:
    """Whether what forbids turning is what makes it take more."""
    least = _needed(outline._replace(policy="free"), room)
    return least < _needed(outline, room) * (1 - ROUNDING)


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


def _grown(piece: PackItem, room: Volume, distance: float, mode: Mode) -> float:
    """What one piece needs of it at least; tiny, not 0, where that cannot be computed."""
    tiny = 1e-9 * math.prod(_counting(room, mode))
    if mode == "volume" and _is_box(piece):
        box = fitting_boxes(extents(piece), piece.rotations, room)[0]
        return _with_reach(box.tolist(), distance, mode)
    if mode == "volume":
        return max(grown_volume(piece.triangles, distance / 2), tiny)
    size = extents(piece)
    ups = {tuple(np.abs(rotation[2]).round(9).tolist()): rotation for rotation in piece.rotations}
    turned = (
        np.einsum("ij,nkj->nki", rotation, piece.triangles)
        for rotation in ups.values()
        if len(fitting_boxes(size, rotation[None], room))
    )
    return max(min(grown_shadow(triangles, distance / 2) for triangles in turned), tiny)


def _is_box(piece: PackItem) -> bool:
    """Whether a part is all of its bounding box, its sides along the axes."""
    triangles = piece.triangles
    (low, high), size = turned_bounds(triangles, np.eye(3)[None])[0], abs(mesh_volume(triangles))
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


def _whole(quotient: float) -> int:
    return math.floor(quotient * (1 + ROUNDING))

"""Bounding-box packer: empty maximal spaces, bottom-left."""

import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.packing.bed_mask import BedMask
from geometry.packing.boxes.maximal_spaces import Spaces
from geometry.packing.boxes.tight_fit import MAX_BOXES, place_all
from geometry.packing.input_checks import check_pieces, check_sizes
from geometry.packing.metrics import density, height, turned_bounds
from geometry.packing.request import Packing, PackItem, Placement, Volume

Mode = Literal["volume", "plate"]

UNITS = 512  # in a millimetre: multiples of 1/512 mm are exact in float32 up to 32 m
ROUNDING = 1e-4  # mm; float32 moves a corner by less, up to 1 m
EXACT = 1e-9  # of a unit, for a length to be taken as a whole number of them


def room_within(volume: Volume, wall: float, mode: Mode) -> Volume:
    """What the walls leave free; on a plate the pieces stand on its floor."""
    sides = 2 * wall
    return Volume(volume.x - sides, volume.y - sides, volume.z - (mode == "volume") * sides)


def pack_boxes(
    pieces: Sequence[PackItem],
    volume: Volume,
    distance: float,
    *,
    wall: float = 0.0,
    mode: Mode = "volume",
    floor: BedMask | None = None,
) -> Packing:
    """Pack by bounding boxes, in falling order of their volume, each as low as it goes.

    The spaces are the maximal free boxes (K. K. Lai and J. W. M. Chan, "Developing a simulated
    annealing algorithm for the cutting stock problem", 1997). All lengths are whole numbers of
    1/512 mm, rounded away from the neighbours, so what is written keeps the distance too.

    Parameters
    ----------
    distance, wall : mm
        Between any two boxes, and from a box to the volume's sides.
    mode : on a plate the pieces stand on the floor, in one layer
    floor : of a plate that is no rectangle: the largest one on it is packed

    Raises
    ------
    InputError: nothing-to-pack, mesh-empty, mesh-invalid, piece-too-large, orientation-forbids
    """
    check_pieces(pieces)
    check_sizes(pieces, room_within(volume, wall, mode))
    gap = math.ceil(distance * UNITS - EXACT)
    sides, free = _free(volume, wall, mode, floor)
    shapes = [_shape(piece, gap, free, mode) for piece in pieces]
    packings = []
    for rule in _rules(shapes, mode):
        boxes = _pack(pieces, rule, free + gap)
        packings.append(_packing(pieces, volume, boxes, sides))
        if mode == "plate" and not packings[-1].unplaced:
            break
    return min(packings, key=_worth)


def pack_tightly(
    pieces: Sequence[PackItem],
    volume: Volume,
    distance: float,
    *,
    wall: float = 0.0,
    mode: Mode = "volume",
    floor: BedMask | None = None,
) -> Packing | None:
    """Pack all bounding boxes where `pack_boxes` left some out; None where no way was found.

    By the depth-first search of `geometry.packing.boxes.tight_fit`; arguments and errors as there.
    """
    check_pieces(pieces)
    check_sizes(pieces, room_within(volume, wall, mode))
    gap = math.ceil(distance * UNITS - EXACT)
    sides, free = _free(volume, wall, mode, floor)
    shapes = [_shape(piece, gap, free, mode) for piece in pieces]
    copies = [(i, copy) for i, piece in enumerate(pieces) for copy in range(piece.quantity)]
    if len(copies) > MAX_BOXES:
        return None
    placed = place_all([shapes[i].steps for i, _ in copies], free + gap)
    if placed is None:
        return None
    boxes = [
        _Boxed(*copies[box.number], shapes[copies[box.number][0]], box.which, box.corner)
        for box in placed
    ]
    return _packing(pieces, volume, boxes, sides)


def _free(
    volume: Volume, wall: float, mode: Mode, floor: BedMask | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where what is packed begins, and how large it is, (3,) units."""
    low, high = np.zeros(3), np.array(volume)
    if floor is not None:
        low[:2], high[:2] = np.reshape(floor.rectangle(), (2, 2))
    edge = np.array([wall, wall, wall if mode == "volume" else 0.0])
    begin = np.ceil((low + edge) * UNITS - EXACT).astype(np.int64)
    end = np.floor((high - edge) * UNITS + EXACT).astype(np.int64)
    return begin, end - begin


class _Shape(NamedTuple):
    """A piece's box in each orientation that differs and fits.

    steps     : (k, 3) int64, units: the box and the gap behind it
    low       : (k, 3) float64, mm: the box's least corner in the turned model
    rotations : (k,) indices into the piece's rotations
    size      : units^3, of the box
    """

    steps: NDArray[np.int64]
    low: NDArray[np.float64]
    rotations: NDArray[np.int64]
    size: int


def _shape(piece: PackItem, gap: int, free: NDArray[np.int64], mode: Mode) -> _Shape:
    bounds = turned_bounds(piece.triangles, piece.rotations)
    exact = (bounds[:, 1] - bounds[:, 0]) * UNITS
    whole = np.abs(exact - np.rint(exact)) <= EXACT  # float32 then holds both faces exactly
    boxes = np.where(whole, np.rint(exact), np.ceil(exact + ROUNDING * UNITS)).astype(np.int64)
    size = math.prod(int(side) for side in boxes[0])
    if mode == "plate":
        boxes[:, 2] = np.where(boxes[:, 2] <= free[2], free[2], boxes[:, 2])  # nothing above it
    fit = np.flatnonzero((boxes <= free).all(axis=1))
    _, first = np.unique(boxes[fit], axis=0, return_index=True)
    kept = fit[np.sort(first)]
    return _Shape(boxes[kept] + gap, bounds[kept, 0], kept, size)


class _Rule(NamedTuple):
    """One way to pack: the orientations to choose from, and what the lowest place is.

    upwards : the axis along which a box shall end low
    by_end  : whether its end counts, or where it begins
    """

    shapes: list[_Shape]
    upwards: int
    by_end: bool = True


class _Boxed(NamedTuple):
    """A copy of a piece, in orientation `which` of its shape, at `corner`, units."""

    piece: int
    copy: int
    shape: _Shape
    which: int
    corner: NDArray[np.int64]


def _rules(shapes: list[_Shape], mode: Mode) -> Iterator[_Rule]:
    upwards = 1 if mode == "plate" else 2
    yield _Rule(shapes, upwards)
    if mode == "plate":
        yield _Rule(shapes, upwards, by_end=False)
    if len(shapes) == 1:  # then a plain grid may be the best there is
        (shape,) = shapes
        for i in range(len(shape.steps) if len(shape.steps) > 1 else 0):
            steps, low, rotations, size = shape
            yield _Rule(
                [_Shape(steps[i : i + 1], low[i : i + 1], rotations[i : i + 1], size)], upwards
            )


def _worth(packing: Packing) -> tuple[int, float]:
    return len(packing.unplaced), packing.height


def _pack(pieces: Sequence[PackItem], rule: _Rule, size: NDArray[np.int64]) -> list[_Boxed]:
    order = sorted(range(len(pieces)), key=lambda i: (-rule.shapes[i].size, i))
    thinnest = _thinnest_to_come([rule.shapes[i] for i in order])
    spaces = Spaces(size)
    boxes = []
    for rank, i in enumerate(order):
        shape = rule.shapes[i]
        for copy in range(pieces[i].quantity):
            found = spaces.lowest(shape.steps, rule.upwards, by_end=rule.by_end)
            if found is None:
                break  # nor is there a place for the next copy
            which, corner = found
            last = copy == pieces[i].quantity - 1
            spaces.take(corner, shape.steps[which], thinnest[rank + last])
            boxes.append(_Boxed(i, copy, shape, which, corner))
    return boxes


def _thinnest_to_come(shapes: list[_Shape]) -> list[int]:
    """From each shape on, the least side of any; beyond the last, more than any space has."""
    thinnest = [1 << 62]
    for shape in reversed(shapes):
        side = int(shape.steps.min()) if len(shape.steps) else thinnest[-1]
        thinnest.append(min(thinnest[-1], side))
    return thinnest[::-1]


def _packing(
    pieces: Sequence[PackItem], volume: Volume, boxes: list[_Boxed], sides: NDArray[np.int64]
) -> Packing:
    """From the top down: what leaves has nothing above it."""
    placements = []
    for box in sorted(boxes, key=lambda box: -box.corner[2]):
        transform = np.eye(4)
        transform[:3, :3] = pieces[box.piece].rotations[box.shape.rotations[box.which]]
        transform[:3, 3] = (box.corner + sides) / UNITS - box.shape.low[box.which]
        placements.append(Placement(box.piece, box.copy, transform, (0, 0, 1)))
    placed = {(box.piece, box.copy) for box in boxes}
    asked = ((i, copy) for i, piece in enumerate(pieces) for copy in range(piece.quantity))
    unplaced = [copy for copy in asked if copy not in placed]
    top = height(pieces, placements)
    return Packing(
        placements=tuple(placements),
        unplaced=tuple(unplaced),
        height=top,
        density=density(pieces, placements, volume, top),
        work=0,
        stopped="done",
        packer="box_packer",
        pitch=0.0,
    )

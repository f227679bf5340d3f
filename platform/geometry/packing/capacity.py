"""Capacity: how many copies of one part fit (lower bound by packing, upper bound by proof)."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.packing.bed_mask import BedMask
from geometry.packing.bounds import Bound, Packer, box_bound, rows_bound, shape_bound
from geometry.packing.boxes.box_packer import Mode, pack_boxes, room_within
from geometry.packing.budget import SearchBudget
from geometry.packing.input_checks import check_pieces
from geometry.packing.metrics import turned_bounds
from geometry.packing.oblique_fit import turned_to_fit
from geometry.packing.request import Budget, Packing, PackItem, Volume
from geometry.packing.request_limits import MAX_PIECES, check_limits
from geometry.packing.result import to_packing
from geometry.packing.search.ruin_and_recreate import improve
from geometry.packing.verification.certificate import certify
from geometry.packing.voxels.disassembly import Exits, find_exits
from geometry.packing.voxels.grid import Grid, GridPlacement
from geometry.packing.voxels.lattice import collision_tables, lattices, table_cells
from geometry.packing.voxels.layout import Layout, Rule
from geometry.packing.voxels.voxelization import pitch_for, voxelise
from input_errors import InputError

MAX_CELLS = 4_000_000  # of a lattice's tables
ROOM_CELLS = 200_000_000  # of a grid of the volume
FINEST = 8  # cells that make the distance
ALONG = 48  # cells that make a model's longest side, where there is hardly a distance
FFT_WORK = 100  # units of work that a cell of the tables is worth

LATTICES = 3  # that hold most, and are filled up
RULES = [Rule(), Rule(contact=4.0), Rule(corner=3, contact=8.0)]


class Count(NamedTuple):
    """Between `at_least` and `at_most` pieces fit.

    exact  : the two are equal
    reason : why no more than at_most fit, a sentence
    method : of the packing that holds at_least: boxes | lattice | packer
    """

    at_least: int
    at_most: int
    exact: bool
    reason: str
    method: str


def how_many(
    piece: PackItem,
    volume: Volume,
    distance: float,
    mode: Mode = "volume",
    *,
    wall: float = 0.0,
    floor: BedMask | None = None,
    packer: Packer = "premium_packer",
    work: int = Budget.STANDARD,
    cancelled: Callable[[], bool] | None = None,
) -> Iterator[Count]:
    """How many copies fit, first by boxes and at once, then better.

    The piece's own quantity does not matter. No more than MAX_PIECES are counted. What fits only
    at an oblique angle is counted at one angle.

    Raises
    ------
    InputError: mesh-empty, mesh-invalid, limit-exceeded
    """
    piece = piece._replace(quantity=1)
    check_pieces([piece])
    check_limits([piece], volume, distance)
    try:
        piece, _ = turned_to_fit(piece, room_within(volume, wall, mode))
    except InputError as rejection:
        yield Count(0, 0, True, rejection.title, "boxes")  # noqa: FBT003 - a row, not a switch
        return
    bound = _bound(piece, volume, distance, wall, mode, packer, floor)
    most = min(bound.at_most, MAX_PIECES)
    many = piece._replace(quantity=most)
    packings = fill(
        many,
        volume,
        distance,
        mode,
        wall=wall,
        floor=floor,
        packer=packer,
        work=work,
        cancelled=cancelled,
    )
    for method, packing in packings:
        count = len(packing.placements)
        best = Count(count, bound.at_most, count == bound.at_most, bound.reason, method)
        yield best


def fill(
    piece: PackItem,
    volume: Volume,
    distance: float,
    mode: Mode = "volume",
    *,
    wall: float = 0.0,
    floor: BedMask | None = None,
    packer: Packer = "premium_packer",
    work: int = Budget.STANDARD,
    cancelled: Callable[[], bool] | None = None,
) -> Iterator[tuple[str, Packing]]:
    """Packings of ever more copies of one piece, up to its quantity, each with its method.

    All of them are certified, and their pieces come out in their order.
    """

    def certified(packing: Packing) -> bool:
        proof = certify([piece], packing, volume, distance, wall=wall, mode=mode, floor=floor)
        return proof.valid

    boxes = pack_boxes([piece], volume, distance, wall=wall, mode=mode, floor=floor)
    most = 0
    if certified(boxes):
        most = len(boxes.placements)
        yield "boxes", boxes
    if packer == "box_packer" or mode == "plate":
        return
    meter = SearchBudget(work, cancelled=cancelled)
    for method, packing in _nested(piece, volume, distance, wall, meter):
        if len(packing.placements) > most and certified(packing):
            most = len(packing.placements)
            yield method, packing
        if most == piece.quantity:
            return


def _nested(
    piece: PackItem, volume: Volume, distance: float, wall: float, meter: SearchBudget
) -> Iterator[tuple[str, Packing]]:
    """By cells: half of the work for all pitches, the rest for more of the best packing."""
    best: tuple[_Stacker, list[GridPlacement]] | None = None
    for pitch in _pitches(piece, volume, distance):
        stacker = _Stacker(piece, volume, distance, wall, pitch, meter)
        for method, places in stacker.fillings():
            if places and (not best or len(places) > len(best[1])):
                best = stacker, places
                yield method, stacker.packing(places)
            if meter.over():
                return
        if 2 * meter.work > meter.limit:
            break
    if best:
        stacker, start = best
        for places in stacker.improved(start):
            yield "packer", stacker.packing(places)


def _bound(
    piece: PackItem,
    volume: Volume,
    distance: float,
    wall: float,
    mode: Mode,
    packer: Packer,
    floor: BedMask | None,
) -> Bound:
    if packer != "box_packer":
        return shape_bound(piece, volume, distance, wall=wall, mode=mode, floor=floor)
    found = [
        bound(piece, volume, distance, wall=wall, mode=mode) for bound in (box_bound, rows_bound)
    ]
    return min(found, key=lambda bound: bound.at_most)


def _pitches(piece: PackItem, volume: Volume, distance: float) -> list[float]:
    """Edges of cells, mm, from coarse to the one that rounds up a copy and its distance least."""
    low, high = turned_bounds(piece.triangles, np.eye(3)[None])[0]
    extents = high - low
    near = [distance / cells for cells in range(1, FINEST + 1)] if distance else []
    pitches = {pitch_for(distance, target) for target in (float(extents.max()) / ALONG, *near)}

    def cells(pitch: float) -> NDArray[np.float64]:
        return np.ceil(extents / pitch - 1e-6) + math.ceil(distance / pitch)

    fit = [
        pitch
        for pitch in pitches
        if np.prod(2 * cells(pitch)) <= MAX_CELLS and math.prod(volume) / pitch**3 <= ROOM_CELLS
    ]
    best = min(fit, key=lambda pitch: float(np.prod(cells(pitch) * pitch)), default=math.inf)
    return sorted((pitch for pitch in fit if pitch >= best), reverse=True)


class _Stacker:
    """One pitch: the piece as cells, and a grid of the volume."""

    def __init__(
        self,
        piece: PackItem,
        volume: Volume,
        distance: float,
        wall: float,
        pitch: float,
        meter: SearchBudget,
    ):
        self._piece, self._volume, self._wall = piece, volume, wall
        self._meter = meter
        self._solid = voxelise(piece.triangles, piece.rotations, pitch, distance)
        self._room = room_within(volume, wall, "volume")
        self._layers = math.ceil(self._room.z / pitch) + 1
        self._grid = Grid(self._room, pitch, [self._solid], self._layers, meter)

    def fillings(self) -> Iterator[tuple[str, list[GridPlacement]]]:
        """By lattices, with what finds a place beside them, and by packing."""
        self._meter.work += FFT_WORK * table_cells(self._solid)
        found: list[list[GridPlacement]] = []
        for places in lattices(self._grid, 0, collision_tables(self._solid)):
            found.append(places)
            if self._meter.over():
                return
        for places in sorted(found, key=len)[: -LATTICES - 1 : -1]:
            yield "lattice", places[: self._piece.quantity]
            yield "lattice", self._filled(places, RULES[0])
        for rule in RULES:
            yield "packer", self._filled([], rule)

    def improved(self, places: list[GridPlacement]) -> Iterator[list[GridPlacement]]:
        """One more, again and again: some are taken out and put back in otherwise."""
        while len(places) < self._piece.quantity:
            layout = self._layout(places, len(places) + 1)
            better = improve(
                layout,
                [len(places)],
                self._layers,
                fewest=1,
                boxes=np.ones(len(places) + 1),
                room=self._room,
                seed=len(places),
                meter=self._meter,
                gate=self._gate,
            )
            if next(better, None) is None:  # the work is done
                return
            places = self._taken(layout)
            yield places

    def packing(self, places: list[GridPlacement]) -> Packing:
        """Without those that would be locked in, in the order in which they come out."""
        layout = self._layout(places, self._piece.quantity)
        for number in self._gate(layout).locked:
            layout.take(number)
        items = [(0, copy) for copy in range(self._piece.quantity)]
        packing = to_packing(
            [self._piece],
            self._volume,
            self._wall,
            items,
            layout,
            self._gate(layout),
            self._meter.work,
        )
        self._taken(layout)
        copies = [placement._replace(copy=i) for i, placement in enumerate(packing.placements)]
        return packing._replace(placements=tuple(copies), unplaced=tuple(items[len(copies) :]))

    def _filled(self, places: list[GridPlacement], rule: Rule) -> list[GridPlacement]:
        layout = self._layout(places[: self._piece.quantity], self._piece.quantity)
        for item in range(len(layout.places), self._piece.quantity):
            if self._meter.over() or not layout.insert(item, self._layers, rule):
                break
        return self._taken(layout)

    def _layout(self, places: list[GridPlacement], items: int) -> Layout:
        layout = Layout(self._grid, np.zeros(items, dtype=np.int64), 0)
        for item, place in enumerate(places):
            layout.put(item, place)
        return layout

    def _taken(self, layout: Layout) -> list[GridPlacement]:
        """What stands, and the grid empty again."""
        places = list(layout.places.values())
        for item in list(layout.places):
            layout.take(item)
        return places

    def _gate(self, layout: Layout) -> Exits:
        return find_exits(layout.grid, list(layout.places.values()))

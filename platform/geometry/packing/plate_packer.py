"""Plate packer: one layer, non-overlapping silhouettes, rotation about z."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.convex_hull import hull_volume
from geometry.packing.bed_mask import BedMask
from geometry.packing.boxes.box_packer import pack_boxes, pack_tightly, room_within
from geometry.packing.budget import SearchBudget
from geometry.packing.metrics import density, height, turned_bounds
from geometry.packing.request import (
    Budget,
    Direction,
    Packing,
    PackItem,
    Placement,
    Progress,
    Volume,
)
from geometry.packing.request_limits import check_limits
from geometry.packing.search.plate_search import fill_plate
from geometry.packing.voxels.grid import Grid
from geometry.packing.voxels.layout import Layout
from geometry.packing.voxels.silhouettes import QUARTERS, silhouette
from geometry.packing.voxels.voxelization import Solid, pitch_for

TARGET = 0.5  # mm, of the pitch
ANGLES = 8
UP: Direction = (0, 0, 1)


def pack_plate(
    pieces: Sequence[PackItem],
    volume: Volume,
    distance: float,
    *,
    wall: float = 0.0,
    floor: BedMask | None = None,
    angles: int = ANGLES,
    seed: int = 0,
    work: int = Budget.STANDARD,
    seconds: float | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Iterator[Packing]:
    """Packings of one plate, each with more pieces on it than the one before, until all are.

    The first is the box packer's. The last comes once more, and its `stopped` says what ended the
    search. The same arguments give the same packings, unless the clock or the caller ended it.

    Parameters
    ----------
    pieces    : of their rotations, those about z count; all four allow any angle
    distance, wall : mm, between silhouettes, and from a piece to the plate's edges
    floor     : of a plate that is no rectangle
    angles    : how many are tried, a multiple of 4
    work, seconds, progress, cancelled : as in `pack_volume`

    Raises
    ------
    InputError: what `pack_boxes` raises, limit-exceeded
    """
    check_limits(pieces, volume, distance)
    about_z = [p._replace(rotations=p.rotations[p.rotations[:, 2, 2] == 1.0]) for p in pieces]
    meter = SearchBudget(work, seconds, cancelled)
    best = pack_boxes(about_z, volume, distance, wall=wall, mode="plate", floor=floor)
    asked = sum(piece.quantity for piece in pieces)

    def tell(phase: str) -> None:
        if progress:
            progress(
                {
                    "phase": phase,
                    "share": meter.share,
                    "height": best.height,
                    "density": best.density,
                    "placed": asked - len(best.unplaced),
                    "seconds": meter.seconds,
                }
            )

    tell("boxes")
    yield best
    meter.tick = lambda: tell("improving")
    if best.unplaced:
        tight = pack_tightly(about_z, volume, distance, wall=wall, mode="plate", floor=floor)
        if tight is not None:
            best = tight
            yield best
    if best.unplaced:
        plate = _Plate(about_z, volume, distance, wall, floor, angles)
        layout = plate.layout(meter, seed)
        shapes = [plate.shapes_of[piece] for piece, _ in plate.items]
        fewest = len(best.unplaced)
        for _ in fill_plate(layout, shapes, plate.areas, fewest, seed=seed, meter=meter):
            best = plate.packing(layout, meter.work)
            yield best
            tell("improving")
    tell("done")
    yield best._replace(work=meter.work, stopped=meter.stopped or "done")


class _Flat(NamedTuple):
    """A piece's silhouette after a turn about z, (3, 3), and the quarters that may follow it."""

    piece: int
    turn: NDArray[np.float64]
    quarters: NDArray[np.float64]
    solid: Solid


class _Plate:
    """What stands on a plate, as cells, and as transforms again."""

    def __init__(
        self,
        pieces: Sequence[PackItem],
        volume: Volume,
        distance: float,
        wall: float,
        floor: BedMask | None,
        angles: int,
    ):
        self._pieces, self._volume, self._wall, self._floor = pieces, volume, wall, floor
        self._pitch = pitch_for(distance, TARGET)
        self.items = [(i, copy) for i, p in enumerate(pieces) for copy in range(p.quantity)]
        self.flats = [
            _Flat(i, turn, quarters, silhouette(turned, quarters, self._pitch, distance))
            for i, piece in enumerate(pieces)
            for turn, quarters in _turns(piece, angles)
            for turned in [np.einsum("ij,nkj->nki", turn, piece.triangles.astype(np.float64))]
        ]
        self.shapes_of = [
            [number for number, flat in enumerate(self.flats) if flat.piece == i]
            for i in range(len(pieces))
        ]
        areas = [_hull_area(piece) for piece in pieces]
        self.areas = np.array([areas[piece] for piece, _ in self.items])

    def layout(self, meter: SearchBudget, seed: int) -> Layout:
        """The empty plate."""
        x, y, _ = room_within(self._volume, self._wall, "plate")
        solids = [flat.solid for flat in self.flats]
        grid = Grid(Volume(x, y, self._pitch), self._pitch, solids, 1, meter)
        if self._floor is not None:
            grid.close(self._floor.beside(grid.cells[:2], self._pitch))
        return Layout(grid, np.array([self.shapes_of[piece][0] for piece, _ in self.items]), seed)

    def packing(self, layout: Layout, work: int) -> Packing:
        """What stands, in the middle of a rectangle, in the order in which it was placed."""
        placements = []
        for item, place in layout.places.items():
            piece, copy = self.items[item]
            flat = self.flats[place.model]
            quarter = flat.quarters[flat.solid.turns[place.turn].rotation]
            rotation = np.einsum("ij,jk->ik", quarter, flat.turn)
            at = layout.grid.middle(place) - np.einsum("ij,j->i", quarter, flat.solid.centre)
            transform = np.eye(4)
            transform[:3, :3] = rotation
            transform[:2, 3] = at[:2]
            transform[2, 3] = -float(self._pieces[piece].triangles[:, :, 2].min())
            placements.append(Placement(piece, copy, transform, UP))
        if self._floor is None:
            self._centre(placements)
        top = height(self._pieces, placements)
        return Packing(
            placements=tuple(placements),
            unplaced=tuple(
                self.items[item] for item in range(len(self.items)) if item not in layout.places
            ),
            height=top,
            density=density(self._pieces, placements, self._volume, top),
            work=work,
            stopped="work",
            packer="premium_packer",
            pitch=self._pitch,
        )

    def _centre(self, placements: list[Placement]) -> None:
        known: dict[tuple[int, bytes], NDArray[np.float64]] = {}
        bounds = np.empty((len(placements), 2, 3))
        for number, placement in enumerate(placements):
            rotation = placement.transform[:3, :3]
            key = placement.piece, rotation.tobytes()
            if key not in known:
                triangles = self._pieces[placement.piece].triangles
                known[key] = turned_bounds(triangles, rotation[None])[0]
            bounds[number] = known[key] + placement.transform[:3, 3]
        low, high = bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)
        shift = (np.array(self._volume) - (high - low)) / 2 - low
        for placement in placements:
            placement.transform[:2, 3] += shift[:2]


def _turns(
    piece: PackItem, angles: int
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Turns about z, each with the quarter turns that may follow it."""
    allowed = [
        quarter
        for quarter in QUARTERS
        if any(np.array_equal(quarter, turn) for turn in piece.rotations)
    ]
    quarters = np.array(allowed)
    count = angles // 4 if len(quarters) == len(QUARTERS) else 1
    for step in range(count):
        angle = step * math.pi / 2 / count
        c, s = math.cos(angle), math.sin(angle)
        yield np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), quarters


def _hull_area(piece: PackItem) -> float:
    """mm^2, of the convex hull of what a piece covers; 0 where that is a line."""
    return hull_volume(piece.triangles[:, :, :2].reshape(-1, 2)) or 0.0

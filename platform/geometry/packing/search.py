"""The packer for volumes: pieces in each other's hollows, as low as the budget lets it find."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from manifold3d import Manifold

from geometry.packing.boxes import pack_boxes, room_within
from geometry.packing.budget import Meter
from geometry.packing.grid import Grid, Place
from geometry.packing.layout import Layout, Rule
from geometry.packing.limits import check_limits
from geometry.packing.result import to_packing
from geometry.packing.rows import Budget, Packing, Piece, Volume
from geometry.packing.ruin import improve
from geometry.packing.voxels import Solid, pitch_for, voxelise
from geometry.packing.wayout import Exits, find_exits, find_roots

TARGETS = (2.0, 1.0, 2 / 3)  # mm, of pitches, coarse to fine
SHARES = (math.inf, 0.3, 0.03)  # of the rest of the budget, that one building in it may take
GROWTH = 3.5  # of the work of building, as a power of 1 / pitch; measured
PORTFOLIO = 0.4  # of the budget, after which a pitch tries no more orders
CURES = 4  # times that an order is built again after hollows were closed
MOST_BYTES = 400_000_000  # of a grid

Interlock = Literal["refuse", "allow"]
Progress = Callable[[dict[str, Any]], None]


def pack_volume(
    pieces: Sequence[Piece],
    volume: Volume,
    distance: float,
    *,
    wall: float = 0.0,
    seed: int = 0,
    work: int = Budget.STANDARD,
    seconds: float | None = None,
    interlock: Interlock = "refuse",
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Iterator[Packing]:
    """Packings, each better than the one before: first the box packer's, then nested ones.

    Better is: fewer unplaced, then less height. The last comes once more, and its `stopped` says
    what ended the search. The same arguments give the same packings, unless the clock or the
    caller ended it.

    Parameters
    ----------
    distance, wall : mm, between pieces, and from a piece to the volume's sides
    work      : units, see Budget
    seconds   : of the clock, a safety net
    interlock : whether pieces may be left that cannot be taken out one by one
    progress  : told {phase, share, height, density, seconds}
    cancelled : asked about ten times a second

    Raises
    ------
    Refused: what `pack_boxes` raises, limit-exceeded
    """
    check_limits(pieces, volume, distance)
    meter = Meter(work, seconds, cancelled)
    job = _Job(pieces, volume, distance, wall, seed, interlock == "allow")
    yield from _Search(job, meter, progress).run()


class _Job(NamedTuple):
    pieces: Sequence[Piece]
    volume: Volume
    distance: float
    wall: float
    seed: int
    may_lock: bool


class _Search:
    def __init__(self, job: _Job, meter: Meter, progress: Progress | None):
        self._job, self._meter, self._progress = job, meter, progress
        self._room = room_within(job.volume, job.wall, "volume")
        self._items = [(i, copy) for i, p in enumerate(job.pieces) for copy in range(p.quantity)]
        self._models = np.array([model for model, _ in self._items])
        self._closed: set[int] = set()  # models whose hollows have proved to be traps
        self._boxes = np.empty(0)  # (items,) mm^3
        self._spent = 0  # units, by the last building
        self._best: Packing

    def run(self) -> Iterator[Packing]:
        job = self._job
        self._best = pack_boxes(job.pieces, job.volume, job.distance, wall=job.wall)
        self._tell("boxes")
        yield self._best
        yield from self._stages()
        self._tell("done")
        yield self._best._replace(work=self._meter.work, stopped=self._meter.stopped or "done")

    def _stages(self) -> Iterator[Packing]:
        """One pitch after the other, as the budget allows; then the last layout is improved."""
        start: _Start | None = None
        orders: list[list[int]] = []
        pitch = math.inf
        for target, share in zip(TARGETS, SHARES, strict=True):
            finer = pitch_for(self._job.distance, target)
            rest = self._meter.limit - self._meter.work
            if finer > 0.9 * pitch or self._spent * (pitch / finer) ** GROWTH > share * rest:
                continue
            self._tell("voxels")
            solids = self._solids(finer)
            if start and self._grid_bytes(finer, solids) > MOST_BYTES:
                break
            pitch, start = finer, None
            orders = orders or self._orders(solids)
            begun = self._meter.work
            for order in orders:
                if self._is_hopeless(pitch):
                    break
                layout, left, exits = self._build(order, pitch)
                if exits and self._is_better(left):
                    yield self._keep(layout, exits)
                start = self._nearer(start, _Start(layout, left))
                if self._meter.over():
                    return
                if self._meter.work - begun > PORTFOLIO * self._meter.limit:
                    break
        if start:
            yield from self._improve(start)

    def _improve(self, start: "_Start") -> Iterator[Packing]:
        layout, left = start
        pitch = layout.grid.pitch
        if self._is_hopeless(pitch):
            return
        self._tell("improving")
        for exits in improve(
            layout,
            left,
            self._lid(pitch),
            fewest=len(self._best.unplaced),
            boxes=self._boxes,
            room=self._room,
            seed=self._job.seed,
            meter=self._meter,
            gate=self._gate,
        ):
            yield self._keep(layout, exits)
            self._tell("improving")
            if self._is_hopeless(pitch):
                return

    def _build(self, order: list[int], pitch: float) -> tuple[Layout, list[int], Exits | None]:
        """A layout, the items that do not stand in it, and the way out of it if there is one.

        Models that hold others have their hollows closed, and the order is built again.
        """
        for _ in range(CURES):
            self._tell("portfolio")
            lid = self._lid(pitch)
            grid = Grid(self._room, pitch, self._solids(pitch), lid, self._meter)
            layout = Layout(grid, self._models, self._job.seed)
            begun = self._meter.work
            left = layout.build(order, lid, Rule(), self._meter)
            self._spent = self._meter.work - begun
            if self._meter.over():
                break
            exits = self._gate(layout)
            if not exits.locked or self._job.may_lock:
                return layout, left, exits
            standing = list(layout.places)
            places = list(layout.places.values())
            roots = find_roots(grid, places, exits.locked, self._is_open(places))
            if not roots:
                for number in exits.locked:
                    layout.take(standing[number])
                left += [standing[number] for number in exits.locked]
                break
            self._closed |= {places[number].model for number in roots}
        return layout, left, None

    def _is_open(self, places: list[Place]) -> Callable[[int], bool]:
        return lambda number: places[number].model not in self._closed

    def _gate(self, layout: Layout) -> Exits:
        return find_exits(layout.grid, list(layout.places.values()), over=self._meter.over)

    def _solids(self, pitch: float) -> list[Solid]:
        solids = []
        for number, piece in enumerate(self._job.pieces):
            fill = number in self._closed and not self._job.may_lock
            solid = voxelise(piece.triangles, piece.rotations, pitch, self._job.distance, fill=fill)
            solids.append(solid)
        return solids

    def _orders(self, solids: list[Solid]) -> list[list[int]]:
        """What is tried: many cells first, or large hulls, or large boxes, or both."""
        boxes = np.array([float(np.prod(solid.extents)) for solid in solids])
        cells = np.array([float(solid.cells) for solid in solids])
        hulls = np.array(
            [
                Manifold.hull_points(piece.triangles.reshape(-1, 3)).volume()
                for piece in self._job.pieces
            ]
        )
        self._boxes = boxes[self._models]
        return [
            np.argsort(-key[self._models], kind="stable").tolist()
            for key in (cells, hulls * cells, boxes, cells * boxes)
        ]

    def _lid(self, pitch: float) -> int:
        """Cells below which all must stand to be better than the best so far."""
        if self._best.unplaced:
            return math.ceil(self._room.z / pitch - 1e-6)
        return math.ceil((self._best.height - self._job.wall) / pitch - 1e-6) - 1

    def _is_hopeless(self, pitch: float) -> bool:
        """Whether all stand, and some piece is too tall for any lower lid."""
        tallest = max(
            min(int(solid.size[turn.axes[2]]) for turn in solid.turns)
            for solid in self._solids(pitch)
        )
        return not self._best.unplaced and tallest > self._lid(pitch)

    def _is_better(self, left: list[int]) -> bool:
        """What stands, stands under the lid."""
        return not left or len(left) < len(self._best.unplaced)

    def _nearer(self, start: "_Start | None", other: "_Start") -> "_Start":
        """Which of two has less to place under the lid as it is now."""
        starts = [start, other] if start else [other]
        for layout, left in starts:
            left += layout.cut(self._lid(layout.grid.pitch))
        return min(starts, key=lambda each: float(self._boxes[each.left].sum()))

    def _grid_bytes(self, pitch: float, solids: list[Solid]) -> int:
        cells = (self._room.x / pitch) * (self._room.y / pitch) * self._lid(pitch)
        levels = max(int(solid.size.max()) for solid in solids).bit_length()
        return int(cells * (levels + 8) / 8)

    def _keep(self, layout: Layout, exits: Exits) -> Packing:
        job = self._job
        self._best = to_packing(
            job.pieces, job.volume, job.wall, self._items, layout, exits, self._meter.work
        )
        return self._best

    def _tell(self, phase: str) -> None:
        if self._progress:
            self._progress(
                {
                    "phase": phase,
                    "share": min(1.0, self._meter.work / self._meter.limit),
                    "height": self._best.height,
                    "density": self._best.density,
                    "seconds": self._meter.seconds,
                }
            )


class _Start(NamedTuple):
    """A layout that may be improved, and the items that do not stand in it."""

    layout: Layout
    left: list[int]

"""Volume packer: nests parts into each other's cavities within a budget."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from manifold3d import Manifold

from geometry.packing.boxes.box_packer import pack_boxes, pack_tightly, room_within
from geometry.packing.budget import SearchBudget
from geometry.packing.request import Budget, Packing, PackItem, Progress, Volume
from geometry.packing.request_limits import check_limits
from geometry.packing.result import to_packing
from geometry.packing.search.order_search import reorder
from geometry.packing.search.ruin_and_recreate import improve
from geometry.packing.voxels.disassembly import Exits, find_exits
from geometry.packing.voxels.grid import Grid, GridPlacement, top
from geometry.packing.voxels.lattice import table_cells
from geometry.packing.voxels.layout import Layout, Rule
from geometry.packing.voxels.motifs import Motif, find_motif
from geometry.packing.voxels.voxelization import Solid, pitch_for, voxelise

TARGETS = (2.0, 1.0, 2 / 3)  # mm, of pitches, coarse to fine
SHARES = (math.inf, 0.3, 0.03)  # of the rest of the budget, that one building in it may take
GROWTH = 3.5  # of the work of building, as a power of 1 / pitch; measured
PORTFOLIOS = (0.05, 0.3, 0.3)  # of the budget, after which a pitch tries no more recipes
CORNERS = (0, 3)  # of the plate, from which places of equal worth are taken
TRIANGLE_WORK, CELL_WORK = 1_500, 50  # units, to voxelise; measured
MAX_BYTES = 400_000_000  # of a grid
MANY = 16  # copies of a model, of which pairs are placed
MAX_PAIR_CELLS = 4_000_000  # of the tables of such a model
PAIR_WORK = 100  # units of work that a cell of the tables is worth
FEW = 60  # pieces, of which another order is better than ruins

Interlock = Literal["refuse", "allow"]


def pack_volume(
    pieces: Sequence[PackItem],
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
    progress  : called with {phase, share, height, density, seconds}
    cancelled : asked about ten times a second

    Raises
    ------
    InputError: what `pack_boxes` raises, limit-exceeded
    """
    check_limits(pieces, volume, distance)
    meter = SearchBudget(work, seconds, cancelled)
    job = _Job(pieces, volume, distance, wall, seed, interlock == "allow")
    yield from _Search(job, meter, progress).run()


class _Job(NamedTuple):
    pieces: Sequence[PackItem]
    volume: Volume
    distance: float
    wall: float
    seed: int
    may_lock: bool


class _Search:
    def __init__(self, job: _Job, meter: SearchBudget, progress: Progress | None):
        self._job, self._meter, self._progress = job, meter, progress
        self._room = room_within(job.volume, job.wall, "volume")
        self._items = [(i, copy) for i, p in enumerate(job.pieces) for copy in range(p.quantity)]
        self._models = np.array([model for model, _ in self._items])
        self._boxes = np.empty(0)  # (items,) mm^3
        self._spent = 0  # units, by the last building
        self._trapped = False  # something was locked in,
        self._pairs = False  # some models are placed by pairs
        self._closed = False  # so the models' hollows were closed
        self._best: Packing
        self._phase = ""

    def run(self) -> Iterator[Packing]:
        job = self._job
        self._best = pack_boxes(job.pieces, job.volume, job.distance, wall=job.wall)
        self._tell("boxes")
        self._meter.tick = lambda: self._tell(self._phase)
        yield self._best
        if self._best.unplaced:
            tight = pack_tightly(job.pieces, job.volume, job.distance, wall=job.wall)
            if tight is not None:
                self._best = tight
                yield tight
        yield from self._stages()
        self._tell("done")
        yield self._best._replace(work=self._meter.work, stopped=self._meter.stopped or "done")

    def _stages(self) -> Iterator[Packing]:
        """One pitch after the other, as the budget allows; then the last layout is improved."""
        pitch = math.inf
        recipes: list[_Recipe] = []
        start: _Start | None = None
        for target, share, portfolio in zip(TARGETS, SHARES, PORTFOLIOS, strict=True):
            finer = pitch_for(self._job.distance, target)
            rest = self._meter.limit - self._meter.work
            if finer > 0.9 * pitch or self._spent * (pitch / finer) ** GROWTH > share * rest:
                continue
            first = pitch == math.inf
            solids = self._solids(finer)
            if self._meter.over() or (start and self._grid_bytes(finer, solids) > MAX_BYTES):
                break
            pitch, start = finer, None
            recipes = recipes or self._recipes(solids)
            if self._is_hopeless(pitch, solids):
                continue
            starts: list[_Start] = []
            self._spent = 0
            units = int(portfolio * self._meter.limit)
            layout = self._layout(pitch, solids)
            yield from self._portfolio(layout, recipes, starts, units, may_trap=first)
            if self._trapped:
                self._trapped, self._closed, starts = False, True, []
                solids = self._solids(pitch)
                if self._meter.over():
                    return
                layout = self._layout(pitch, solids)
                yield from self._portfolio(layout, recipes, starts, units, may_trap=False)
            if self._meter.over():
                return
            used = self._solids_used(layout)
            starts.sort(key=lambda each: self._energy(layout.grid.pitch, used, each))
            # The best recipe here is tried first in the next pitch.
            best = [each.recipe for each in starts]
            recipes = best + [recipe for recipe in recipes if recipe not in best]
            start = starts[0]
        if start:
            yield from self._improve(layout, start)

    def _solids_used(self, layout: Layout) -> list[Solid]:
        return [shape.solid for shape in layout.grid.shapes[: len(self._job.pieces)]]

    def _layout(self, pitch: float, solids: list[Solid]) -> Layout:
        """An empty grid of all models, and of pairs of those of which there are many."""
        motifs: dict[int, tuple[int, Motif]] = {}
        shapes = list(solids)
        for model, (piece, solid) in enumerate(zip(self._job.pieces, solids, strict=True)):
            cells = table_cells(solid)
            if piece.quantity < MANY or cells > MAX_PAIR_CELLS or self._meter.over():
                continue
            self._meter.work += cells * PAIR_WORK
            motif = find_motif(solid, piece.rotations, pitch)
            if motif is not None:
                motifs[model] = len(shapes), motif
                shapes.append(motif.solid)
        self._pairs = bool(motifs)
        grid = Grid(self._room, pitch, shapes, self._lid(pitch), self._meter)
        return Layout(grid, self._models, self._job.seed, motifs)

    def _portfolio(
        self,
        layout: Layout,
        recipes: "list[_Recipe]",
        starts: "list[_Start]",
        units: int,
        *,
        may_trap: bool,
    ) -> Iterator[Packing]:
        """Build by recipes, each under the lid that the ones before have left.

        starts   : what each came to, where it was the best so far
        units    : of work, after which no other is begun
        may_trap : end where something is locked in, and say so
        """
        pitch, begun = layout.grid.pitch, self._meter.work
        solids = self._solids_used(layout)
        for recipe in recipes:
            if recipe.paired and not self._pairs:
                continue
            self._tell("portfolio")
            before = self._meter.work
            layout.clear()
            left = layout.build(
                recipe.order,
                self._lid(pitch),
                Rule(recipe.corner, paired=recipe.paired),
                sizes=self._boxes,
                bearable=min(
                    (self._energy(pitch, solids, each) for each in starts), default=math.inf
                ),
                over=self._meter.over,
            )
            self._spent = max(self._spent, self._meter.work - before)
            if self._meter.over():
                return
            if left is None:
                continue
            if not left or len(left) < len(self._best.unplaced):
                exits = self._gate(layout)
                if exits.locked and may_trap:
                    self._trapped = True
                    return
                left += layout.remove(exits.locked)
                if not exits.locked:
                    yield self._keep(layout, exits)
            starts.append(_Start(recipe, dict(layout.places), left))
            if self._meter.work - begun > units:
                return

    def _improve(self, layout: Layout, start: "_Start") -> Iterator[Packing]:
        """Few pieces are built again and again in other orders, many are ruined in part."""
        pitch = layout.grid.pitch
        solids = self._solids_used(layout)
        if self._is_hopeless(pitch, solids):
            return
        self._tell("improving")
        for exits in self._reordered(layout, start) if self._few() else self._ruined(layout, start):
            yield self._keep(layout, exits)
            self._tell("improving")
            if self._is_hopeless(pitch, solids):
                return

    def _few(self) -> bool:
        return len(self._items) <= FEW and not self._best.unplaced

    def _reordered(self, layout: Layout, start: "_Start") -> Iterator[Exits]:
        return reorder(
            layout,
            start.recipe.order,
            self._energy(layout.grid.pitch, self._solids_used(layout), start),
            self._lid(layout.grid.pitch),
            boxes=self._boxes,
            seed=self._job.seed,
            over=self._meter.over,
            gate=self._gate,
        )

    def _ruined(self, layout: Layout, start: "_Start") -> Iterator[Exits]:
        lid = self._lid(layout.grid.pitch)
        layout.clear()
        for item, place in start.places.items():
            layout.put(item, place)
        return improve(
            layout,
            start.left + layout.cut(lid),
            lid,
            fewest=len(self._best.unplaced),
            boxes=self._boxes,
            room=self._room,
            seed=self._job.seed,
            meter=self._meter,
            gate=self._gate,
        )

    def _gate(self, layout: Layout) -> Exits:
        exits = find_exits(layout.grid, list(layout.places.values()), over=self._meter.over)
        if self._job.may_lock:
            return Exits(exits.order + [(number, None) for number in exits.locked], [])
        return exits

    def _solids(self, pitch: float) -> list[Solid]:
        """All models in cells."""
        self._tell("voxels")
        solids = []
        for piece in self._job.pieces:
            if self._meter.over():
                break
            solid = voxelise(
                piece.triangles,
                piece.rotations,
                pitch,
                self._job.distance,
                fill=self._closed,
            )
            block = int(np.prod(solid.size + 2 * solid.pad))
            self._meter.work += len(piece.triangles) * TRIANGLE_WORK + block * CELL_WORK
            solids.append(solid)
        return solids

    def _recipes(self, solids: list[Solid]) -> "list[_Recipe]":
        """What is tried: large hulls and many cells first, or many cells, or large boxes."""
        sizes = np.array([float(np.prod(solid.extents)) for solid in solids])
        cells = np.array([float(solid.cells) for solid in solids])
        hulls = np.array(
            [
                Manifold.hull_points(piece.triangles.reshape(-1, 3)).volume()
                for piece in self._job.pieces
            ]
        )
        self._boxes = sizes[self._models]
        keys = (hulls * cells, cells, sizes, sizes * cells)
        orders = [np.argsort(-key[self._models], kind="stable").tolist() for key in keys]
        return [
            _Recipe(order, corner, paired)
            for corner in CORNERS
            for order in orders
            for paired in (True, False)
        ]

    def _lid(self, pitch: float) -> int:
        """Cells below which all must stand to be better than the best so far."""
        if self._best.unplaced:
            return math.ceil(self._room.z / pitch - 1e-6)
        return math.ceil((self._best.height - self._job.wall) / pitch - 1e-6) - 1

    def _is_hopeless(self, pitch: float, solids: list[Solid]) -> bool:
        """Whether all stand, and some piece is too tall for any lower lid."""
        tallest = max(min(int(solid.size[t.axes[2]]) for t in solid.turns) for solid in solids)
        return not self._best.unplaced and tallest > self._lid(pitch)

    def _energy(self, pitch: float, solids: list[Solid], start: "_Start") -> float:
        """mm^3 of the boxes that do not stand under the lid as it is now."""
        lid = self._lid(pitch)
        above = [item for item, at in start.places.items() if top(solids[at.model], at) > lid]
        return float(self._boxes[start.left + above].sum())

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
        self._phase = phase
        if self._progress:
            self._progress(
                {
                    "phase": phase,
                    "share": self._meter.share,
                    "height": self._best.height,
                    "density": self._best.density,
                    "seconds": self._meter.seconds,
                }
            )


class _Recipe(NamedTuple):
    """In which order to build, from which corner, and whether by pairs."""

    order: list[int]
    corner: int
    paired: bool


class _Start(NamedTuple):
    """What building by a recipe came to: where items stand, and those that do not."""

    recipe: _Recipe
    places: dict[int, GridPlacement]
    left: list[int]

"""Certificate: exact clearance check of the packed triangles."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geometry.bed_shape import CLOSE
from geometry.formats.stl.detection import FACET_BYTES, HEADER_BYTES, RECORD
from geometry.packing.bed_mask import BedMask
from geometry.packing.boxes.box_packer import Mode
from geometry.packing.compiled.placed_mesh import transformed
from geometry.packing.metrics import bounds_of
from geometry.packing.request import Packing, PackItem, Volume
from geometry.packing.verification.clearance import Load, find_nearest
from geometry.packing.verification.disassembly_check import replay
from geometry.packing.voxels.silhouettes import flattened

RIGID = 1e-9  # of a matrix's entries
MOVED = 1e-4  # mm; float32 holds a corner of a file this near to where its transform puts it


class Violation(NamedTuple):
    """What keeps a packing from being handed out.

    code       : kebab-case, for programs
    title      : a sentence for people
    placements : indices of those that it is about, in the packing's order
    missing    : mm that are missing; 0 where that has no meaning
    """

    code: str
    title: str
    placements: tuple[int, ...] = ()
    missing: float = 0.0


class Certificate(NamedTuple):
    """What was measured of a packing.

    smallest   : mm, the least distance of any two pieces, or silhouettes; None where there are
                 not two, or where nothing could be measured
    pair       : the two placements that are so near
    near_pairs : pairs whose triangles were measured; all others are farther apart by their boxes
    margin     : mm, the least distance from a piece to a side of the volume, or to the plate's
                 edge; on a plate its floor is left out; None where nothing could be measured
    removable  : whether all pieces were seen to come out in their order, each straight along its
                 direction; one that has to be led around others is not followed
    violations : nothing that has any may be handed out
    digest     : SHA-256 of the corners as written, in the packing's order, hexadecimal
    """

    smallest: float | None
    pair: tuple[int, int] | None
    near_pairs: int
    margin: float | None
    removable: bool
    violations: tuple[Violation, ...]
    digest: str

    @property
    def valid(self) -> bool:
        return not self.violations


def certify(
    pieces: Sequence[PackItem],
    packing: Packing,
    volume: Volume,
    distance: float,
    *,
    wall: float = 0.0,
    mode: Mode = "volume",
    floor: BedMask | None = None,
) -> Certificate:
    """Measure a packing as its files will hold it: moved in float64, rounded to float32.

    Pieces are to be at least `distance` mm apart; on a plate, their silhouettes from above, so
    that nothing stands beneath another. If that is 0, they may touch where a plane along the axes
    parts them.
    """
    placements = packing.placements

    def load(i: int) -> NDArray[np.float32]:
        return transformed(pieces[placements[i].piece].triangles, placements[i].transform)

    request = _Request(pieces, packing, volume, distance, wall, mode, floor)
    faults = list(_wrong_rows(request))
    return _refused(faults) if faults else _measured(request, load)


def certify_file(
    path: str | os.PathLike,
    pieces: Sequence[PackItem],
    packing: Packing,
    volume: Volume,
    distance: float,
    *,
    wall: float = 0.0,
    mode: Mode = "volume",
    floor: BedMask | None = None,
) -> Certificate:
    """Measure a packed STL: the triangles of one placement after the other, nothing else."""
    request = _Request(pieces, packing, volume, distance, wall, mode, floor)
    faults = list(_wrong_rows(request))
    if faults:
        return _refused(faults)
    counts = [len(pieces[placement.piece].triangles) for placement in packing.placements]
    ends = np.cumsum(counts).tolist()
    wanted, size = HEADER_BYTES + FACET_BYTES * sum(counts), os.path.getsize(path)
    if size != wanted:
        title = f"The packed STL has {size:,} bytes; what is placed makes {wanted:,}."
        return _refused([Violation("file-differs", title)])

    def load(i: int) -> NDArray[np.float32]:
        start = ends[i] - counts[i]
        return np.fromfile(path, RECORD, counts[i], offset=HEADER_BYTES + FACET_BYTES * start)[
            "corners"
        ]

    for i, placement in enumerate(packing.placements):
        meant = transformed(pieces[placement.piece].triangles, placement.transform)
        if not (np.abs(load(i).astype(np.float64) - meant) <= MOVED).all():
            title = f"The packed STL does not hold {request.name(i)} where its transform puts it."
            faults.append(Violation("file-differs", title, (i,)))
    return _refused(faults) if faults else _measured(request, load)


class _Request(NamedTuple):
    pieces: Sequence[PackItem]
    packing: Packing
    volume: Volume
    distance: float
    wall: float
    mode: Mode
    floor: BedMask | None

    def name(self, i: int) -> str:
        placement = self.packing.placements[i]
        return f"{self.pieces[placement.piece].name} (copy {placement.copy + 1})"


def _refused(faults: list[Violation]) -> Certificate:
    return Certificate(
        smallest=None,
        pair=None,
        near_pairs=0,
        margin=None,
        removable=False,
        violations=tuple(faults),
        digest="",
    )


def _measured(request: _Request, load: Load) -> Certificate:
    placements = request.packing.placements
    if not placements:
        return _refused([])._replace(removable=True, digest=hashlib.sha256().hexdigest())
    bounds, digest = np.empty((len(placements), 2, 3)), hashlib.sha256()
    over = np.full(len(placements), -np.inf)
    for i in range(len(placements)):
        triangles = load(i)
        bounds[i] = bounds_of(triangles)
        if request.floor is not None and np.isfinite(bounds[i]).all():
            over[i] = request.floor.overhang(triangles)
        digest.update(np.ascontiguousarray(triangles, dtype="<f4").data)
    margin, faults = _walls(request, bounds)
    margin = min(margin, -float(over.max()) + (request.floor.inset if request.floor else 0.0))
    for i in np.flatnonzero(over > CLOSE).tolist():
        title = f"{request.name(i)} reaches over the edge of the plate."
        faults.append(Violation("out-of-volume", title, (i,), float(over[i])))
    top = float(bounds[:, 1, 2].max())
    if abs(request.packing.height - top) > MOVED:
        title = f"The packing is said to be {request.packing.height} mm high, and is {top} mm."
        faults.append(Violation("wrong-height", title))
    if not np.isfinite(bounds).all():
        return _refused(faults)
    models = [piece.triangles for piece in request.pieces]
    directions = [placement.out_direction for placement in placements]
    blocked = list(replay(models, [p.piece for p in placements], load, bounds, directions))
    for i, j in blocked:
        title = f"{request.name(j)} is in the way of {request.name(i)} as that is taken out."
        faults.append(Violation("in-the-way", title, (i, j)))
    if request.mode == "plate":
        solid, bounds[:, :, 2] = load, 0.0
        models = [flattened(triangles) for triangles in models]

        def load(i: int) -> NDArray[np.float32]:
            return flattened(solid(i))

    found = find_nearest(models, [p.piece for p in placements], load, bounds, request.distance)
    for (i, j), apart in found.too_near:
        title = (
            f"{request.name(i)} and {request.name(j)} are {apart:.6f} mm apart; "
            f"{request.distance:g} mm are asked for."
        )
        faults.append(Violation("too-near", title, (i, j), request.distance - apart))
    for inner, outer in found.within:
        title = f"{request.name(inner)} stands within {request.name(outer)}."
        faults.append(Violation("one-within-another", title, (inner, outer)))
    return Certificate(
        smallest=found.smallest,
        pair=found.pair,
        near_pairs=found.measured,
        margin=margin,
        removable=not blocked and None not in directions,
        violations=tuple(faults),
        digest=digest.hexdigest(),
    )


def _wrong_rows(request: _Request) -> Iterator[Violation]:
    """What is wrong before anything is measured."""
    pieces, packing = request.pieces, request.packing
    asked = {(i, copy) for i, piece in enumerate(pieces) for copy in range(piece.quantity)}
    placed_copies = [(p.piece, p.copy) for p in packing.placements]
    named = placed_copies + list(packing.unplaced)
    if len(named) != len(asked) or set(named) != asked:
        title = "Each copy of each piece is to be placed once, or named as not placed."
        yield Violation("wrong-pieces", title)
        return
    for i, placement in enumerate(packing.placements):
        matrix = np.asarray(placement.transform)
        rotation = matrix[:3, :3]
        rigid = (np.abs(rotation @ rotation.T - np.eye(3)) <= RIGID).all()
        if not rigid or (matrix[3] != (0, 0, 0, 1)).any():
            yield Violation("not-rigid", f"{request.name(i)} is bent or scaled.", (i,))
        elif np.linalg.det(rotation) < 0:
            yield Violation("mirrored", f"{request.name(i)} is mirrored.", (i,))


def _walls(request: _Request, bounds: NDArray[np.float64]) -> tuple[float, list[Violation]]:
    """The least distance to the volume's sides, and who is nearer to one than it may be."""
    upper = np.array(request.volume, dtype=np.float64)
    walls = np.full(3, request.wall)
    floor = walls.copy()
    to_low, to_high = bounds[:, 0], upper - bounds[:, 1]
    if request.mode == "plate":
        floor[2], walls[2] = 0.0, 0.0
    # Rounding keeps the order of numbers: what is within in float64 is so in float32.
    outside = ~(bounds[:, 0] >= floor.astype(np.float32)).all(axis=1)
    outside |= ~(bounds[:, 1] <= (upper - walls).astype(np.float32)).all(axis=1)
    sides = [to_low[:, :2].min(), to_high.min()]
    if request.mode == "volume":
        sides.append(to_low[:, 2].min())
    faults = []
    for i in np.flatnonzero(outside).tolist():
        missing = float(max((floor - to_low[i]).max(), (walls - to_high[i]).max()))
        title = f"{request.name(i)} is out of the volume, or too near to its walls."
        faults.append(Violation("out-of-volume", title, (i,), missing))
    return float(min(sides)), faults

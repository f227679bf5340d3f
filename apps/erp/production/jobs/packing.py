"""Sandboxed job: packing, and the certificate before release."""

import importlib.metadata
import logging
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from apps.erp.production.jobs.messages import (
    FloorMessage,
    Packed,
    PieceMessage,
    PlacementMessage,
    Search,
)
from geometry.formats.stl import read_triangles
from geometry.packing.bed_mask import BedMask
from geometry.packing.boxes.box_packer import Mode, pack_boxes, pack_tightly, room_within
from geometry.packing.capacity import fill
from geometry.packing.compiled.placed_mesh import transformed
from geometry.packing.export import write_3mf, write_stl
from geometry.packing.metrics import bounds_of
from geometry.packing.oblique_fit import turned_back, turned_to_fit
from geometry.packing.plate_packer import pack_plate
from geometry.packing.request import (
    Budget,
    Packing,
    PackingProgress,
    PackItem,
    Placement,
    Volume,
    orientations,
)
from geometry.packing.verification.certificate import Certificate, certify_file
from geometry.packing.volume_packer import pack_volume
from input_errors import InputError

logger = logging.getLogger(__name__)

SEARCHED = 0.9  # of the work, before what was found is measured and written
STOPPED = ("time", "cancelled")
LIBRARIES = ("numba", "numpy")
AXES = "xyz"


class Task(NamedTuple):
    """What is to be packed where.

    turned : the pieces as they are packed: one that fits only at an oblique angle is turned first
    turns  : of each piece, the (4, 4) transform from it to what is packed
    names  : of each copy of each piece
    chosen : where each piece stands in the request, which may have others that do not fit
    floor  : of a plate that is no rectangle
    """

    pieces: list[PackItem]
    turned: list[PackItem]
    turns: list[NDArray[np.float64]]
    names: list[list[str]]
    chosen: list[int]
    volume: Volume
    distance: float
    mode: Mode
    floor: BedMask | None = None


def pack_files(
    *,
    pieces: list[PieceMessage],
    volume: list[float],
    distance: float,
    mode: Mode,
    search: Search,
    whole: bool,
    title: str,
    stl: str,
    three_mf: str,
    stop: str,
    progress: Callable[..., None],
    floor: FloorMessage | None = None,
) -> Packed:
    """Pack canonical STL files into the files `stl` and `three_mf`.

    It ends early, with the best so far, once there is a file at `stop`.

    Parameters
    ----------
    whole  : everything is to be placed; otherwise as much as goes
    title  : what the 3MF is called
    floor  : of a plate that is no rectangle

    Raises InputError
    """
    began = time.monotonic()
    plate = BedMask(**floor) if floor else None
    room = Task([], [], [], [], [], Volume(*volume), distance, mode, plate)
    task, left_out = _task(pieces, room, whole=whole)
    packings = _packings(task, search, Path(stop), progress)
    found = [turned_back(packing, task.turns) for packing in packings]
    best = {"height": found[-1].height, "density": found[-1].density}
    limits = {"seconds": round(time.monotonic() - began, 1), "seconds_at_most": search["seconds"]}
    progress(SEARCHED, 1.0, phase="certificate", **best, **limits)
    packing, certificate = proven(task, found, stl, search)
    unplaced = [(task.chosen[i], copy, _no_place(packing)) for i, copy in packing.unplaced]
    asked = sum(len(piece["names"]) for piece in pieces)
    if whole and unplaced or not packing.placements:
        turnable = all(piece["policy"] == "free" for piece in pieces)
        raise _not_found(len(packing.placements), asked, packing, turnable=turnable)
    names = [task.names[p.piece][p.copy] for p in packing.placements]
    figures = _figures(found, packing, certificate, search)
    about = {"Title": title, **{name: str(figures[name]) for name in IN_3MF}}
    write_3mf(task.pieces, packing, three_mf, names, about)
    return {
        "placements": [_as_json(task, placement) for placement in packing.placements],
        "unplaced": left_out + unplaced,
        "pair": certificate.pair,
        "report": {**figures, "seconds": round(time.monotonic() - began, 3)},
    }


pack_files.tells_progress = True  # type: ignore[attr-defined]

IN_3MF = ("packer", "seed", "height", "density", "smallest_distance", "certificate")


def _task(
    pieces: list[PieceMessage], task: Task, *, whole: bool
) -> tuple[Task, list[tuple[int, int, str]]]:
    """What can be packed at all, and (piece, copy, reason) of what fits in no way.

    task : without any pieces
    """
    room = room_within(task.volume, 0.0, task.mode)
    left_out: list[tuple[int, int, str]] = []
    rejection = InputError(
        "nothing-to-pack", "There is nothing to pack. Ask for at least one piece."
    )
    for i, asked in enumerate(pieces):
        rotations = orientations(asked["policy"])
        names = asked["names"]
        piece = PackItem(asked["name"], read_triangles(asked["path"]), len(names), rotations)
        try:
            turned, turn = turned_to_fit(piece, room)
        except InputError as error:
            if whole:
                raise
            rejection = error
            left_out += [(i, copy, error.title) for copy in range(len(names))]
            continue
        task.pieces.append(piece)
        task.turned.append(turned)
        task.turns.append(turn)
        task.names.append(names)
        task.chosen.append(i)
    if not task.pieces:
        raise rejection
    return task, left_out


def _packings(
    task: Task, search: Search, stop: Path, progress: Callable[..., None]
) -> Iterator[Packing]:
    """Ever better packings of the turned pieces, the box packer's first; the last is the best."""
    progress(0.0, 1.0, phase="boxes", seconds=0.0, seconds_at_most=search["seconds"])
    if search["packer"] == "box_packer":
        space = (task.turned, task.volume, task.distance)
        packing = pack_boxes(*space, mode=task.mode, floor=task.floor)
        yield packing
        if packing.unplaced:
            tight = pack_tightly(*space, mode=task.mode, floor=task.floor)
            if tight is not None:
                yield tight
        return
    latest: PackingProgress = {"share": 0.0}

    def tell(facts: PackingProgress) -> None:
        latest.update(facts)
        known = {name: value for name, value in latest.items() if name != "share"}
        progress(SEARCHED * latest["share"], 1.0, **known, seconds_at_most=search["seconds"])

    def is_cancelled() -> bool:
        tell({})  # whoever wants it to stop is heard when it tells something
        return stop.exists()

    work = Budget[search["budget"].upper()]
    pack: Callable[..., Iterator[Packing]] = pack_volume
    if task.mode == "plate":
        pack = partial(pack_plate, floor=task.floor)
    for packing in pack(
        task.turned,
        task.volume,
        task.distance,
        seed=search["seed"],
        work=work,
        seconds=search["seconds"],
        progress=tell,
        cancelled=is_cancelled,
    ):
        yield packing
    if not packing.unplaced or packing.stopped in STOPPED or task.mode == "plate":
        return
    if len(task.turned) == 1:  # of one model a lattice may hold more
        placed = len(packing.placements)
        for _, packing in fill(
            task.turned[0], task.volume, task.distance, work=work, cancelled=is_cancelled
        ):
            tell({"phase": "lattice"})
            if len(packing.placements) > placed:
                yield packing


def proven(
    task: Task, found: list[Packing], path: str, search: Search
) -> tuple[Packing, Certificate]:
    """The best packing whose file was measured and found right. It lies at `path`."""
    faults = []
    for packing in reversed(found):
        header = f"packed seed={search['seed']} distance={task.distance:g} {packing.packer}"
        write_stl(task.pieces, packing, path, header)
        certificate = certify_file(
            path,
            task.pieces,
            packing,
            task.volume,
            task.distance,
            mode=task.mode,
            floor=task.floor,
        )
        if certificate.valid:
            return packing, certificate
        faults += [fault.title for fault in certificate.violations]
        logger.error("A packing of %s failed its certificate: %s", packing.packer, faults[-1])
    raise InputError(
        "certificate-failed",
        "A packing was found, but measuring its file showed a fault, so it is not handed out: "
        f"{faults[0]} Tell the operator.",
        {"faults": faults[:20]},
    )


def _no_place(packing: Packing) -> str:
    if packing.packer == "box_packer":
        return "The box packer found no place for it."
    return "No place was found for it within the budget."


def _not_found(placed: int, asked: int, packing: Packing, *, turnable: bool) -> InputError:
    stopped = {"cancelled": " before it was stopped", "time": " before its time was over"}
    ways = [] if packing.stopped == "done" else ["raise the budget"]  # which was not used up
    ways += [] if turnable else ["allow the parts to be turned (orientation)"]
    mend = ", ".join([*ways, "ask for fewer"])
    return InputError(
        "not-found",
        f"{placed:,} of {asked:,} pieces were placed{stopped.get(packing.stopped, '')}; that all "
        f"fit is not excluded. {mend[0].upper()}{mend[1:]}, or send do_build_volume_check "
        "false to keep those that were placed.",
        {"placed": placed, "asked": asked},
    )


def _figures(
    found: list[Packing], packing: Packing, certificate: Certificate, search: Search
) -> dict[str, object]:
    boxes = found[0]
    comparable = boxes.packer == "box_packer" and len(boxes.unplaced) == len(packing.unplaced)
    return {
        "packer": packing.packer,
        "height": round(packing.height, 4),
        "density": round(packing.density, 6),
        "gain": round(packing.density / boxes.density, 4) if comparable and boxes.density else None,
        "smallest_distance": certificate.smallest,
        "walls": certificate.margin,
        "removable": certificate.removable,
        "certificate": certificate.digest,
        "pitch": packing.pitch,
        "seed": search["seed"],
        "budget": search["budget"],
        "work": packing.work,
        "stopped": packing.stopped,
        "versions": {name: importlib.metadata.version(name) for name in LIBRARIES},
    }


def _as_json(task: Task, placement: Placement) -> PlacementMessage:
    low, high = bounds_of(transformed(task.pieces[placement.piece].triangles, placement.transform))
    return {
        "piece": task.chosen[placement.piece],
        "copy": placement.copy,
        "transform": placement.transform.tolist(),
        "direction": _direction(placement.out_direction),
        "box": [low.tolist(), high.tolist()],
    }


def _direction(axis: tuple[int, int, int] | None) -> str | None:
    """+x, -z and the like."""
    if axis is None:
        return None
    (i,) = (i for i in range(3) if axis[i])
    return ("+" if axis[i] > 0 else "-") + AXES[i]

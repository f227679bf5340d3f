"""How many parts go on one plate: by silhouettes, beside rectangles.

Three lists of parts, 2 mm apart on 250 x 210 mm: the longest beginning of each of which all goes
on one plate, by silhouettes with eight angles, and by the box packer's rectangles with two. Each
plate is certified. Parts are generated; with DATA=folder they are the printed parts of two
printers, in three orders, each list twice.
"""

import hashlib
import os
import time
from collections.abc import Iterator
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the platform's workers are started

import numpy as np  # noqa: E402

from benchmarks.kit import DATA, Figure, report  # noqa: E402
from benchmarks.workloads.packable import generated, of_printers  # noqa: E402
from geometry.packing.boxes.box_packer import pack_boxes  # noqa: E402
from geometry.packing.plate_packer import pack_plate  # noqa: E402
from geometry.packing.request import Packing, PackItem, Volume, orientations  # noqa: E402
from geometry.packing.verification.certificate import certify  # noqa: E402

PLATE, DISTANCE = Volume(250, 210, 250), 2.0
MAX_SIDE = 150.0  # mm: longer parts would fill a plate alone
WORK = 6_000_000_000  # units, of one plate: some 4 s
GOALS = (19, 22, 15)  # of the real parts
TURNS = orientations("upright")


class MaxSide(NamedTuple):
    """The longest beginning of a list that goes on one plate; `spent` s of the processor."""

    count: int
    packing: Packing
    spent: float


def main() -> None:
    report("plates", list(figures()))


def figures() -> Iterator[Figure]:
    pieces, _ = of_printers(DATA)["V43"] if DATA else generated()["generated"]
    short = [piece for piece in pieces if np.ptp(corners(piece), axis=0)[:2].max() < MAX_SIDE]
    for number, wanted in enumerate(GOALS, start=1):
        order = sorted(short, key=lambda p: hashlib.sha1(f"{number}|{p.name}".encode()).hexdigest())
        ours, boxes = fullest(order * 2, nested=True), fullest(order * 2, nested=False)
        name = f"list {number}"
        goal = f">= {wanted}" if DATA else "ratio >= 1"
        yield Figure(f"{name}: parts on the plate", "", ours.count, boxes.count, goal)
        yield Figure(f"{name}: CPU of that plate", "s", ours.spent, goal="<= 5")
        listed = counted(order * 2, ours.count)
        proof = certify(listed, ours.packing, PLATE, DISTANCE, mode="plate")
        yield Figure(f"{name}: smallest distance", "mm", proof.smallest or 0.0, goal=">= 2")
        yield Figure(f"{name}: violations", "", len(proof.violations), goal="<= 0")


def fullest(order: list[PackItem], *, nested: bool) -> MaxSide:
    """Goes up from the first part, since what rectangles place silhouettes place too."""
    best, count, failures = None, 1, 0
    while failures < 2 and count <= len(order):
        pieces = counted(order, count)
        begun = time.process_time()
        if nested:
            *_, packing = pack_plate(pieces, PLATE, DISTANCE, work=WORK)
        else:
            packing = pack_boxes(pieces, PLATE, DISTANCE, mode="plate")
        spent = time.process_time() - begun
        if packing.unplaced:
            failures += 1
        else:
            best, failures = MaxSide(count, packing, spent), 0
        count += 1
    if best is None:
        raise ValueError("Not even one part goes on the plate.")
    return best


def counted(order: list[PackItem], count: int) -> list[PackItem]:
    """The first parts of a list: each once, with how often it is among them."""
    names = [piece.name for piece in order[:count]]
    first = {piece.name: piece for piece in order[:count]}
    return [
        piece._replace(quantity=names.count(name), rotations=TURNS) for name, piece in first.items()
    ]


def corners(piece: PackItem) -> np.ndarray:
    """(n, 3), mm."""
    return piece.triangles.reshape(-1, 3)


if __name__ == "__main__":
    main()

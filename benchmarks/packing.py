"""Nested packings beside those of bounding boxes: how much denser, and what they cost.

Parts are generated: angles, clamps, cups, rings, frames; they stand 2 mm apart. Densities are
volumes of the parts over plate and height, ours divided by the box packer's, which every search
begins with.

Each packing is certified, which includes that all pieces come out one by one. The
search for a free place is compared with one by Fourier transforms on the same cells. DATA=folder
takes the printed parts of two printers from it, V43 and V43x4 (43 parts once and four times);
FULL=1 also K1000 (200 each of five) and C (one of each real model of its MANIFEST.csv). SEEDS=n
draws n other sets instead, of all STL files in DATA.
"""

import os
import resource
import time
from collections.abc import Iterator
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the platform's workers are started

import numpy as np  # noqa: E402

from benchmarks.kit import DATA, FULL, Figure, in_turn, report  # noqa: E402
from benchmarks.peers import fft_packing  # noqa: E402
from benchmarks.workloads.packable import Instance, drawn, generated, of_all, of_printers  # noqa: E402
from geometry.packing.budget import SearchBudget  # noqa: E402
from geometry.packing.request import Packing  # noqa: E402
from geometry.packing.verification.certificate import certify  # noqa: E402
from geometry.packing.volume_packer import pack_volume  # noqa: E402
from geometry.packing.voxels.grid import Grid  # noqa: E402
from geometry.packing.voxels.voxelization import Solid, pitch_for, voxelise  # noqa: E402

DISTANCE = 2.0  # mm
SEEDS = int(os.environ.get("SEEDS", "0"))


class Course(NamedTuple):
    """What is expected of an instance.

    work  : units, of one search
    goals : a ratio of densities, and the processor time in which it is to be reached, s
    """

    work: int
    goals: list[tuple[float, float]]


COURSES = {
    "generated": Course(8_000_000_000, [(1.2, 10)]),
    "generated x4": Course(15_000_000_000, [(1.2, 20)]),
    "V43": Course(8_000_000_000, [(1.33, 5)]),
    "V43x4": Course(45_000_000_000 if FULL else 15_000_000_000, [(1.30, 10), (1.35, 60)]),
    "C": Course(45_000_000_000, [(1.15, 25), (1.18, 60)]),
    "K1000": Course(45_000_000_000, [(1.02, 15)]),
}


DRAWN = Course(10_000_000_000, [])


def main() -> None:
    if DATA and SEEDS:
        sets = {f"set {seed}": drawn(DATA, seed) for seed in range(SEEDS)}
        report("packing", [row for name, each in sets.items() for row in searched(name, each)])
        return
    instances = of_printers(DATA) if DATA else generated()
    if DATA and FULL:
        instances["C"] = of_all(DATA)
    else:
        instances.pop("K1000", None)
    figures = []
    for name, instance in instances.items():
        figures += searched(name, instance)
    first = next(iter(instances))
    report(
        "packing",
        [*figures, repeated(*instances[first]), *beside_transforms(first, *instances[first])],
    )


def searched(name: str, instance: Instance) -> Iterator[Figure]:
    """One search: what it reached and when, proven."""
    pieces, volume = instance
    course = COURSES.get(name, DRAWN)
    begun, reached = time.process_time(), []
    for packing in pack_volume(pieces, volume, DISTANCE, work=course.work):
        reached.append((packing, time.process_time() - begun))
    boxes, best = reached[0][0], reached[-1][0]
    for ratio, limit in course.goals:
        spent = [at for packing, at in reached if packing.density >= ratio * boxes.density]
        if spent or reached[-1][1] >= limit:
            took = spent[0] if spent else float("inf")
            yield Figure(f"{name}: {ratio:g} x boxes after CPU", "s", took, goal=f"<= {limit:g}")
    yield Figure(f"{name}: density", "", best.density, boxes.density, "ratio >= 1")
    yield Figure(f"{name}: height", "mm", best.height, boxes.height)
    certificate = certify(pieces, best, volume, DISTANCE)
    yield Figure(f"{name}: smallest distance", "mm", certificate.smallest, goal=f">= {DISTANCE:g}")
    yield Figure(f"{name}: violations", "", len(certificate.violations), goal="<= 0")
    yield Figure(f"{name}: left out", "", len(best.unplaced), goal="<= 0")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield Figure(f"{name}: peak of memory so far", "MB", peak, goal="<= 400")


def repeated(pieces, volume) -> Figure:
    """How many of three searches differ from the first."""

    def search() -> bytes:
        *_, packing = pack_volume(pieces, volume, DISTANCE, work=1_500_000_000, seed=7)
        return as_bytes(packing)

    first = search()
    return Figure(
        "searches of 3 that end otherwise",
        "",
        sum(search() != first for _ in range(3)),
        goal="<= 0",
    )


def as_bytes(packing: Packing) -> bytes:
    return b"".join(placement.transform.tobytes() for placement in packing.placements)


def beside_transforms(name: str, pieces, volume) -> Iterator[Figure]:
    """Preparing cells; then placing all pieces once, at 2 mm, by bits and by Fourier transforms."""
    for target, goal in ((2.0, ""), (1.0, "<= 4" if name == "V43" else "")):
        begun = time.process_time()
        # A pitch of its own, as what a search has voxelised is kept.
        prepare(pieces, 1.00001 * pitch_for(DISTANCE, target), fill=True)
        spent = time.process_time() - begun
        yield Figure(f"{name}: voxels of {target:g} mm: CPU", "s", spent, goal=goal)
    pitch = pitch_for(DISTANCE, 2.0)
    solids = prepare(pieces, pitch, fill=True)
    layers = int(1.3 * sum(np.prod(s.extents) for s in solids) / (volume.x * volume.y * pitch)) + 20
    order = sorted(range(len(solids)), key=lambda i: (-solids[i].cells, i))
    heights = {}

    def by_bits() -> None:
        grid = Grid(volume, pitch, solids, layers, SearchBudget(1 << 60))
        heights["bits"] = 0
        for model in order:
            place = grid.find(model, layers, contact=0.0)
            if place is not None:
                grid.put(place)
                heights["bits"] = max(heights["bits"], grid.top(place))

    def by_transforms() -> None:
        heights["transforms"] = fft_packing.pack(solids, volume, pitch, order, layers)

    costs = in_turn({"bits": by_bits, "transforms": by_transforms}, rounds=1, warm=0)
    ours, peer = costs["bits"].cpu, costs["transforms"].cpu
    yield Figure(f"{name}: each placed once: CPU", "s", ours, peer, "ratio <= 0.01")
    yield Figure(
        f"{name}: each placed once: height", "cells", heights["bits"], heights["transforms"]
    )


def prepare(pieces, pitch: float, *, fill: bool) -> list[Solid]:
    return [voxelise(p.triangles, p.rotations, pitch, DISTANCE, fill=fill) for p in pieces]


if __name__ == "__main__":
    main()

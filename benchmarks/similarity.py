"""Search by shape: how surely the twin of a part is found, and what the proof of it costs.

The parts are generated: families of bodies with bosses and holes, four sizes of each. Their twins
are turned, scaled, moved, their triangles shuffled; some are re-meshed, noisy, soup (5 % of the
triangles lost, 20 % flipped) or mirrored as well. Near twins are not the part: stretched by 1 %, a
hole of 1 % of the diagonal drilled, a pimple of 0.5 % added. The peers are the shape distribution
D2 and trimesh's identifier. DATA=folder takes the STL files of a folder instead, of at most 60,000
triangles each. FULL=1 takes more parts, and four near twins of a kind of each.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import trimesh  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from trimesh.comparison import identifier_simple  # noqa: E402

from benchmarks.kit import DATA, FULL, Figure, report, torus  # noqa: E402
from benchmarks.peers import shape_distribution  # noqa: E402
from benchmarks.workloads.bodies import Triangles, generated, read  # noqa: E402
from benchmarks.workloads.twins import placed, twin  # noqa: E402
from geometry.formats.stl import read_triangles, write_binary  # noqa: E402
from geometry.mesh.aabb_tree import AabbTree  # noqa: E402
from geometry.similarity import Comparison, compare, describe  # noqa: E402

Vectors = dict[str, NDArray[np.float64]]

FAMILIES, SIZES = (40 if FULL else 12), 4
COMPARED = 60 if FULL else 16  # parts whose twins are compared
DRAWN = 4 if FULL else 1  # near twins of a kind, of each part
SOUGHT = 60 if FULL else 24  # parts whose twins are looked for
SAME = 0.05  # L1; parts of a gallery that are nearer are one part for the search
COPIES = ["copy", "subdivided"]
NEAR = ["stretched", "hole", "pimple"]


def main() -> None:
    if sys.argv[1:]:
        describe(sys.argv[1])
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    rng = np.random.default_rng(0)
    parts = read(DATA) if DATA else generated(FAMILIES, SIZES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.stl"
        figures = [*retrieval(parts, path, rng), *comparisons(parts, path, rng), *large(path)]
    report("similarity", [*figures, exactness(rng)])


def retrieval(
    parts: dict[tuple[int, int], Triangles], path: Path, rng: np.random.Generator
) -> list[Figure]:
    """How surely twins and their families are found, and at what cost."""
    tools = {"ours": ours, "D2": d2, "trimesh": trimeshs}
    spent: dict[str, list[float]] = defaultdict(list)

    def vectors(part: Triangles) -> Vectors:
        write_binary(part, path)
        found = {}
        for name, tool in tools.items():
            begun = time.process_time()
            found[name] = tool(path)
            spent[name].append((time.process_time() - begun) * 1e3)
        return found

    described = [vectors(part) for part in parts.values()]
    gallery = {name: np.array([entry[name] for entry in described]) for name in tools}
    apart = distances(gallery["ours"], gallery["ours"])
    ranks: dict[tuple[str, str], list[int]] = defaultdict(list)
    noise = []
    for number, part in list(enumerate(parts.values()))[:: -(-len(parts) // SOUGHT)]:
        for kind in ("copy", "re-meshed", "soup"):
            changed = twin(part, kind, rng)
            if changed is None:
                continue
            found = vectors(placed(changed, rng)[0])
            for name in tools:
                far = np.abs(gallery[name] - found[name]).sum(axis=1)
                nearer = (far < far[number]) & (apart[number] > SAME)
                ranks[kind, name].append(int(nearer.sum()))
            if kind == "copy":
                noise.append(np.abs(gallery["ours"][number] - found["ours"]).sum())

    def share(kind: str, name: str, places: int) -> float:
        return float((np.array(ranks[kind, name]) < places).mean())

    figures = [
        Figure("copies found first", "", share("copy", "ours", 1), share("copy", "D2", 1), ">= 1"),
        Figure(
            "re-meshed found first",
            "",
            share("re-meshed", "ours", 1),
            share("re-meshed", "D2", 1),
            ">= 0.99",
        ),
        Figure(
            "soup among the first ten",
            "",
            share("soup", "ours", 10),
            share("soup", "trimesh", 10),
            ">= 0.98",
        ),
        Figure("L1 of two parts", "", float(apart[np.triu_indices(len(apart), 1)].mean())),
        Figure("L1 of a copy, p95", "", float(np.percentile(noise, 95)), goal="<= 0.02"),
        Figure("describe: CPU, p50", "ms", *middles(spent, 50), "<= 100"),
        Figure("describe: CPU, p95", "ms", *middles(spent, 95), "<= 400"),
    ]
    if not DATA:
        families = np.array([family for family, _ in parts])
        for name, value in (("first tier", first_tier), ("mean average precision", precision)):
            values = [value(distances(gallery[t], gallery[t]), families) for t in ("ours", "D2")]
            figures.append(Figure(f"sizes of one part, {name}", "", *values, "ratio >= 1"))
    return figures


def ours(path: Path) -> NDArray[np.float64]:
    return np.array(describe(path).vector)


def d2(path: Path) -> NDArray[np.float64]:
    return shape_distribution.describe(read_triangles(path))


def trimeshs(path: Path) -> NDArray[np.float64]:
    return np.asarray(identifier_simple(trimesh.load_mesh(path)))


def middles(spent: dict[str, list[float]], percentile: float) -> tuple[float, float]:
    return tuple(float(np.percentile(spent[name], percentile)) for name in ("ours", "trimesh"))


def distances(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.abs(a[:, None] - b).sum(axis=2)


def first_tier(far: NDArray[np.float64], families: NDArray[np.int64]) -> float:
    """Of as many as its family has others, how many of the nearest are of the family."""
    order = np.argsort(far + np.diag(np.full(len(far), np.inf)), axis=1)[:, : SIZES - 1]
    return float((families[order] == families[:, None]).mean())


def precision(far: NDArray[np.float64], families: NDArray[np.int64]) -> float:
    order = np.argsort(far + np.diag(np.full(len(far), np.inf)), axis=1)[:, :-1]
    right = families[order] == families[:, None]
    running = right.cumsum(axis=1) / np.arange(1, right.shape[1] + 1)
    return float(((running * right).sum(axis=1) / right.sum(axis=1)).mean())


def comparisons(
    parts: dict[tuple[int, int], Triangles], path: Path, rng: np.random.Generator
) -> list[Figure]:
    """What comparing a part with its twins says, and takes."""
    other = path.with_name("twin.stl")
    found: dict[str, list[Comparison]] = defaultdict(list)
    scales, spent = [], []
    chosen = np.linspace(0, len(parts) - 1, min(COMPARED, len(parts))).astype(int)
    for part in (list(parts.values())[index] for index in chosen):
        write_binary(part, path)
        for kind in [*COPIES, "re-meshed", "noisy", "mirrored", *NEAR * DRAWN]:
            changed = twin(part, kind, rng)
            if changed is None:
                continue
            changed, scale = placed(changed, rng)
            write_binary(changed, other)
            begun = time.process_time()
            comparison = compare(path, other)
            spent.append(time.process_time() - begun)
            found[kind].append(comparison)
            if kind == "copy":
                scales.append(abs(comparison.scale_factor / scale - 1))

    copies = [comparison for kind in COPIES for comparison in found[kind]]
    aligned = [*copies, *found["re-meshed"], *found["noisy"]]
    near = [comparison for kind in NEAR for comparison in found[kind]]
    p50, p95 = (float(np.percentile(spent, percentile)) for percentile in (50, 95))
    wrong_hand = sum(comparison.mirrored for comparison in copies)
    unmatched = sum(comparison.largest_share > 5e-4 for comparison in found["mirrored"])
    return [
        Figure("copies and near twins compared", "", len(copies) + len(near)),
        Figure("near twins among them", "", len(near), goal=">= 500" if FULL else ""),
        Figure(
            "near twins called identical",
            "",
            sum(comparison.verdict == "identical" for comparison in near),
            goal="<= 0",
        ),
        Figure(
            "copies called identical",
            "",
            float(np.mean([comparison.verdict == "identical" for comparison in copies])),
            goal=">= 1",
        ),
        Figure(
            "aligned within 0.1 %",
            "",
            float(np.mean([comparison.mean_share <= 1e-3 for comparison in aligned])),
            goal=">= 0.995",
        ),
        Figure("copies called mirrored", "", wrong_hand, goal="<= 0"),
        Figure("mirror images not aligned", "", unmatched, goal="<= 0"),
        Figure("error of a copy's scale, p50", "", float(np.median(scales)), goal="<= 1e-6"),
        Figure("compare: CPU, p50", "s", p50, goal="<= 0.2"),
        Figure("compare: CPU, p95", "s", p95, goal="<= 1"),
        Figure("compare: CPU, worst", "s", max(spent), goal="<= 3"),
    ]


def large(path: Path) -> list[Figure]:
    """Describing a million triangles, in a process of its own for the memory."""
    write_binary(torus(1_000_000), path)
    begun = time.process_time()
    describe(path)
    spent = time.process_time() - begun
    command = [sys.executable, "-m", "benchmarks.similarity", str(path)]
    peak = float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return [
        Figure("describe a million triangles: CPU", "s", spent, goal="<= 5"),
        Figure("describe a million triangles: memory", "MB", peak, goal="<= 1024"),
    ]


def exactness(rng: np.random.Generator) -> Figure:
    """The tree's distances beside those to each triangle, by trimesh."""
    triangles = torus(2000).astype(np.float64)
    points = rng.normal(size=(60, 3)) * 30
    nearest = AabbTree(triangles).nearest(points).distances
    errors = []
    for point, distance in zip(points, nearest, strict=True):
        everywhere = np.broadcast_to(point, (len(triangles), 3))
        closest = trimesh.triangles.closest_point(triangles, everywhere)
        errors.append(abs(np.linalg.norm(closest - point, axis=1).min() - distance))
    share = max(errors) / float(np.linalg.norm(np.ptp(triangles.reshape(-1, 3), axis=0)))
    return Figure("error of a distance, of the diagonal", "", share, goal="<= 5e-5")


if __name__ == "__main__":
    main()

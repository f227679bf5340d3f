"""Transformations of STL files: an affine chain beside trimesh's, and auto-rotate.

The chain, a rotation, a scale and a translation, is read, applied and written by both, in one
process for the time, in a process of its own for the memory beyond its imports. auto-rotate gets
parts in random attitudes: generated ones, or with DATA=folder the STL files of a folder. With
TWEAKER=folder, a checkout of Tweaker-3, its extended mode is the peer, in processor time and by its
own measure of unprintability.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the platform's workers are started
os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL AVX512_SPR")

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from benchmarks.kit import DATA, FULL, Figure, in_turn, report, torus  # noqa: E402
from geometry.analysis import analyse  # noqa: E402
from geometry.formats.stl import read_triangles, write_binary  # noqa: E402
from geometry.mesh import InvalidMesh  # noqa: E402
from geometry.sample_part import bracket  # noqa: E402
from geometry.transformations import AutoRotate, Rotate, Scale, Translate, shape  # noqa: E402

# Triangles, rounds, and the most of trimesh's processor time that is allowed.
CASES = [(84_000, 7, 0.15), (1_100_000, 3, 0.10)]
LARGE_CASES = [(4_500_000, 1, 0.10)]
MEMORY_GOAL = 32  # MiB beyond the imports, whatever the size
CHAIN = [Rotate(10, 20, 30), Scale(110, 110, 110), Translate(5, -3, 1)]

TWEAKER = os.environ.get("TWEAKER")
PLATE = 1e7  # mm: nothing is kept from turning by a plate that Tweaker does not know of
LARGEST_PART = 200_000  # triangles
SEED = 5


def main() -> None:
    if sys.argv[1:]:
        print(extra_memory(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report("transformations", [*affine_figures(folder), *auto_rotate_figures(folder)])


def affine_figures(folder: Path) -> Iterator[Figure]:
    source, out = folder / "source.stl", folder / "out.stl"
    for triangles, rounds, limit in CASES + (LARGE_CASES if FULL else []):
        write_binary(torus(triangles), source)
        jobs = {
            "ours": lambda: shape(source, CHAIN, out),
            "trimesh": lambda: with_trimesh(source, folder / "peer.stl"),
        }
        costs = in_turn(jobs, rounds=rounds, warm=int(rounds > 1))
        check_alike(out, folder / "peer.stl")
        ours, peer = costs["ours"].cpu * 1e3, costs["trimesh"].cpu * 1e3
        name = f"{triangles:,} triangles, affine chain"
        yield Figure(f"{name}: CPU", "ms", ours, peer, f"ratio <= {limit:g}")
        command = [sys.executable, "-m", "benchmarks.transformations", str(source)]
        memory = float(subprocess.run(command, check=True, capture_output=True).stdout)
        yield Figure(f"{name}: memory", "MiB", memory, goal=f"<= {MEMORY_GOAL}")


def with_trimesh(source: Path, out: Path) -> None:
    import trimesh  # half a second that only this peer needs

    mesh = trimesh.load_mesh(source)
    matrix = trimesh.transformations.euler_matrix(*np.radians([10, 20, 30]), axes="sxyz")
    matrix[:3] *= 1.1
    matrix[:3, 3] = [5, -3, 1]
    mesh.apply_transform(matrix)
    mesh.export(out)


def check_alike(out: Path, peer: Path) -> None:
    """Both must have made the same part, up to the order of its facets."""
    ours, theirs = analyse(out), analyse(peer)
    if not np.allclose(ours.bounds, theirs.bounds, atol=1e-4) or not ours.manifold:
        raise SystemExit("The chain and trimesh do not agree.")


def extra_memory(source: str) -> float:
    """MiB that the chain takes at most beyond its imports, in a process that does nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        small, out = Path(folder) / "small.stl", Path(folder) / "out.stl"
        write_binary(torus(1000), small)
        shape(small, CHAIN, out)
        before = peak_memory()
        shape(source, CHAIN, out)
    return (peak_memory() - before) / 1024


def peak_memory() -> int:
    """KiB that this process has held at most."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def auto_rotate_figures(folder: Path) -> Iterator[Figure]:
    source, out = folder / "part.stl", folder / "turned.stl"
    times, supports, ratios, quotients = [], [], [], []
    for triangles in turned_parts(folder):
        write_binary(triangles, source)
        begun = time.process_time()
        [told] = shape(source, [AutoRotate((PLATE, PLATE, PLATE))], out)
        times.append(time.process_time() - begun)
        if told["support_before"]:
            supports.append(told["support_after"] / told["support_before"])
        if TWEAKER:
            unprintability, seconds = tweak(triangles)
            quotients.append(times[-1] / seconds)
            ratios.append(judged_by_tweaker(read_triangles(out)) / unprintability)
    parts = f"auto-rotate, {len(times)} parts"
    yield Figure(f"{parts}: CPU, median", "ms", median(times) * 1e3)
    yield Figure(f"{parts}: support left, median", "", median(supports))
    if TWEAKER:
        shares = [np.mean(np.array(ratios) <= limit) for limit in (1.05, 2.0)]
        yield Figure(f"{parts}: CPU / Tweaker's, median", "", median(quotients), goal="<= 0.6")
        yield Figure(f"{parts}: within 1.05 of Tweaker's", "", float(shares[0]), goal=">= 0.8")
        yield Figure(f"{parts}: within 2 of Tweaker's", "", float(shares[1]), goal=">= 0.93")


def turned_parts(folder: Path) -> Iterator[NDArray[np.float32]]:
    """(m, 3, 3): parts in random attitudes, always the same."""
    random = np.random.default_rng(SEED)
    for triangles in real_parts(DATA, folder) if DATA else generated_parts():
        matrix, _ = np.linalg.qr(random.normal(size=(3, 3)))
        matrix *= np.sign(np.linalg.det(matrix))
        yield (triangles @ matrix.T).astype(np.float32)


def generated_parts() -> Iterator[NDArray[np.float32]]:
    """The sample part and a ring, stretched in ways that make other faces the best."""
    stretches = np.random.default_rng(SEED).uniform(0.4, 2.5, (10, 3))
    for stretch in stretches:
        yield (bracket() * stretch).astype(np.float32)
        yield (torus(10_000) * stretch).astype(np.float32)


def real_parts(folder: Path, scratch: Path) -> Iterator[NDArray[np.float32]]:
    """Those of a folder's STL files that can be read and are not too large."""
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() == ".stl"):
        try:
            if 4 <= analyse(path, scratch / "canonical.stl").triangles <= LARGEST_PART:
                yield read_triangles(scratch / "canonical.stl")
        except InvalidMesh:
            continue


def tweak(triangles: NDArray[np.float32]) -> tuple[float, float]:
    """Tweaker's best unprintability, and its processor time in s."""
    np.random.seed(SEED)  # the generator that Tweaker draws from
    begun = time.process_time()
    found = tweaker().Tweak(triangles.reshape(-1, 3), extended_mode=True, verbose=False)
    return found.unprintability, time.process_time() - begun


def judged_by_tweaker(triangles: NDArray[np.float32]) -> float:
    """The unprintability of a part as it stands, by Tweaker's own functions."""
    module = tweaker()
    judge = module.Tweak.__new__(module.Tweak)
    judge.__dict__ |= {**module.PARAMETER, "extended_mode": True}
    judge.mesh = judge.preprocess(triangles.reshape(-1, 3))
    up = np.array([0.0, 0.0, 1.0])
    judge.project_vertices(up)
    return judge.target_function(*judge.calc_overhang(up, min_volume=False), min_volume=False)


def tweaker() -> Any:
    """The module of the checkout that TWEAKER names."""
    if TWEAKER not in sys.path:
        sys.path.insert(0, str(TWEAKER))
    import MeshTweaker  # no package index has it

    return MeshTweaker


if __name__ == "__main__":
    main()

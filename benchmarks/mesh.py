"""Analysis of STL files beside trimesh, which answers the same: processor time and memory.

Both judge the same generated files in turn: in one process for the time, in processes of their own
for the memory beyond their imports, and for one file from the shell. stl_reader, in C, only reads:
it joins equal corners and judges nothing. FULL=1 adds 1.1 million triangles as text and
4.5 million; DATA=folder says what is found in each STL file of a folder, how fast, and
whether its MANIFEST.csv (columns file, manifold_truth), if there is one, says the same.
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# As the platform's workers are started: a BLAS that starts threads for small vectors is slower,
# and so are numpy's AVX-512 sorts on the processors (Zen 4) that compress vectors in microcode.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL AVX512_SPR")

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from benchmarks.kit import DATA, FULL, PEERS, Figure, fetch_peer, in_turn, report, torus  # noqa: E402
from geometry.formats.stl.writer import write_binary  # noqa: E402

# Triangles, whether as text, rounds, and the most of trimesh's processor time that is allowed.
CASES = [
    (10_000, False, 15, 0.25),
    (84_000, False, 7, 0.12),
    (84_000, True, 3, 0.40),
    (1_100_000, False, 3, 0.06),
]
LARGE_CASES = [(1_100_000, True, 1, 0.30), (4_500_000, False, 1, 0.06)]
MEMORY_CASE, MEMORY_GOAL = (1_100_000, False), 0.10
SHELL_CASE, SHELL_ROUNDS, SHELL_GOAL = (84_000, False), 5, 0.35
FACET = (
    "  facet normal 0.000000e+00 0.000000e+00 1.000000e+00\n    outer loop\n"
    + "      vertex %.8e %.8e %.8e\n" * 3
    + "    endloop\n  endfacet\n"
)


def main() -> None:
    if sys.argv[1:]:
        print(extra_memory(*sys.argv[1:]))
        return
    if DATA:
        judge_folder(DATA)
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "torus.stl"
        for triangles, text, rounds, limit in CASES + (LARGE_CASES if FULL else []):
            (write_text if text else write_binary)(torus(triangles), path)
            name = f"{triangles:,} triangles, {'text' if text else 'binary'}"
            costs = in_turn(judges(path), rounds=rounds, warm=int(rounds > 1))
            ours, peer = costs["analysis"].cpu * 1e3, costs["trimesh"].cpu * 1e3
            figures.append(Figure(f"{name}: CPU", "ms", ours, peer, f"ratio <= {limit:g}"))
            if (triangles, text) == SHELL_CASE:
                costs = in_turn(from_the_shell(path), rounds=SHELL_ROUNDS)
                ours, peer = costs["analysis"].wall, costs["trimesh"].wall
                goal = f"ratio <= {SHELL_GOAL:g}"
                figures.append(Figure(f"{name}: from the shell, wall", "s", ours, peer, goal))
            if (triangles, text) == MEMORY_CASE:
                if fetch_peer("stl-reader"):
                    sys.path.append(str(PEERS))
                    jobs = {**judges(path), "reading": lambda: read_alone(path)}
                    costs = in_turn(jobs, rounds=rounds)
                    ours, peer = costs["analysis"].cpu * 1e3, costs["reading"].cpu * 1e3
                    read = f"{name}: CPU, beside stl_reader's reading alone"
                    figures.append(Figure(read, "ms", ours, peer, "ratio <= 1"))
                ours, peer = (measured_memory(tool, path) for tool in TOOLS)
                goal = f"ratio <= {MEMORY_GOAL:g}"
                figures.append(Figure(f"{name}: memory", "MiB", ours, peer, goal))
    report("mesh", figures)


def with_analysis(path: str) -> bool:
    from geometry.analysis import analyse  # in the process whose memory is measured, if it is

    return analyse(path).manifold


def with_trimesh(path: str) -> bool:
    import trimesh

    mesh = trimesh.load_mesh(path)
    figures = (mesh.volume, mesh.area, mesh.bounds)
    return bool(mesh.is_watertight and mesh.is_winding_consistent and figures)


TOOLS: dict[str, Callable[[str], bool]] = {"analysis": with_analysis, "trimesh": with_trimesh}


def judges(path: Path) -> dict[str, Callable[[], None]]:
    """The tools' jobs, each of which must find the file manifold."""

    def job(tool: str) -> None:
        if not TOOLS[tool](str(path)):
            raise SystemExit(f"{tool} does not take a closed part for manifold.")

    return {tool: lambda tool=tool: job(tool) for tool in TOOLS}


def read_alone(path: Path) -> None:
    """What stl_reader does: vertices and faces, and no verdict."""
    import stl_reader  # fetched for the benchmark

    stl_reader.read(str(path))


def from_the_shell(path: Path) -> dict[str, Callable[[], Any]]:
    """One file in a process of its own, from its start to its end."""
    programs = {
        "analysis": "from geometry.analysis import analyse; analyse(path)",
        "trimesh": "import trimesh; mesh = trimesh.load_mesh(path); mesh.is_watertight; "
        "mesh.is_winding_consistent; mesh.volume; mesh.area; mesh.bounds",
    }
    commands = {
        tool: [sys.executable, "-c", f"path = {str(path)!r}; {program}"]
        for tool, program in programs.items()
    }
    return {
        tool: lambda command=command: subprocess.run(command, check=True)
        for tool, command in commands.items()
    }


def measured_memory(tool: str, path: Path) -> float:
    """MiB that a process of its own takes at most beyond its imports."""
    command = [sys.executable, "-m", "benchmarks.mesh", tool, str(path)]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)


def extra_memory(tool: str, path: str) -> float:
    """MiB, in a process that does nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.stl"
        write_binary(torus(1000), small)
        TOOLS[tool](str(small))  # imports
    before = peak_memory()
    TOOLS[tool](path)
    return (peak_memory() - before) / 1024


def peak_memory() -> int:
    """KiB that this process has held at most."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def write_text(triangles: NDArray[np.float32], path: Path) -> None:
    """The triangles as an ASCII STL file."""
    with path.open("w") as file:
        file.write("solid torus\n")
        for rows in np.array_split(triangles.reshape(-1, 9), len(triangles) // 4096 + 1):
            file.write(FACET * len(rows) % tuple(rows.ravel().tolist()))
        file.write("endsolid torus\n")


def judge_folder(folder: Path) -> None:
    """Say what is found in each STL file, and where it is not what MANIFEST.csv says."""
    from geometry.analysis import analyse
    from geometry.mesh import InvalidMesh

    expected = expected_verdicts(folder / "MANIFEST.csv")
    agreed = judged = 0
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() == ".stl"):
        begun = time.perf_counter()
        try:
            verdict = found = "manifold" if analyse(path).manifold else "not manifold"
        except InvalidMesh as rejection:
            verdict, found = rejection.code, f"{rejection.code}: {rejection}"
        took = (time.perf_counter() - begun) * 1e3
        want = expected.get(path.relative_to(folder).as_posix())
        judged += want is not None
        agreed += want == verdict
        against = "" if want in (None, verdict) else f"  EXPECTED {want}"
        print(f"{took:8.1f} ms  {path.name}: {found}{against}")
    if expected:
        print(f"{agreed} of the {judged} verdicts in MANIFEST.csv are ours too.")


def expected_verdicts(manifest: Path) -> dict[str, str]:
    """By file: from a column such as "yes", "no (open edges)", "not a mesh: NotStl: a PNG"."""
    if not manifest.exists():
        return {}
    words = {"yes": "manifold", "no": "not manifold"}
    verdicts = {}
    with manifest.open(newline="") as file:
        for row in csv.DictReader(file):
            truth = row["manifold_truth"]
            if truth.startswith("not a mesh: "):
                name = truth.split(": ")[1]
                verdicts[row["file"]] = re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
            elif truth:
                verdicts[row["file"]] = words[truth.split()[0]]
    return verdicts


if __name__ == "__main__":
    main()

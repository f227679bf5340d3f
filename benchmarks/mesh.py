"""Analysis of STL files beside trimesh: time and memory as ratios, against the goals.

python benchmarks/mesh.py [--data FOLDER] [--full]

Every tool judges the same generated files in turn, in one process for time and in a process of its
own for memory. The last line of the output is one JSON object. --full adds 4.5 million triangles
and 1.1 million as text; --data judges the STL files of a folder and says what was found.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

# As the platform's workers are started: a BLAS that starts threads for small vectors is slower,
# and so are numpy's AVX-512 sorts on the processors (Zen 4) that compress vectors in microcode.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL AVX512_SPR")
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

import numpy as np  # noqa: E402

GOALS = {  # the largest ratio to trimesh that is allowed
    "G1 1.1M binary": 0.06,
    "G2 84k binary": 0.12,
    "G3 10k binary": 0.25,
    "G4 4.5M binary": 0.06,
    "G6 1.1M ascii": 0.30,
    "G7 84k ascii": 0.40,
    "G9 memory 1.1M binary": 0.10,
}
ROUNDS = {"10k": 15, "84k": 7, "1.1M": 3, "4.5M": 1}
RINGS = {"10k": (72, 70), "84k": (210, 200), "1.1M": (760, 735), "4.5M": (1520, 1470)}


def main() -> None:
    arguments = parse_arguments()
    if arguments.measure:
        print(json.dumps(extra_memory(*arguments.measure)))
        return
    if arguments.data:
        judge_folder(arguments.data)
    sizes = [("10k", False), ("84k", False), ("1.1M", False), ("84k", True)]
    if arguments.full:
        sizes += [("1.1M", True), ("4.5M", False)]

    ratios = {}
    with tempfile.TemporaryDirectory() as folder:
        for size, text in sizes:
            path = write_torus(Path(folder), size, text=text)
            name = f"{size} {'ascii' if text else 'binary'}"
            ratios[name] = compare(name, path, ROUNDS[size] if not text else 3)
            if name == "1.1M binary":
                ratios[f"memory {name}"] = compare_memory(path)
            path.unlink()
    results = {
        goal: {"ratio": round(ratio, 4), "goal": limit, "met": ratio <= limit}
        for goal, limit in GOALS.items()
        for name, ratio in ratios.items()
        if goal.split(" ", 1)[1] == name
    }
    print(json.dumps({"benchmark": "mesh", "numpy": np.__version__, "goals": results}))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="a folder of STL files to judge as well")
    parser.add_argument("--full", action="store_true", help="the largest files too (minutes)")
    parser.add_argument("--measure", nargs=2, metavar=("TOOL", "PATH"), help=argparse.SUPPRESS)
    return parser.parse_args()


def with_analysis(path: str) -> bool:
    from geometry.analysis import analyse

    return analyse(path).manifold


def with_trimesh(path: str) -> bool:
    import trimesh

    mesh = trimesh.load_mesh(path)
    figures = (mesh.volume, mesh.area, mesh.bounds)
    return bool(mesh.is_watertight and mesh.is_winding_consistent and figures)


TOOLS: dict[str, Callable[[str], bool]] = {"analysis": with_analysis, "trimesh": with_trimesh}


def compare(name: str, path: Path, rounds: int) -> float:
    """Ratio of the CPU times, medians of interleaved rounds; prints those of the wall too."""
    wall: dict[str, list[float]] = {tool: [] for tool in TOOLS}
    cpu: dict[str, list[float]] = {tool: [] for tool in TOOLS}
    for _ in range(rounds):
        for tool, judge in TOOLS.items():
            started, used = time.perf_counter(), time.process_time()
            if not judge(str(path)):
                raise SystemExit(f"{tool} does not take the closed {name} for manifold")
            wall[tool].append(time.perf_counter() - started)
            cpu[tool].append(time.process_time() - used)
    for tool in TOOLS:
        print(
            f"{name:13} {tool:9} wall {median(wall[tool]) * 1e3:9.1f} ms"
            f"   cpu {median(cpu[tool]) * 1e3:9.1f} ms"
        )
    ratio = median(cpu["analysis"]) / median(cpu["trimesh"])
    walls = median(wall["analysis"]) / median(wall["trimesh"])
    print(f"{name:13} ratio     wall {walls:9.3f}      cpu {ratio:9.3f}")
    return ratio


def compare_memory(path: Path) -> float:
    """Ratio of what the processes held at most beyond their imports."""
    extra = {}
    for tool in TOOLS:
        command = [sys.executable, __file__, "--measure", tool, str(path)]
        extra[tool] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        print(f"{path.stem:13} {tool:9} {extra[tool] / 1024:7.1f} MiB above its imports")
    return extra["analysis"] / extra["trimesh"]


def extra_memory(tool: str, path: str) -> int:
    """KiB, in a process that does nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        TOOLS[tool](str(write_torus(Path(folder), "10k", text=False)))  # imports
    before = peak_memory()
    TOOLS[tool](path)
    return peak_memory() - before


def peak_memory() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def write_torus(folder: Path, size: str, *, text: bool) -> Path:
    """A torus with a wavy tube, closed: two triangles for each of its quadrilaterals."""
    from geometry.stl import write_binary

    rings, segments = RINGS[size]
    u, v = np.meshgrid(
        np.linspace(0, 2 * np.pi, rings, endpoint=False),
        np.linspace(0, 2 * np.pi, segments, endpoint=False),
        indexing="ij",
    )
    tube = 12 + np.sin(9 * u) + np.cos(7 * v)
    radius = 40 + tube * np.cos(v)
    points = np.stack([radius * np.cos(u), radius * np.sin(u), tube * np.sin(v)], axis=-1)
    across, along = np.roll(points, -1, axis=0), np.roll(points, -1, axis=1)
    beyond = np.roll(across, -1, axis=1)
    triangles = np.stack([points, across, beyond, points, beyond, along], axis=2)
    triangles = triangles.reshape(-1, 3, 3).astype(np.float32)

    path = folder / f"torus-{size}.stl"
    if not text:
        write_binary(triangles, path)
        return path
    facet = (
        "  facet normal 0.000000e+00 0.000000e+00 1.000000e+00\n    outer loop\n"
        + "      vertex %.8e %.8e %.8e\n" * 3
        + "    endloop\n  endfacet\n"
    )
    with open(path, "w") as file:
        file.write("solid torus\n")
        for rows in np.array_split(triangles.reshape(-1, 9), len(triangles) // 4096 + 1):
            file.write(facet * len(rows) % tuple(rows.ravel().tolist()))
        file.write("endsolid torus\n")
    return path


def judge_folder(folder: Path) -> None:
    from geometry.analysis import analyse
    from geometry.mesh import InvalidMesh

    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() == ".stl"):
        started = time.perf_counter()
        try:
            verdict = "manifold" if analyse(path).manifold else "not manifold"
        except InvalidMesh as refusal:
            verdict = f"{refusal.code}: {refusal}"
        print(f"{(time.perf_counter() - started) * 1e3:8.1f} ms  {path.name}: {verdict}")


if __name__ == "__main__":
    main()

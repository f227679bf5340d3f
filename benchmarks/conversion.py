"""Model files written and read in each format beside trimesh, and a serial number cut.

Both write the same mesh of 84,000 triangles and read it back, in turn; that of a whole conversion
is what a client waits for: read, scale, write, read back, compare. A 3MF of a million triangles is
read in a process of its own, which tells what it took beyond its imports. The text is ten
characters, placed and cut; FULL=1 does it with a million triangles too. DATA=folder converts each
model file of a folder to every format.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the jailed child is started

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from benchmarks.kit import (  # noqa: E402
    DATA,
    FULL,
    PEERS,
    Cost,
    Figure,
    fetch_peer,
    in_turn,
    report,
    torus,
)
from geometry.formats.convert import (  # noqa: E402
    FORMATS,  # noqa: E402
    convert,
    formats,
)
from geometry.formats.stl import write_binary  # noqa: E402
from geometry.marking import mark  # noqa: E402
from geometry.mesh import Mesh  # noqa: E402
from geometry.mesh.welding import weld  # noqa: E402
from input_errors import InputError  # noqa: E402

TRIANGLES, LARGE, ROUNDS = 84_000, 1_000_000, 3
MESHES = ("stl", "obj", "ply", "off", "gltf", "glb", "3mf")
TEXT = "SN-0042 A8"


def main() -> None:
    if sys.argv[1:]:
        print(*read_once(*sys.argv[1:]))
        return
    if fetch_peer("lxml"):  # trimesh reads 3MF by it
        sys.path.append(str(PEERS))
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_binary(torus(TRIANGLES), folder / "ring.stl")
        vertices, faces = weld(torus(TRIANGLES))
        mesh = Mesh(vertices.astype(np.float64), faces.astype(np.int64))
        for format in MESHES:
            figures += both_ways(format, mesh, folder)
        figures += large_3mf(folder)
        figures += text_figures(folder)
        if DATA:
            figures.append(worst_of(DATA, folder))
    report("conversion", figures)


def both_ways(format: str, mesh: Mesh, folder: Path) -> list[Figure]:
    """Write and read in one format: beside trimesh, and as a whole conversion."""
    out = str(folder / f"whole.{format}")
    jobs: dict[str, Callable] = {
        "ours": ours(format, mesh, folder / f"ours.{format}"),
        "trimesh": trimesh_s(format, mesh, folder / f"trimesh.{format}"),
        "whole": lambda: convert(str(folder / "ring.stl"), out, source="stl", format=format),
    }
    try:
        costs = in_turn(jobs, rounds=ROUNDS)
    except ImportError as error:  # lxml could not be fetched
        print(f"{format}: ours only, {error}")
        del jobs["trimesh"]
        costs = in_turn(jobs, rounds=ROUNDS)
    peer = costs["trimesh"].cpu * 1e3 if "trimesh" in costs else None
    goal = "ratio <= 0.7" if format == "3mf" else ""
    receipt = jobs["whole"]()
    worst = max(receipt["precision"].values())
    return [
        Figure(f"{format}: write and read, CPU", "ms", costs["ours"].cpu * 1e3, peer, goal),
        Figure(f"{format}: whole conversion, CPU", "ms", costs["whole"].cpu * 1e3),
        Figure(f"{format}: size and volume off", "", worst, goal="<= 1e-05"),
    ]


def ours(format: str, mesh: Mesh, path: Path) -> Callable[[], None]:
    def job() -> None:
        FORMATS[format].write(mesh, path)
        if len(FORMATS[format].read(path, lambda name: None).faces) != len(mesh.faces):
            raise SystemExit(f"Not all facets came back from {format}.")

    return job


def trimesh_s(format: str, mesh: Mesh, path: Path) -> Callable[[], None]:
    import trimesh  # only where it is measured

    def job() -> None:
        body = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
        if format == "gltf":  # several files, unless it is embedded
            exported = trimesh.exchange.gltf.export_gltf(trimesh.Scene(body), embed_buffers=True)
            path.write_bytes(exported["model.gltf"])
        else:
            body.export(path)
        trimesh.load_scene(path, process=False)

    return job


def large_3mf(folder: Path) -> list[Figure]:
    """A package of a million triangles read."""
    path = folder / "large.3mf"
    vertices, faces = weld(torus(LARGE))
    FORMATS["3mf"].write(Mesh(vertices.astype(np.float64), faces.astype(np.int64)), path)
    tools = ("ours", "trimesh")
    times: dict[str, list[float]] = {tool: [] for tool in tools}
    memory: dict[str, list[float]] = {tool: [] for tool in tools}
    for _ in range(ROUNDS):
        for tool in tools:
            seconds, mebibytes = measured_reading(tool, path)
            times[tool].append(seconds)
            memory[tool].append(mebibytes)
    ours, theirs = (median(times[tool]) for tool in tools)
    figures = [Figure(f"3mf, {LARGE:,} triangles: read, CPU", "s", ours, theirs, "ratio <= 0.6")]
    ours, theirs = (median(memory[tool]) for tool in tools)
    title = f"3mf, {LARGE:,} triangles: memory to read"
    return [*figures, Figure(title, "MiB", ours, theirs, "ratio <= 0.5")]


def text_figures(folder: Path) -> list[Figure]:
    """A serial number on a block with a fine ring beside it, so that there is a flat face."""
    figures = []
    for triangles in (TRIANGLES, *((1_000_000,) if FULL else ())):
        part = folder / "part.stl"
        write_binary(np.concatenate([torus(triangles), block() + (200.0, 0.0, 0.0)]), part)
        out = str(folder / "marked.stl")

        def job(part: Path = part, out: str = out) -> None:
            if not mark(str(part), out, text=TEXT)["manifold"]:
                raise SystemExit("The marked part is not manifold.")

        costs: dict[str, Cost] = in_turn({"text": job}, rounds=ROUNDS)
        goal = "<= 2" if triangles == TRIANGLES else ""
        figures.append(
            Figure(f"text on {triangles:,} triangles, CPU", "s", costs["text"].cpu, goal=goal)
        )
    return figures


def block() -> NDArray[np.float32]:
    """(12, 3, 3): 60 x 40 x 20 mm."""
    corners = np.array([[60.0 * (i >> 2), 40.0 * (i >> 1 & 1), 20.0 * (i & 1)] for i in range(8)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [half for a, b, c, d in sides for half in ((a, b, c), (a, c, d))]
    return corners[np.array(faces)].astype(np.float32)


def measured_reading(tool: str, path: Path) -> tuple[float, float]:
    """Seconds of the processor that a process of its own takes, and MiB beyond its imports."""
    command = [sys.executable, "-m", "benchmarks.conversion", tool, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, mebibytes = done.stdout.split()
    return float(seconds), float(mebibytes)


def read_once(tool: str, path: str) -> tuple[float, float]:
    """What `measured_reading` does, in this process."""
    sys.path.append(str(PEERS))
    import lxml.etree  # noqa: F401  trimesh imports it as it reads
    import trimesh  # in both, so that neither counts it

    before, begun = peak_memory(), time.process_time()
    if tool == "ours":
        FORMATS["3mf"].read(Path(path), lambda name: None)
    else:
        trimesh.load_scene(path, process=False)
    return time.process_time() - begun, (peak_memory() - before) / 1024


def peak_memory() -> int:
    """KiB that this process has held at most."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def worst_of(data: Path, folder: Path) -> Figure:
    """The largest loss of a folder's models, through every format."""
    worst = 0.0
    for path in sorted(p for p in data.rglob("*") if p.suffix[1:].lower() in MESHES[1:]):
        begun = time.perf_counter()
        for format in formats():
            try:
                receipt = convert(
                    str(path), str(folder / "out"), source=path.suffix[1:].lower(), format=format
                )
            except InputError as error:
                print(f"{path.name}: {error}")
                break
            lost = max(value or 0.0 for value in receipt["precision"].values())
            if lost > 1e-5:
                print(f"{path.name} to {format}: off by {lost:.1e}")
            worst = max(worst, lost)
        print(f"{(time.perf_counter() - begun) * 1e3:8.1f} ms  {path.name}")
    return Figure("DATA: size and volume off, at worst", "", worst)


if __name__ == "__main__":
    main()

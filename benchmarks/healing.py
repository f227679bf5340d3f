"""Healing of broken parts beside trimesh.repair and MeshFix, and what it leaves alone.

Sound parts, generated ones or with DATA=folder the STL files of a folder, are broken in ten ways,
always the same. A result is manifold by our analysis, and true to the part if its volume is within
1 % and its surface within 2 % of the diagonal; of two overlapping copies the part is their union.
With FULL=1 MeshFix (joining) is a peer, in a process of its own that is given 5 s.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the platform's providers are started

import numpy as np  # noqa: E402
from manifold3d import Manifold, Mesh64  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from benchmarks.kit import DATA, FULL, PEERS, Figure, fetch_peer, report, torus  # noqa: E402
from geometry.analysis import analyse  # noqa: E402
from geometry.formats.stl import read_triangles, write_binary  # noqa: E402
from geometry.healing import heal  # noqa: E402
from geometry.healing.deviation import measure_deviation  # noqa: E402
from geometry.mesh import InvalidMesh  # noqa: E402
from geometry.sample_part import bracket  # noqa: E402
from input_errors import InputError  # noqa: E402

SEED = 11
MAX_PARTS, FEWEST_FACETS, MAX_FACETS = 20, 500, 50_000  # of a folder
PEER_TIME = 5.0  # s
LARGE, HUGE = 84_000, 1_200_000
VOLUME, SURFACE = 0.01, 0.02  # how far from the part is still the part

Triangles = NDArray[np.float32]
Damage = Callable[[Triangles, np.random.Generator], Triangles]


def main() -> None:
    if sys.argv[1:]:
        meshfix(*sys.argv[1:])
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report("healing", [*repair_figures(folder), *cost_figures(folder)])


def repair_figures(folder: Path) -> Iterator[Figure]:
    jobs: dict[str, Callable[[Path, Path], Any]] = {"ours": heal_quietly, "trimesh": with_trimesh}
    if FULL and fetch_peer("pymeshfix"):  # it takes seconds a part
        jobs["MeshFix"] = in_a_process
    manifold, true = defaultdict(list), defaultdict(list)
    errors, unchanged = defaultdict(list), []
    random = np.random.default_rng(SEED)
    source, out = folder / "part.stl", folder / "out.stl"
    for part in parts(folder):
        write_binary(part, source)
        heal(str(source), str(out))
        unchanged.append(source.read_bytes() == out.read_bytes())
        for kind, damage in DAMAGES.items():
            broken = damage(part, random)
            if broken is None:
                continue
            write_binary(broken, source)
            whole = united(broken) if kind == "overlap" else part
            for name, job in jobs.items():
                out.unlink(missing_ok=True)
                job(source, out)
                error = judged(whole, out)
                manifold[name].append(error is not None)
                true[name].append(
                    error is not None and max(error[0] / VOLUME, error[1] / SURFACE) <= 1
                )
                if name == "ours":
                    errors[kind] += [error[0]] if error else []
                    if not true[name][-1]:
                        print(f"not true: part of {len(part):,}, {kind}, {error}")
    yield Figure("sound parts, the same bytes", "", float(np.mean(unchanged)), goal=">= 1")
    for name in jobs:
        goals = (">= 0.98", ">= 0.95") if name == "ours" else ("", "")
        count = f"of {len(manifold[name])}, {name}"
        yield Figure(f"manifold {count}", "", float(np.mean(manifold[name])), goal=goals[0])
        yield Figure(f"true to the part {count}", "", float(np.mean(true[name])), goal=goals[1])
    for kind, measured in errors.items():  # of what was not refused
        yield Figure(f"{kind}: volume off at most", "", max(measured), goal=f"<= {BOUNDS[kind]:g}")


def cost_figures(folder: Path) -> Iterator[Figure]:
    source, out = folder / "large.stl", folder / "out.stl"
    for triangles in (LARGE, HUGE) if FULL else (LARGE,):
        write_binary(mixed(torus(triangles), np.random.default_rng(SEED)), source)
        ours = processor_time(lambda: heal(str(source), str(out)))
        name = f"{triangles:,} triangles, mixed damage: CPU"
        if triangles == HUGE:
            yield Figure(name, "s", ours, goal="<= 30")
            continue
        peer = processor_time(lambda: with_trimesh(source, folder / "peer.stl"))
        yield Figure(name, "s", ours, peer, goal="ratio <= 0.1")


def processor_time(job: Callable[[], Any]) -> float:
    """The least of three, s."""
    times = []
    for _ in range(3):
        begun = time.process_time()
        job()
        times.append(time.process_time() - begun)
    return min(times)


def parts(folder: Path) -> Iterator[Triangles]:
    """Sound ones: of a folder, or generated."""
    if DATA is None:
        yield from generated_parts()
        return
    found = 0
    for path in sorted(p for p in DATA.rglob("*") if p.suffix.lower() == ".stl"):
        try:
            part = read_triangles(path)
            write_binary(part, folder / "candidate.stl")
            heal(str(path), str(folder / "healed.stl"))
        except (InvalidMesh, InputError):
            continue
        right_size = FEWEST_FACETS <= len(part) <= MAX_FACETS
        if right_size and path.read_bytes() == (folder / "healed.stl").read_bytes():
            yield part
            found += 1
        if found == MAX_PARTS:
            return


def generated_parts() -> Iterator[Triangles]:
    yield bracket()
    yield torus(6_000)
    yield (bracket() * (0.4, 1.7, 0.8) + (500, -300, 20)).astype(np.float32)
    yield faceted(Manifold.cylinder(30, 20, 14, circular_segments=160).refine(3))
    plate = Manifold.cube((60, 40, 8)).refine(12)
    for x, y, radius in [(12, 12, 4), (44, 26, 7), (30, 12, 2)]:
        plate -= Manifold.cylinder(20, radius, circular_segments=48).translate((x, y, -5))
    yield faceted(plate)


def faceted(solid: Manifold) -> Triangles:
    mesh = solid.to_mesh()
    return np.asarray(mesh.vert_properties, dtype=np.float32)[:, :3][mesh.tri_verts] + np.float32(0)


def united(triangles: Triangles) -> Triangles:
    """Both halves of the triangles as one solid."""
    first, second = (solid(half) for half in np.split(triangles.astype(np.float64), 2))
    mesh = (first + second).to_mesh64()
    return np.asarray(mesh.vert_properties)[:, :3][mesh.tri_verts].astype(np.float32)


def solid(triangles: NDArray[np.float64]) -> Manifold:
    corners, faces = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    return Manifold(Mesh64(corners, faces.reshape(-1, 3).astype(np.uint64)))


def holed(triangles: Triangles, random: np.random.Generator) -> Triangles:
    """Without the facets round three places, each time 0.5 % of them or 30."""
    centres = triangles.mean(axis=1)
    for _ in range(3):
        size = min(30, len(triangles) // 200 + 1)
        place = centres[random.integers(len(centres))]
        far = np.sort(np.argsort(np.linalg.norm(centres - place, axis=1))[size:])
        triangles, centres = triangles[far], centres[far]
    return triangles


def turned(triangles: Triangles, random: np.random.Generator) -> Triangles:
    chosen = random.random(len(triangles)) < 0.1
    return np.where(chosen[:, None, None], triangles[:, ::-1], triangles)


def doubled(triangles: Triangles, random: np.random.Generator) -> Triangles:
    return np.concatenate([triangles, triangles])


def overlapping(triangles: Triangles, random: np.random.Generator) -> Triangles:
    shift = (np.ptp(triangles, axis=(0, 1)) * random.uniform(0.1, 0.4, 3)).astype(np.float32)
    return np.concatenate([triangles, triangles + shift])


def junctions(triangles: Triangles, random: np.random.Generator) -> Triangles:
    """Facets divided at the middle of a side whose other facet is not."""
    chosen = random.random(len(triangles)) < 0.02
    a, b, c = triangles[chosen].swapaxes(0, 1)
    middle = (a + b) / 2
    halves = [np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)]
    return np.concatenate([triangles[~chosen], *halves])


def cracked(share: float, width: float) -> Damage:
    def damage(triangles: Triangles, random: np.random.Generator) -> Triangles:
        """Facets whose corners are moved by so much of the diagonal."""
        chosen = random.random(len(triangles)) < share
        reach = width * np.linalg.norm(np.ptp(triangles, axis=(0, 1)))
        moves = random.normal(size=(*triangles.shape[:2], 3))
        moves *= reach / np.linalg.norm(moves, axis=2, keepdims=True)
        return np.where(chosen[:, None, None], triangles + moves, triangles).astype(np.float32)

    return damage


def uncapped(triangles: Triangles, random: np.random.Generator) -> Triangles | None:
    """Without its flat top; None where it has none, or little else."""
    exact = triangles.astype(np.float64)
    top = triangles[:, :, 2].max()
    normals = np.cross(exact[:, 1] - exact[:, 0], exact[:, 2] - exact[:, 0])
    area = np.linalg.norm(normals, axis=1)
    on_top = (triangles[:, :, 2] == top).all(axis=1)
    share = area[on_top].sum() / area.sum()
    return triangles[~on_top] if 0 < share < 0.2 else None


def repeated(triangles: Triangles, random: np.random.Generator) -> Triangles:
    again = triangles[random.random(len(triangles)) < 0.05]
    again[::2] = again[::2, ::-1]
    return np.concatenate([triangles, again])


def mixed(triangles: Triangles, random: np.random.Generator) -> Triangles:
    return repeated(turned(holed(triangles, random), random), random)


DAMAGES: dict[str, Callable[[Triangles, np.random.Generator], Triangles | None]] = {
    "holes": holed,
    "flips": turned,
    "double shell": doubled,
    "overlap": overlapping,
    "T-junctions": junctions,
    "fine cracks": cracked(0.05, 1e-5),
    "wide cracks": cracked(0.02, 2e-4),
    "missing top": uncapped,
    "repeated facets": repeated,
    "mix": mixed,
}
BOUNDS = {
    "holes": 1e-2,
    "flips": 1e-9,
    "double shell": 1e-9,
    "overlap": 1e-4,
    "T-junctions": 1e-6,
    "fine cracks": 2e-4,
    "wide cracks": 2e-4,
    "missing top": 1e-9,
    "repeated facets": 1e-9,
    "mix": 2e-2,
}


def judged(part: Triangles, out: Path) -> tuple[float, float] | None:
    """How far volume and surface are off, relative; None where the result is not manifold."""
    try:
        found = analyse(out)
    except (InvalidMesh, OSError):
        return None
    if not found.manifold or found.volume is None or found.inverted:
        return None
    wanted = volume(part)
    healed = read_triangles(out)
    filled = np.zeros(len(healed), dtype=bool)
    away = measure_deviation(part, healed, filled).largest
    diagonal = float(np.linalg.norm(np.ptp(part, axis=(0, 1))))
    return abs(found.volume - wanted) / wanted, away / diagonal


def volume(triangles: Triangles) -> float:
    a, b, c = (triangles.astype(np.float64) - triangles[0, 0]).swapaxes(0, 1)
    return abs(float(np.einsum("ij,ij->", a, np.cross(b, c)))) / 6


def heal_quietly(source: Path, out: Path) -> None:
    try:
        heal(str(source), str(out))
    except InputError as error:
        print(f"refused: {error}")


def with_trimesh(source: Path, out: Path) -> None:
    import trimesh  # half a second that only this peer needs

    mesh = trimesh.load_mesh(source)
    mesh.update_faces(mesh.unique_faces() & mesh.nondegenerate_faces())
    trimesh.repair.fill_holes(mesh)
    trimesh.repair.fix_normals(mesh)
    mesh.export(out)


def in_a_process(source: Path, out: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.healing", str(source), str(out)]
    try:
        subprocess.run(command, check=False, timeout=PEER_TIME, capture_output=True)
    except subprocess.TimeoutExpired:
        print(f"MeshFix was ended after {PEER_TIME:g} s.")


def meshfix(source: str, out: str) -> None:
    sys.path.insert(0, str(PEERS))
    from pymeshfix import PyTMesh  # only where it was fetched

    triangles = read_triangles(source)
    corners, faces = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    mesh = PyTMesh()
    mesh.load_array(corners.astype(np.float64), faces.reshape(-1, 3).astype(np.int32))
    mesh.join_closest_components()
    mesh.fill_small_boundaries()
    mesh.clean(10, 3)
    corners, faces = mesh.return_arrays()
    write_binary(corners[faces], out)


if __name__ == "__main__":
    main()

"""Pictures beside f3d's, VTK's and pyrender's own, and what they keep to.

The speed of 84,000 triangles is of warm processes that hold the part ready, from the same place at
the same size. Ours have soft shadows and shaded corners from the first sample on; the peers' have a
light without shadows, f3d's other one four times the pixels and ambient occlusion. The quality is
against many samples of our own. Crowded models, whose faces lie on top of each other, are beside an
ordinary part of ours of as many triangles, from file to pixels. With DATA=folder every STL of it is
drawn three ways.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from benchmarks.kit import (
    DATA,
    FULL,
    PEERS,
    ROOT,
    Cost,
    Figure,
    fetch_peer,
    in_turn,
    middle,
    report,
    torus,
)
from geometry.formats.stl import read_triangles, write_binary
from geometry.mesh import InvalidMesh
from geometry.rendering import render as rendering_gl
from geometry.rendering import render_mesh
from geometry.rendering import view as rendering
from geometry.rendering.render import render
from geometry.rendering.render_mesh import prepare
from geometry.rendering.view import NothingToShow, View
from geometry.sample_part import bracket

ROUNDS = 9 if FULL else 3
HUGE = 5_400_000 if FULL else 1_300_000
MANY = 500 if FULL else 100  # pictures in one process
TRUTH = 5000 if FULL else 2000  # samples
PREVIEW = View(samples=0)
SMALL = View(width=320, height=240)
UPLOAD = View(width=800, height=600, samples=48)  # every upload has one
# The threads and the vector widths that the driver may be given.
DRIVERS = [{"LP_NUM_THREADS": "0"}, {"LP_NUM_THREADS": "1"}, {"LP_NATIVE_VECTOR_WIDTH": "128"}, {}]


def main() -> None:
    if sys.argv[1:]:
        return print(ANSWERS[sys.argv[1]](*sys.argv[2:]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = [*speed(folder), *crowded(folder), *quality(), *huge(folder), *steadiness()]
        if DATA:
            figures += corpus(DATA)
        report("rendering", figures)


def speed(folder: Path) -> Iterator[Figure]:
    part, stl = torus(84_000), folder / "part.stl"
    write_binary(part, stl)
    ready = prepare(part, shadows=View().shadow_size)

    def frame(view: View) -> Callable[[], object]:
        # What is prepared is not counted on any side. Our context is made current each time.
        return lambda: rendering_gl._painter().paint(ready, view, closed=True)

    jobs = {"0": frame(PREVIEW), "16": frame(View(samples=16)), "64": frame(View())}
    jobs |= {"upload": lambda: render(stl, UPLOAD, closed=True)}  # this one from file to pixels
    peers = {name: Peer(name, stl, place(part)) for name in ("f3d", "f3d-ao", "vtk", "pyrender")}
    costs = in_turn(jobs | {name: peer.draw for name, peer in peers.items()}, rounds=ROUNDS)
    costs |= {name: peer.end() for name, peer in peers.items()}

    def cpu(name: str, ours: str, peer: str, limit: float) -> Figure:
        return Figure(f"{name}: CPU", "s", costs[ours].cpu, costs[peer].cpu, f"ratio <= {limit}")

    yield cpu("0 samples, f3d", "0", "f3d", 0.15)
    yield cpu("0 samples, VTK", "0", "vtk", 0.6)
    yield cpu("0 samples, pyrender", "0", "pyrender", 0.6)
    yield cpu("16 samples, f3d with occlusion", "16", "f3d-ao", 0.25)
    yield cpu("64 samples, f3d with occlusion", "64", "f3d-ao", 0.8)
    yield cpu("an upload's, f3d with occlusion", "upload", "f3d-ao", 0.35)

    png = str(folder / "first.png")
    ours = [sys.executable, "-m", "geometry.rendering.render", str(stl), png, "--samples", "0"]
    theirs = [sys.executable, "-m", "benchmarks.peers.pictures", "f3d", str(stl)]
    theirs.append(json.dumps(place(part)))
    starts = in_turn({"ours": lambda: ran(ours), "f3d": lambda: ran(theirs)}, rounds=3, warm=0)
    first = starts["ours"].wall, starts["f3d"].wall
    yield Figure("a process's first picture, f3d: wall", "s", *first, "ratio <= 1.5")


def crowded(folder: Path) -> Iterator[Figure]:
    """Models whose faces lie on top of each other, beside an ordinary part of as many."""
    random = np.random.default_rng(1)
    lows = random.uniform(0, 10, (8_000, 1, 1, 3))
    box = np.stack([side_of_cube(side) for side in range(6)]).reshape(1, 12, 3, 3)
    models = {
        "equal": np.concatenate([box[0], np.repeat(box[0, :1], 200_000, axis=0)]),
        "round one edge": fan(100_000),
        "in boxes that overlap": (lows + 10 * box).reshape(-1, 3, 3),
        "at random": random.uniform(-10, 10, (200_000, 3, 3)),
    }
    for name, triangles in models.items():
        model, part = folder / "crowded.stl", folder / "ordinary.stl"
        write_binary(triangles.astype(np.float32), model)
        write_binary(torus(len(triangles)), part)
        for view in (replace(UPLOAD, samples=0), UPLOAD):
            costs = in_turn(
                {path.stem: partial(render, path, view, closed=False) for path in (model, part)},
                rounds=ROUNDS,
            )
            named = f"{len(triangles):,} {name}, {view.samples} samples, an ordinary part: CPU"
            yield Figure(named, "s", costs["crowded"].cpu, costs["ordinary"].cpu, "ratio <= 3")


def side_of_cube(side: int) -> NDArray[np.float64]:
    """(2, 3, 3): two triangles, a side of the unit cube."""
    axis, level = side % 3, side // 3
    square = np.insert([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], axis, level, axis=1)
    return square[[(0, 1, 2), (0, 2, 3)]]


def fan(count: int) -> NDArray[np.float64]:
    """Triangles round one edge."""
    turn = np.linspace(0, 2 * np.pi, count, endpoint=False)
    triangles = np.zeros((count, 3, 3))
    triangles[:, :2, 2] = -10, 10
    triangles[:, 2, :2] = 20 * np.column_stack([np.cos(turn), np.sin(turn)])
    return triangles


class Peer:
    """A process that draws with another program."""

    def __init__(self, name: str, stl: Path, view: dict):
        self.costs: list[Cost] = []
        command = [sys.executable, "-m", "benchmarks.peers.pictures", name, str(stl)]
        self._process = subprocess.Popen(
            [*command, json.dumps(view)],
            env=environment(),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def draw(self) -> None:
        print("", file=self._process.stdin, flush=True)
        # What libraries print stands before the answer.
        for line in self._process.stdout:
            if line.startswith("["):
                self.costs.append(Cost(*json.loads(line)))
                return
        raise SystemExit("A peer has failed: is it installed? See benchmarks/requirements.txt.")

    def end(self) -> Cost:
        """The median of its frames but for the first."""
        self._process.communicate()
        return middle(self.costs[1:])


def ran(command: list[str]) -> None:
    """A process that is told to draw once, and has ended."""
    subprocess.run(
        command, input="\n", text=True, check=True, env=environment(), capture_output=True
    )


def environment() -> dict[str, str]:
    if not (fetch_peer("f3d") and fetch_peer("vtk")):
        raise SystemExit("Without f3d and VTK there is nothing to measure beside.")
    path = os.pathsep.join([str(ROOT), str(ROOT / "platform"), str(PEERS)])
    return {**os.environ, "PYTHONPATH": path}


def place(triangles: NDArray[np.float32]) -> dict:
    """Where our picture of a part is taken from, in mm."""
    ready = prepare(triangles, shadows=0)
    camera = rendering.place_camera(PREVIEW, ready.surface.vertices, ready.center, ready.radius)
    eye = ready.center + ready.radius * camera.eye
    return {
        "width": PREVIEW.width,
        "height": PREVIEW.height,
        "eye": eye.tolist(),
        "focus": (eye + camera.forward).tolist(),
        "up": camera.up.tolist(),
    }


def quality() -> Iterator[Figure]:
    part = bracket()

    def picture(samples: int, view: View = SMALL) -> tuple[NDArray[np.uint8], float]:
        begun = time.process_time()
        pixels = render(part, replace(view, samples=samples), closed=True)
        return pixels, time.process_time() - begun

    upload, much = (picture(samples, UPLOAD)[0] for samples in (UPLOAD.samples, TRUTH))
    yield Figure(f"an upload's: SSIM to {TRUTH}", "", similarity(upload, much), goal=">= 0.99")

    truth, _ = picture(TRUTH)
    drawn = {samples: picture(samples) for samples in (1, 4, 16, 64, 256)}
    for samples, limit in ((16, 0.98), (64, 0.994), (256, 0.998)):
        alike = similarity(drawn[samples][0], truth)
        yield Figure(f"{samples} samples: SSIM to {TRUTH}", "", alike, goal=f">= {limit}")
    errors = [error(pixels, truth) for pixels, _ in drawn.values()]
    worse = sum(later > earlier for earlier, later in zip(errors, errors[1:], strict=False))
    yield Figure("more samples that are further from the truth", "", worse, goal="<= 0")
    growth = drawn[256][1] / drawn[64][1]
    yield Figure("256 samples against 64: CPU", "times", growth, goal="<= 5")


def similarity(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Mean SSIM of the brightness (Wang et al., 2004), Gaussian windows of 1.5 pixels."""
    a, b = (picture.mean(axis=2) for picture in (one, other))

    def blur(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return gaussian_filter(values, 1.5, truncate=3.5)

    mean_a, mean_b = blur(a), blur(b)
    spread = blur(a * a) - mean_a**2 + blur(b * b) - mean_b**2
    shared = blur(a * b) - mean_a * mean_b
    small, smaller = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    ratio = (2 * mean_a * mean_b + small) / (mean_a**2 + mean_b**2 + small)
    return float(np.mean(ratio * (2 * shared + smaller) / (spread + smaller)))


def error(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Root of the mean square, of 255."""
    return float(np.sqrt(np.mean((one.astype(float) - other) ** 2)))


def huge(folder: Path) -> Iterator[Figure]:
    path = folder / "huge.stl"
    write_binary(torus(HUGE), path)
    coarse, fine, sampled = (
        json.loads(asked("huge", str(path), str(folder / f"{name}.npy"), str(samples), str(limit)))
        for name, samples, limit in (
            ("coarse", 0, render_mesh.DISPLAY),
            ("fine", 0, HUGE + 1_000_000),
            ("sampled", 64, render_mesh.DISPLAY),
        )
    )
    name = f"{HUGE:,} triangles"
    yield Figure(f"{name}, all: CPU", "s", coarse["cpu"], fine["cpu"], "ratio <= 0.3")
    apart = error(np.load(folder / "coarse.npy"), np.load(folder / "fine.npy"))
    yield Figure(f"{name}: likeness to all", "dB", 20 * np.log10(255 / apart), goal=">= 45")
    yield Figure(f"{name}, all: memory", "MiB", coarse["memory"], fine["memory"])
    yield Figure(f"{name}, 64 samples: memory", "MiB", sampled["memory"], goal="<= 700")


def draw_huge(path: str, out: str, samples: str, limit: str) -> str:
    """In a process of its own: a picture of a file, its seconds of the cores, and MiB at most."""
    render_mesh.DISPLAY = int(limit)  # from so many triangles on a coarser copy is drawn
    render(bracket(), View(width=64, height=48, samples=1), closed=True)
    begun = time.process_time()
    np.save(out, render(path, View(samples=int(samples)), closed=True))
    seconds = time.process_time() - begun
    memory = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
    return json.dumps({"cpu": seconds, "memory": memory / 1024})


def steadiness() -> Iterator[Figure]:
    answers = {asked("bytes", **choice) for choice in DRIVERS}
    yield Figure("different bytes by threads and vector width", "", len(answers) - 1, goal="<= 0")
    held = json.loads(asked("many"))
    early, late = held[0], held[-1]
    name = f"after {MANY} pictures, after a fifth of them"
    yield Figure(f"{name}: memory", "MiB", late[0], early[0], "ratio <= 1.1")
    yield Figure(f"{name}: files and threads more", "", late[1] - early[1], goal="<= 0")


def draw_mixed() -> str:
    """In a process of its own: the digest of three parts, each seen in three ways."""
    views = [View(samples=0), View(samples=5, width=317, height=211), View(samples=8, layer=40)]
    parts = [bracket(), torus(20_000), torus(450_000)]
    pixels = [render(part, view, closed=True) for part in parts for view in views]
    return hashlib.sha256(b"".join(picture.tobytes() for picture in pixels)).hexdigest()


def draw_many() -> str:
    """In a process of its own: what it holds, MiB and files and threads, a fifth at a time."""
    parts, sizes = [bracket(), torus(3000), torus(40_000)], [(200, 150), (317, 211), (640, 480)]
    held = []
    for number in range(1, MANY + 1):
        width, height = sizes[number % 3]
        layer = number if number % 4 == 0 else None
        view = View(width=width, height=height, samples=number % 3, layer=layer)
        render(parts[number // 3 % 3], view, closed=True)
        if number % (MANY // 5) == 0:
            status = Path("/proc/self/status").read_text()
            memory = int(status.split("VmRSS:")[1].split()[0]) / 1024
            threads = int(status.split("Threads:")[1].split()[0])
            held.append((memory, len(os.listdir("/proc/self/fd")) + threads))
    return json.dumps(held)


ANSWERS = {"huge": draw_huge, "bytes": draw_mixed, "many": draw_many}


def asked(*words: str, **variables: str) -> str:
    """What a process of its own answers."""
    command = [sys.executable, "-m", "benchmarks.rendering", *words]
    answer = subprocess.run(
        command, env=environment() | variables, check=True, stdout=subprocess.PIPE, text=True
    )
    return answer.stdout.strip().splitlines()[-1]


def corpus(folder: Path) -> Iterator[Figure]:
    """Every STL of a folder: without shadows, with a few samples, and cut through its middle."""
    drawn, refused, blank = 0, 0, 0
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() == ".stl"):
        try:
            triangles = np.ascontiguousarray(read_triangles(path), np.float32)
            step = max(float(np.ptp(triangles[..., 2])) / 2, 1e-9)
            for view in ({"samples": 0}, {"samples": 4}, {"samples": 1, "slice_height": step}):
                layer = 0 if "slice_height" in view else None
                pixels = render(
                    triangles, View(width=320, height=240, layer=layer, **view), closed=False
                )
                blank += (pixels == rendering.BACKGROUND).all()
            drawn += 1
        except (InvalidMesh, NothingToShow):
            refused += 1
    yield Figure("files drawn three ways", "", drawn)
    yield Figure("files refused by name", "", refused)
    yield Figure("blank pictures", "", int(blank), goal="<= 0")


if __name__ == "__main__":
    main()

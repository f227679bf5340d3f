"""The main job through the platform beside a script (peers/script.py) that does it alone.

Through the platform: its real processes, HTTP, from the start of the upload until picture and
gcode can be fetched; the slice is ordered right after the upload, and its state is asked for ten
times a second. The script: trimesh's verdict, pyrender's picture of 800 x 600 and PrusaSlicer's
command with the same settings, as a process of its own, from its start or from the end of its
imports. Each round has a part that nobody has seen before. CPU is that of all processes of the
platform, the database's and the engine's too, and of the script with its slicer.
"""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from benchmarks.kit import FULL, ROOT, Cost, Figure, middle, report, torus
from geometry.formats.stl.writer import write_binary
from geometry.sample_part import bracket
from tests.live.client import Client
from tests.live.processes import Platform
from tests.waiting import wait_for

ROUNDS = 9 if FULL else 5
wait = partial(wait_for, pause=0.1)
GOAL = "ratio <= 1.25"


def main() -> None:
    parts = {"bracket, 5,800 triangles": bracket(), "ring, 84,000 triangles": torus(84_000)}
    platform = Platform()
    try:
        platform.start()
        client = Client(platform)
        figures = measure(platform, client, parts)
    finally:
        left = platform.stop()
    if left:
        raise SystemExit(f"The platform left processes behind: {left}")
    report("end_to_end", figures)


def measure(
    platform: Platform, client: Client, parts: dict[str, NDArray[np.float32]]
) -> list[Figure]:
    config = client.config()
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ini = folder / "config.ini"
        ini.write_bytes(fetch(client, config))
        for title, triangles in parts.items():
            costs: dict[str, list[Cost]] = {"ours": [], "script": []}
            after_imports: list[float] = []
            for number in range(1 + ROUNDS):  # the first does not count
                part = folder / "part.stl"
                write_binary(triangles * np.float32(1 + 1e-4 * number), part)
                costs["ours"].append(through_platform(platform, client, config, part))
                cost, imported = by_script(part, ini, folder)
                costs["script"].append(cost)
                after_imports.append(cost.wall - imported)
                told = "  ".join(f"{who} {c[-1].wall:.2f} s" for who, c in costs.items())
                print(f"{title}, round {number}: {told}", flush=True)
            ours, script = (middle(measured[1:]) for measured in costs.values())
            figures += [
                Figure(f"{title}: wall", "s", ours.wall, script.wall, GOAL),
                Figure(
                    f"{title}: wall, without the script's imports",
                    "s",
                    ours.wall,
                    median(after_imports[1:]),
                ),
                Figure(f"{title}: CPU", "s", ours.cpu, script.cpu),
            ]
    return figures


def through_platform(platform: Platform, client: Client, config: str, part: Path) -> Cost:
    """The part's way through the platform."""
    model, location = client.create_model()
    data = part.read_bytes()
    used = processor_time(platform.processes())
    begun = time.perf_counter()
    client.upload(location, data)
    order = {"model": model, "config": config}
    answer = client.ask("POST", "slicing/slice/", 201, json=order)
    gcode = wait(lambda: finished(client, answer.headers["Location"])["content"])
    picture = wait(lambda: finished(client, model)["snapshot"])
    wall = time.perf_counter() - begun
    used = processor_time(platform.processes()) - used
    if not fetch(client, picture).startswith(b"\x89PNG") or b"G1 X" not in fetch(client, gcode):
        raise SystemExit("The platform's picture or gcode is none.")
    return Cost(wall, used)


def by_script(part: Path, ini: Path, folder: Path) -> tuple[Cost, float]:
    """The script's way, and when its imports were done, s after its start."""
    picture, gcode = folder / "part.png", folder / "part.gcode"
    used, begun = os.times(), time.perf_counter()
    script = ROOT / "benchmarks" / "peers" / "script.py"
    with subprocess.Popen(
        [sys.executable, script, part, ini, picture, gcode], stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        imported = time.perf_counter() - begun
        process.stdout.read()
    wall, after = time.perf_counter() - begun, os.times()
    if process.returncode or not gcode.stat().st_size or not picture.stat().st_size:
        raise SystemExit("The script failed.")
    gcode.unlink()
    children = ("children_user", "children_system")
    return Cost(
        wall, sum(getattr(after, name) - getattr(used, name) for name in children)
    ), imported


def finished(client: Client, uri: str) -> dict[str, Any]:
    """The resource as it is now, which must not be in error."""
    resource = client.read(uri)
    if resource["status"] == "error":
        raise SystemExit(f"{uri}: {resource['errors']}")
    return resource


def fetch(client: Client, location: str) -> bytes:
    """What lies at a signed location, or at that of a resource's `content`."""
    if "signature=" not in location:
        location = client.read(location)["content"]
    answer = client.session.get(location, timeout=60, auth=lambda request: request)
    answer.raise_for_status()
    return answer.content


def processor_time(processes: list[psutil.Process]) -> float:
    """Seconds that the processes and their ended children have had of the cores."""
    total = 0.0
    for process in processes:
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return total


if __name__ == "__main__":
    main()

"""A 3MF from its upload to its first child's verdict, beside its steps, each of them alone.

Through the platform: its real processes, from the start of the PUT until the first child is
`processed`, asked for ten times a second. Alone: the same PUT by an account whose uploads are not
converted, and the kernels that take the file apart and judge the child, in this process. Each round
has a file that nobody has seen before, and does both in turn.
"""

import io
import tempfile
import time
import zipfile
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.kit import FULL, Figure, report, torus
from geometry.analysis import analyse
from geometry.formats.split import separate
from geometry.formats.threemf import writer as threemf_writer
from geometry.mesh import Mesh
from geometry.mesh.welding import weld
from tests.live.client import OCTETS, Client
from tests.live.processes import Platform

SIZES = (84_000, 1_000_000)
ROUNDS = 7 if FULL else 3
WARM = 2  # rounds that do not count: each of the provider's children reads its libraries once
TIMEOUT = 180.0  # seconds for one file
POLL = 0.1
GOAL = "ratio <= 1.2"


def main() -> None:
    platform = Platform()
    try:
        platform.start()
        client, other = Client(platform), Client(platform)
        session = other.ask("GET", "users/users/", 200).json()["resources"][0]
        other.ask("PUT", session["uri"], 204, json={"convert_uploads": False})
        figures = [figure_of(triangles, client, other) for triangles in SIZES]
    finally:
        left = platform.stop()
    if left:
        raise SystemExit(f"The platform left processes behind: {left}")
    report("uploads", figures)


def figure_of(triangles: int, client: Client, other: Client) -> Figure:
    vertices, faces = weld(torus(triangles))
    whole, steps = [], []
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "file.3mf"
        for number in range(WARM + ROUNDS):
            size = vertices.astype(np.float64) * (1.0 + 1e-4 * number)
            threemf_writer.write(Mesh(size, faces.astype(np.int64)), file)
            whole.append(through_platform(client, file.read_bytes()))
            alone = [put_alone(other, file.read_bytes()), *kernels(file, Path(name))]
            steps.append(sum(alone))
            told = ", ".join(f"{seconds:.2f}" for seconds in alone)
            print(
                f"{triangles:,}: {whole[-1]:.2f} s; PUT, conversion, analysis: {told}", flush=True
            )
    title = f"{triangles:,} triangles: first child judged, wall"
    return Figure(title, "s", median(whole[WARM:]), median(steps[WARM:]), GOAL)


def through_platform(client: Client, data: bytes) -> float:
    model, location = created(client)
    begun = time.perf_counter()
    client.upload(location, data)
    while time.perf_counter() - begun < TIMEOUT:
        query = {"filter[parent]": model, "sort": "created", "page[limit]": 1}
        for child in client.ask("GET", "models/model/", 200, params=query).json()["resources"]:
            if child["status"] == "processed":
                return time.perf_counter() - begun
        time.sleep(POLL)
    raise SystemExit(f"Not done within {TIMEOUT:g} s: {client.read(model)['conversion']}")


def put_alone(client: Client, data: bytes) -> float:
    _, location = created(client)
    begun = time.perf_counter()
    client.ask("PUT", location, 204, data=io.BytesIO(data), headers=OCTETS)
    return time.perf_counter() - begun


def created(client: Client) -> tuple[str, str]:
    made = client.ask("POST", "models/model/", 201, json={"name": "ring", "type": "3mf"})
    return made.headers["Location"], made.headers["X-Upload-Location"]


def kernels(file: Path, folder: Path) -> tuple[float, float]:
    """Seconds of taking it apart, and of judging its first part."""
    begun = time.perf_counter()
    separate(str(file), str(folder / "parts.zip"), source="3mf")
    apart = time.perf_counter()
    part = folder / "part.stl"
    with zipfile.ZipFile(folder / "parts.zip") as archive:
        part.write_bytes(archive.read("1.stl"))
    read = time.perf_counter()
    analyse(str(part), str(folder / "canonical.stl"))
    return apart - begun, time.perf_counter() - read


if __name__ == "__main__":
    main()

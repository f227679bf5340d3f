"""What the service adds to a slicing engine: the same engine, model and settings run as a command.

The job is all that a worker does for a slice: it places the model, runs the engine in its sandbox,
reads and indexes the gcode, stores it, and tells the database. CPU is that of the job and of its
engine; the database's own is left out. The allowance is 10 % of the command's time or 0.3 s,
whichever is more. DATA names a folder of STL files to slice in place of the generated parts. Last,
the real processes: from the order over HTTP until the slice is processed, and two orders at once.
"""

import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.kit import DATA, FULL, Cost, Figure, django_with_database, middle, report, torus
from geometry.formats.stl import read_triangles, write_binary
from geometry.mesh import InvalidMesh
from geometry.sample_part import bracket
from tests.live.client import Client
from tests.live.processes import Platform

ROUNDS = 5 if FULL else 3
PARTS = 60 if FULL else 6  # of those in DATA
LARGEST = 20_000_000  # bytes of a file in DATA
ENGINES = ("slic3r", "cura")
POLL = 0.02
TIMEOUT = 180.0

Part = NDArray[np.float32]


class Compared(NamedTuple):
    """One part with one engine, s."""

    title: str
    job: Cost
    bare: Cost
    again: Cost

    def of_allowance(self, kind: str) -> float:
        """What the job adds by the `wall` or of `cpu`, as a share of what it may add."""
        job, bare = getattr(self.job, kind), getattr(self.bare, kind)
        return (job - bare) / max(0.3, 0.1 * bare)

    @property
    def added_cpu(self) -> float:
        """As a share of the command's."""
        return self.job.cpu / self.bare.cpu - 1.0


def main() -> None:
    parts = given() or generated()
    figures = []
    with django_with_database():
        bench = Bench()
        for engine in ENGINES:
            bench.round(engine, box())  # the first does not count
            compared = [found for title in parts if (found := bench.compare(engine, title, parts))]
            figures += told(engine, compared)
    report("slicing", figures + through_the_processes())


def generated() -> dict[str, Part]:
    return {
        "box, 12 triangles": box(),
        "bracket, 5,800 triangles": bracket(),
        "ring, 84,000 triangles": torus(84_000) * np.float32(0.35),
    }


def given() -> dict[str, Part]:
    """Some STL files of the folder DATA, of all sizes."""
    if DATA is None:
        return {}
    files = [path for path in DATA.rglob("*.stl") if path.stat().st_size <= LARGEST]
    files.sort(key=lambda path: (path.stat().st_size, path.name))
    chosen = [files[at] for at in np.unique(np.linspace(0, len(files) - 1, PARTS).astype(int))]
    parts = {}
    for path in chosen:
        try:
            parts[path.name] = np.asarray(read_triangles(path))
        except InvalidMesh as rejection:
            print(f"skipped, no mesh: {path.name}: {rejection}", flush=True)
    print(f"{len(chosen) - len(parts)} of {len(chosen)} files are no mesh.", flush=True)
    return parts


def box() -> Part:
    """A block of 20 x 20 x 5 mm."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    halves = [[side[at] for at in half] for side in sides for half in ((0, 1, 2), (0, 2, 3))]
    return corners[np.array(halves)] * np.float32([20, 20, 5])


def told(engine: str, compared: list[Compared]) -> list[Figure]:
    """The figures of an engine over all parts."""
    jobs, commands = (middle([getattr(c, who) for c in compared]) for who in ("job", "bare"))
    smallest = min(compared, key=lambda c: c.bare.cpu)
    long = [c.added_cpu for c in compared if c.bare.cpu >= 2.0]
    figures = [
        Figure(f"{engine}: wall of a job", "s", jobs.wall, commands.wall),
        Figure(f"{engine}: CPU of a job", "s", jobs.cpu, commands.cpu),
        *(
            Figure(
                f"{engine}: added {kind}, of the allowance, at worst",
                "",
                max(c.of_allowance(kind) for c in compared),
                goal="<= 1",
            )
            for kind in ("wall", "cpu")
        ),
        Figure(
            f"{engine}: added CPU, {smallest.title}",
            "s",
            smallest.job.cpu - smallest.bare.cpu,
            goal="<= 0.15",
        ),
        Figure(
            f"{engine}: an equal slice again, beside the first",
            "s",
            median(c.again.wall for c in compared),
            median(c.job.wall for c in compared if c.bare.cpu >= min(2.0, commands.cpu)),
            "ratio <= 0.05",
        ),
        Figure(
            f"{engine}: an equal slice again, at worst",
            "s",
            max(c.again.wall for c in compared),
            goal="<= 0.1",
        ),
    ]
    if long:
        title = f"{engine}: added CPU, jobs of 2 s and more"
        figures.append(Figure(title, "%", 100 * median(long)))
    return figures


# ---------------------------------------------------------------- the job alone


class Bench:
    """A user with a config for each engine, in a database of their own."""

    def __init__(self) -> None:
        from apps.slicing.services import configs
        from apps.users.models import User

        self.number = 0
        self.owner = User.objects.create_user("bench", "bench@example.com", "correct horse battery")
        self.configs = {
            engine: configs.create(actor=self.owner, engine=engine, parameters={"support": True})
            for engine in ENGINES
        }

    def compare(self, engine: str, title: str, parts: dict[str, Part]) -> Compared | None:
        """The medians of some rounds; None where the engine refuses the part."""
        rounds = []
        for _ in range(ROUNDS):
            costs = self.round(engine, parts[title])
            if costs is None:
                print(f"{engine} refuses {title}.", flush=True)
                return None
            rounds.append(costs)
        job, bare, again = (middle(list(costs)) for costs in zip(*rounds, strict=True))
        print(
            f"{engine}, {title}: job {job.wall:.2f} s, bare {bare.wall:.2f} s, CPU {job.cpu:.2f} "
            f"and {bare.cpu:.2f} s, again {again.wall:.3f} s",
            flush=True,
        )
        return Compared(title, job, bare, again)

    def round(self, engine: str, part: Part) -> tuple[Cost, Cost, Cost] | None:
        """Job, command and repeated job, for a part that nobody has seen before."""
        from apps.slicing.engines.base import SliceFailed

        self.number += 1
        model = self.model(part * np.float32(1 + 1e-5 * self.number))
        job, again = self.order(engine, model), self.order(engine, model)
        with tempfile.TemporaryDirectory() as name:
            try:
                command = self.command(engine, model, Path(name))
            except SliceFailed:
                return None  # as the job does: it is too large, say
            costs = cost(job), cost(command), cost(again)
        return costs if self.processed() else None

    def model(self, part: Part) -> Any:
        """A model that has been judged."""
        from apps.warehouse.actors.analysis import analyse_model
        from apps.warehouse.models import Model
        from apps.warehouse.services import models
        from apps.warehouse.services.content import store_content
        from core.files import blobs

        row = models.create(actor=self.owner, name="part")
        with blobs.scratch_dir() as folder:
            path = folder / "part.stl"
            write_binary(part, path)
            sha256, size = blobs.store_file(path)
        store_content(uuid=row.pk, sha256=sha256, size=size, place=lambda: None)
        analyse_model.fn(str(row.pk))
        return Model.objects.get(pk=row.pk)

    def order(self, engine: str, model: Any) -> Callable[[], None]:
        """A new slice; what its worker does."""
        from apps.slicing import actors
        from apps.slicing.services import slices

        config = self.configs[engine]
        row = slices.create(actor=self.owner, model=model.uri, config=config.uri)
        return lambda: actors.slice_model.fn(str(row.pk))

    def command(self, engine: str, model: Any, folder: Path) -> Callable[[], None]:
        """The engine's own command line, with the same model and settings."""
        from apps.slicing.domain.installed_engines import installed_engines
        from apps.slicing.engines import bed_placement
        from core.files import blobs

        slicer = installed_engines()[engine]
        settings = slicer.settings(self.configs[engine].parameters)
        bed = slicer.bed(settings)
        centre = bed.centre if engine == "slic3r" else (0.0, 0.0)
        with blobs.local_copy(model.canonical_id) as stl:
            bed_placement.place(stl, folder / "model.stl", bed=bed, centre=centre, margin=0.0)
        if engine == "slic3r":
            (folder / "config.ini").write_text(slicer.config_text(settings))
            words = ["prusa-slicer", "--export-gcode", "--dont-arrange", "--load", "config.ini"]
            words += ["--datadir", str(folder / "data"), "--output", "out.gcode", "model.stl"]
        else:
            pairs = [f"{key}={value}" for key, value in settings.items()]
            words = ["CuraEngine", "slice", *(word for pair in pairs for word in ("-s", pair))]
            words += ["-o", "out.gcode", "-l", "model.stl"]
        binary = shutil.which(words[0])
        if binary is None:
            raise SystemExit(f"{words[0]} is not installed.")
        environment = {"LC_ALL": "C"}
        return lambda: subprocess.run(
            [binary, *words[1:]], cwd=folder, env=environment, capture_output=True, check=False
        )

    def processed(self) -> bool:
        """Whether the last two slices came to gcode, the second to that of the first."""
        from apps.slicing.models import Slice

        rows = Slice.objects.order_by("-uuid")[:2]
        return {row.status for row in rows} == {"processed"}


def cost(work: Callable[[], Any]) -> Cost:
    """What a call takes of the clock, and of the cores with the processes that it starts."""
    wall, cpu = time.perf_counter(), processor_time()
    work()
    return Cost(time.perf_counter() - wall, processor_time() - cpu)


def processor_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


# ---------------------------------------------------------------- the real processes


def through_the_processes() -> list[Figure]:
    """From order to gcode over HTTP, one at a time and two at once."""
    platform = Platform(LOG_LEVEL="INFO")
    figures = []
    try:
        platform.start()
        client = Client(platform)
        for engine in ENGINES:
            body = {"engine": engine, "parameters": {"support": True}}
            answer = client.ask("POST", "slicing/config/curated/", 201, json=body)
            figures += orders(client, answer.headers["Location"], engine, scales())
    finally:
        left = platform.stop()
    if left:
        raise SystemExit(f"The platform left processes behind: {left}")
    return figures


def scales() -> Iterator[float]:
    """Factors that make a part one that nobody has seen."""
    number = 0
    while True:
        number += 1
        yield 1 + 1e-4 * number


def orders(client: Client, config: str, engine: str, factors: Iterator[float]) -> list[Figure]:
    alone, both = [], []
    with tempfile.TemporaryDirectory() as name:
        part = Path(name) / "part.stl"

        def model() -> str:
            write_binary(bracket() * np.float32(next(factors)), part)
            uri = client.model(part.read_bytes())
            client.settled(uri)
            return uri

        for _ in range(ROUNDS):
            pair = [model(), model()]
            for uri in pair:
                alone.append(order(client, config, [uri]))
            both.append(order(client, config, [model(), model()]))
    cores = os.cpu_count() or 1
    print(f"{engine}: alone {median(alone):.2f} s, two at once {median(both):.2f} s", flush=True)
    return [
        Figure(f"{engine}: order to gcode over HTTP", "s", median(alone)),
        Figure(
            f"{engine}: two at once, beside one after the other, {cores} cores",
            "s",
            median(both),
            2 * median(alone),
            "ratio <= 0.75",
        ),
    ]


def order(client: Client, config: str, models: list[str]) -> float:
    """s until the slices of these models, ordered at once, are all there."""
    begun = time.perf_counter()
    places = [
        client.ask("POST", "slicing/slice/", 201, json={"model": uri, "config": config}).headers[
            "Location"
        ]
        for uri in models
    ]
    while time.perf_counter() - begun < TIMEOUT:
        rows = [client.read(place) for place in places]
        if any(row["status"] == "error" for row in rows):
            raise SystemExit(f"A slice failed: {rows}")
        if all(row["status"] == "processed" for row in rows):
            return time.perf_counter() - begun
        time.sleep(POLL)
    raise SystemExit(f"Not done within {TIMEOUT:g} s.")


if __name__ == "__main__":
    main()

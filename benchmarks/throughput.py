"""Twenty slices ordered at once, beside the bare engine; and a slice beside others' uploads.

The parts differ, and nobody has seen them before; all have been judged when their slices are
ordered, over HTTP, through the real processes. The engine is PrusaSlicer's command with the same
settings on the same files, two at a time, as an operator would run it. Then somebody waits for a
slice, alone and while parts of 84,000 triangles have just been uploaded, whose verdicts, pictures
and estimates are worked on meanwhile. CPU is that of all processes of the platform, the database's
and the engine's too.
"""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from statistics import median

import numpy as np
import psutil

from benchmarks.end_to_end import fetch, finished, processor_time, wait
from benchmarks.kit import FULL, Cost, Figure, middle, report, torus
from geometry.formats.stl import write_binary
from geometry.sample_part import bracket
from tests.live.client import Client
from tests.live.processes import Platform
from tests.waiting import wait_for

ROUNDS = 5 if FULL else 2
SLICES, AT_ONCE = 20, 2
WAITS = 9 if FULL else 5  # rounds of a slice that somebody waits for
UPLOADS = 2
QUIET = 0.2  # of a core: less than the platform takes while anything is worked on


def main() -> None:
    platform = Platform(LOG_LEVEL="WARNING")
    try:
        platform.start()
        bench = Bench(platform)
        figures = [*bench.many(), *bench.one()]
    finally:
        left = platform.stop()
    if left:
        raise SystemExit(f"The platform left processes behind: {left}")
    report("throughput", figures)


class Bench:
    """A customer of a platform that runs."""

    def __init__(self, platform: Platform):
        self.platform, self.client = platform, Client(platform)
        self.config = self.client.config()
        self.scales: Iterator[float] = (1 + 1e-4 * number for number in count(1))

    def many(self) -> Iterator[Figure]:
        """The slices all at once, and the bare engine's."""
        ours, bare = [], []
        for number in range(ROUNDS):
            with tempfile.TemporaryDirectory() as name:
                files = [self.part(Path(name) / f"{part}.stl") for part in range(SLICES)]
                models = [self.judged(path.read_bytes()) for path in files]
                self.rest()
                ours.append(self.slices(models))
                self.rest()
                bare.append(self.engine(files, Path(name)))
            print(f"round {number}: {ours[-1].wall:.1f} s, bare {bare[-1].wall:.1f} s", flush=True)
        all_ours, all_bare = middle(ours), middle(bare)
        what = f"{SLICES} slices ordered at once"
        yield Figure(f"{what}: wall", "s", all_ours.wall, all_bare.wall, "ratio <= 1.1")
        yield Figure(f"{what}: CPU", "s", all_ours.cpu, all_bare.cpu)

    def one(self) -> Iterator[Figure]:
        """A slice that somebody waits for, alone and beside what others' uploads start."""
        alone, beside, pictures = [], [], []
        for _ in range(WAITS):
            with tempfile.TemporaryDirectory() as name:
                two = [self.judged(self.part(Path(name) / "part.stl").read_bytes()) for _ in "12"]
                self.rest()
                alone.append(self.slices(two[:1]).wall)
                self.rest()
                begun = time.perf_counter()
                others = [self.other(Path(name) / "other.stl") for _ in range(UPLOADS)]
                beside.append(self.slices(two[1:]).wall)
                for uri in others:
                    wait(lambda uri=uri: finished(self.client, uri)["snapshot"])
                pictures.append(time.perf_counter() - begun)
        what = f"a slice beside {UPLOADS} uploads: wall"
        yield Figure(what, "s", median(beside), median(alone), "ratio <= 1.1")
        yield Figure("their pictures are there after", "s", median(pictures))

    def part(self, path: Path) -> Path:
        """The file of a part that nobody has seen."""
        write_binary(bracket() * np.float32(next(self.scales)), path)
        return path

    def judged(self, data: bytes) -> str:
        """A model of this file, once its verdict is there."""
        uri = self.client.model(data)
        self.client.settled(uri)
        return uri

    def other(self, path: Path) -> str:
        """A model of somebody's large part, whose file has come just now."""
        write_binary(torus(84_000) * np.float32(next(self.scales)), path)
        return self.client.model(path.read_bytes())

    def slices(self, models: list[str]) -> Cost:
        """What it costs until the slices of these models are all there."""
        used, begun = processor_time(self.platform.processes()), time.perf_counter()
        orders = [{"model": uri, "config": self.config} for uri in models]
        answers = [self.client.ask("POST", "slicing/slice/", 201, json=one) for one in orders]
        # Who orders one waits for it; who orders twenty asks now and then how far they are.
        pause = 0.1 if len(models) == 1 else 0.25
        for answer in answers:
            uri = answer.headers["Location"]
            wait_for(lambda uri=uri: finished(self.client, uri)["content"], pause=pause)
        wall = time.perf_counter() - begun
        return Cost(wall, processor_time(self.platform.processes()) - used)

    def engine(self, files: list[Path], folder: Path) -> Cost:
        """The same by the engine's command."""
        ini = folder / "config.ini"
        ini.write_bytes(fetch(self.client, self.config))

        def run(path: Path) -> None:
            out = path.with_suffix(".gcode")
            words = ["prusa-slicer", "--export-gcode", "--load", ini, "--output", out, path]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)

        used, begun = children(), time.perf_counter()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(run, files))
        return Cost(time.perf_counter() - begun, children() - used)

    def rest(self) -> None:
        """Wait until the platform works on nothing."""

        def quiet() -> bool:
            before = processor_time(self.platform.processes())
            time.sleep(1.0)
            return processor_time(self.platform.processes()) - before < QUIET

        wait(quiet)


def children() -> float:
    """s of the processor that ended child processes have taken."""
    times = psutil.Process().cpu_times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    main()

"""A day of a shop through the real platform, as fast as it can work: what a machine must be.

Customers upload a part that nobody has seen before, wait for its verdict and its picture, ask for
another picture and for parts of its shape, have it sliced, and fetch the gcode; every fourth orders
four pieces and has them packed. As many customers are there at once as keep every core busy. Beside
them somebody opens pages all the time, and each state that changes is told to a receiver. It is
measured on one core and on two, of which the customers' own program takes a little. More cores are
computed from the processor time of a visit. Written into docs/sizing.md as well.
"""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median, quantiles

import psutil

from benchmarks.kit import FULL, ROOT, Figure, report
from benchmarks.workloads.customers import Customer, Day, open_pages, receiver, rest
from ops.programs import program_of
from tests.live.client import Client
from tests.live.processes import Platform
from tests.tables import put

WARM, LENGTH = (60.0, 900.0) if FULL else (30.0, 150.0)  # seconds, of which the first do not count
CUSTOMERS = 3  # at once, for each core
MORE = 4, 8, 16  # cores that are computed
PAGE = ROOT / "docs" / "sizing.md"
GROUPS = {  # what a program's name begins with, and what it is called in the table
    "web": "web",
    "meshes": "meshes: verdicts, transformations",
    "renders": "pictures",
    "slices": "slices, with the engines",
    "extras": "printability, previews, descriptions",
    "packing": "packing",
    "sender": "sender of callbacks",
    "providers": "providers",
    "housekeeping": "housekeeping",
    "database": "database",
    "postgres": "database",
}


@dataclass
class Found:
    """A day on so many cores."""

    cores: int
    seconds: float
    day: Day
    processor: dict[str, float]  # seconds by group, within the time that counts
    memory: dict[str, float]  # MiB by group, the most that was seen; what is shared counts once
    told: int  # callbacks
    files: float  # MiB that were kept

    def hourly(self, kind: str) -> float:
        return 3600 * self.day.done[kind] / self.seconds

    @property
    def visit(self) -> float:
        """Seconds of the processor for each customer."""
        return sum(self.processor.values()) / max(1, self.day.done["visits"])


def main() -> None:
    most = os.cpu_count() or 1
    days = [live(cores) for cores in sorted({1, most})]
    put(PAGE, "make bench NAME=shop", "\n".join(table(days)))
    print("\n".join(table(days)))
    report("shop", list(figures(days)))


def live(cores: int) -> Found:
    """A day on so many cores of this machine."""
    day, all_cores = Day(), os.sched_getaffinity(0)
    platform = Platform()
    own = sorted(all_cores)[:cores]
    try:
        os.sched_setaffinity(0, own)  # what is started now stays there
        platform.begin()
        os.sched_setaffinity(0, all_cores)
        platform.wait_until_ready()
        with receiver() as url:
            found = watched(platform, url, day, cores)
    finally:
        os.sched_setaffinity(0, all_cores)
        left = platform.stop()
    if left:
        raise SystemExit(f"The platform left processes behind: {left}")
    return found


def watched(platform: Platform, url: str, day: Day, cores: int) -> Found:
    """The customers' day, from outside."""
    failed: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)
            day.over = True

    customers = [Customer(platform, day, url, number) for number in range(CUSTOMERS * cores)]
    works = [customer.visits for customer in customers]
    works.append(lambda: open_pages(Client(platform), customers, day))
    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    rest(day, WARM)
    before, told, kept = processor(platform), delivered(platform), stored(platform)
    begun, memory = time.monotonic(), Counter[str]()
    day.counts = True
    while time.monotonic() - begun < LENGTH and not day.over:
        for group, size in resident(platform).items():
            memory[group] = max(memory[group], size)
        rest(day, 10.0)
    day.counts = False
    seconds, after = time.monotonic() - begun, processor(platform)
    told, kept = delivered(platform) - told, stored(platform) - kept
    day.over = True
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    used = {group: after[group] - before.get(group, 0.0) for group in after}
    return Found(cores, seconds, day, used, dict(memory), told, kept / 1024**2)


# ---------------------------------------------------------------- from outside


def programs(platform: Platform) -> Iterator[tuple[str, psutil.Process]]:
    """Every process of the platform, with the group that it, or what started it, belongs to."""

    def below(process: psutil.Process, group: str) -> Iterator[tuple[str, psutil.Process]]:
        try:
            name, line = program_of(process), process.cmdline()
            children = process.children()
        except psutil.Error:
            return
        if line and line[0].endswith("/postgres"):
            name = "postgres"
        group = GROUPS.get((name or "").partition("-")[0], group)
        yield group, process
        for child in children:
            yield from below(child, group)

    return below(psutil.Process(platform.first.pid), "supervision")


def processor(platform: Platform) -> dict[str, float]:
    """Seconds of the processor by group, with those of children that have ended."""
    used: Counter[str] = Counter()
    for group, process in programs(platform):
        try:
            used[group] += sum(process.cpu_times()[:4])
        except psutil.Error:
            pass
    return used


def resident(platform: Platform) -> dict[str, float]:
    """MiB by group; what several processes share is divided among them."""
    held: Counter[str] = Counter()
    for group, process in programs(platform):
        try:
            held[group] += process.memory_full_info().pss / 1024**2
        except psutil.Error:
            pass
    return held


def delivered(platform: Platform) -> int:
    """Callbacks that their receiver has taken."""
    query = "SELECT count(*) FROM callbacks_delivery WHERE state = 'delivered'"
    return platform.ask(query)[0][0]


def stored(platform: Platform) -> int:
    """Bytes of all files that are kept."""
    return platform.ask("SELECT coalesce(sum(size), 0)::bigint FROM core_blob")[0][0]


# ---------------------------------------------------------------- what is told


def figures(days: list[Found]) -> Iterator[Figure]:
    for found in days:
        on = f"{found.cores} core{'s' * (found.cores > 1)}"
        for kind in ("visits", "uploads", "pictures", "slices", "searches", "packings"):
            yield Figure(f"{on}: {kind} an hour", "", found.hourly(kind))
        yield Figure(f"{on}: processor of a visit", "s", found.visit)
        yield Figure(f"{on}: memory", "MiB", sum(found.memory.values()))
        for kind, took in sorted(found.day.took.items()):
            if len(took) > 1:
                yield Figure(f"{on}: {kind}, p95", "s", quantiles(took, n=20)[-1])


def table(days: list[Found]) -> list[str]:
    """The page's tables: what was measured, and what follows for more cores."""
    last = days[-1]
    busy = sum(last.processor.values()) / last.seconds / last.cores
    rows = [f"{LENGTH:g} s on each, load {os.getloadavg()[0]:.0f} at the end.", ""]
    heads = [str(found.cores) for found in days] + [f"{cores}, computed" for cores in MORE]
    rows += ["| Cores | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for kind in ("visits", "uploads", "pictures", "slices", "searches", "packings"):
        measured = [found.hourly(kind) for found in days]
        more = [last.hourly(kind) * cores / last.cores for cores in MORE]
        rows.append(f"| {kind} an hour | " + " | ".join(f"{n:.0f}" for n in measured + more) + " |")
    names = [str(found.cores) for found in days]
    rows += ["", "| Seconds, half of all and 95 of 100, on cores | " + " | ".join(names) + " |"]
    rows.append("|---" * (len(names) + 1) + "|")
    for kind in sorted(last.day.took):
        cells = [spread(found.day.took[kind]) for found in days]
        rows.append(f"| {kind} | " + " | ".join(cells) + " |")
    rows += ["", f"| On {last.cores} cores | Processor, s a visit | Memory, MiB |", "|---|---|---|"]
    for group, seconds in sorted(last.processor.items(), key=lambda item: -item[1]):
        each = seconds / max(1, last.day.done["visits"])
        rows.append(f"| {group} | {each:.2f} | {last.memory.get(group, 0):.0f} |")
    rows.append(f"| all | {last.visit:.2f} | {sum(last.memory.values()):.0f} |")
    rows += [
        "",
        f"A thousand visits take {1000 * last.visit / 3600:.1f} hours of one core and keep "
        f"{1000 * last.files / max(1, last.day.done['uploads']) / 1024:.1f} GiB of files; "
        f"{last.told / max(1, last.day.done['visits']):.1f} callbacks are sent for each. The "
        f"platform had {100 * busy:.0f} % of {last.cores} cores.",
    ]
    return rows


def spread(took: list[float]) -> str:
    if len(took) < 2:
        return ""
    return f"{median(took):.2f}, {quantiles(took, n=20)[-1]:.2f}"


if __name__ == "__main__":
    main()

"""What a start costs until every host and every worker serves, and the first jobs after it.

`manage.py up` of a set-up checkout with a migrated database, until it says that all is at work: by
then it has had an answer of each host, and a sign of life of each worker. CPU is that of all
processes, the database's too. Memory is that of all, of what several share each one's part (PSS),
some seconds later. The peer is the same platform with each program started by its command
(peers/started), so that each imports for itself. Below, the first picture and the first search
after a start; their peers are the second ones, of other parts.
"""

import os
import time
from collections.abc import Callable
from statistics import median

import psutil

from benchmarks.end_to_end import finished, processor_time, wait
from benchmarks.kit import FULL, ROOT, Figure, report
from tests.live.client import Client, ball
from tests.live.processes import Platform

ROUNDS = 7 if FULL else 3
SETTLED = 8.0  # s after which the workers' children have been started, too
POLL = 0.02


class Started(Platform):
    """One whose programs are started anew."""

    code = ROOT / "benchmarks" / "peers" / "started"


def main() -> None:
    starts: dict[str, list[tuple[float, float, float]]] = {"ours": [], "peer": []}
    for number in range(1 + ROUNDS):  # the first does not count
        for who, kind in (("ours", Platform), ("peer", Started)):
            starts[who].append(start(kind))
            wall, cpu, memory = starts[who][-1]
            load = os.getloadavg()[0]
            print(
                f"{who} {number}: {wall:.1f} s, CPU {cpu:.1f} s, {memory:.0f} MB, load {load:.0f}"
            )
    ours, peer = (
        [median(of) for of in zip(*measured[1:], strict=True)] for measured in starts.values()
    )
    figures = [
        Figure("start until all is at work: wall", "s", ours[0], peer[0], "<= 6"),
        Figure("start until all is at work: CPU", "s", ours[1], peer[1]),
        Figure("memory of all processes", "MB", ours[2], peer[2]),
    ]
    report("startup", figures + first_jobs())


def start(kind: type[Platform]) -> tuple[float, float, float]:
    """A start and its end: wall, s; CPU, s; memory, MB."""
    platform = kind()
    try:
        begun = time.perf_counter()
        platform.begin()
        while "\nReady.\n" not in platform.said():
            if platform.first.poll() is not None:
                raise SystemExit(platform.said())
            time.sleep(POLL)
        wall, cpu = time.perf_counter() - begun, processor_time(platform.processes())
        time.sleep(SETTLED)
        memory = sum(proportional(process) for process in platform.processes())
    finally:
        left = platform.stop()
    if left:
        raise SystemExit(f"The platform left processes behind: {left}")
    return wall, cpu, memory


def proportional(process: psutil.Process) -> float:
    """MB of a process, of what several have its share."""
    try:
        return process.memory_full_info().pss / 1e6
    except psutil.NoSuchProcess:
        return 0.0


def first_jobs() -> list[Figure]:
    """The first of each kind of job after a start; the second is the peer."""
    platform = Platform()
    try:
        platform.start()
        client = Client(platform)
        took = {
            "picture": [picture(client, ball(30, bumps=n)) for n in (1, 2)],
            "search": [search(client, ball(31, bumps=n)) for n in (1, 2)],
        }
    finally:
        platform.stop()
    return [Figure(f"first {what} after a start", "s", *two) for what, two in took.items()]


def timed(do: Callable[[], object]) -> float:
    begun = time.perf_counter()
    do()
    return time.perf_counter() - begun


def picture(client: Client, part: bytes) -> float:
    """From the upload to the picture, s."""
    model, location = client.create_model()

    def see() -> None:
        client.upload(location, part)
        wait(lambda: finished(client, model)["snapshot"])

    return timed(see)


def search(client: Client, part: bytes) -> float:
    """A search for what is like a model that is judged, s."""
    model = client.settled(client.model(part))["uri"]
    wanted = {"filter[model]": model}
    return timed(lambda: client.ask("GET", "search/similar-models/", 200, params=wanted))


if __name__ == "__main__":
    main()

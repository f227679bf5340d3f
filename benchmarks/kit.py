"""What all benchmarks share: rounds in turn, medians, a platform's database, and the report.

Run them by `python -m benchmarks [NAME]`. FULL=1 asks for the larger sizes too; DATA names a folder
of real meshes.
"""

import importlib.metadata
import json
import operator
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / ".cache" / "benchmarks"  # packages that are only measured beside
REQUIREMENTS = ROOT / "benchmarks" / "requirements.txt"  # which they are
FULL = os.environ.get("FULL") == "1"
DATA = Path(os.environ["DATA"]) if os.environ.get("DATA") else None
SIGNS = {"<=": operator.le, ">=": operator.ge}


@dataclass(frozen=True)
class Cost:
    """What one call took, s: by the clock, and of this process's cores."""

    wall: float
    cpu: float


def in_turn(
    jobs: Mapping[str, Callable[[], Any]], *, rounds: int, calls: int = 1, warm: int = 1
) -> dict[str, Cost]:
    """The median cost of each job; every round does each of them `calls` times.

    warm : rounds that come first and do not count
    """
    costs: dict[str, list[Cost]] = {name: [] for name in jobs}
    for _ in range(warm + rounds):
        for name, job in jobs.items():
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(calls):
                job()
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            costs[name].append(Cost(wall / calls, cpu / calls))
    return {name: middle(measured[warm:]) for name, measured in costs.items()}


def middle(costs: list[Cost]) -> Cost:
    """The median of the walls and that of the processor times."""
    return Cost(median(cost.wall for cost in costs), median(cost.cpu for cost in costs))


@dataclass(frozen=True)
class Figure:
    """One line of a report.

    goal : a limit of `ours`, such as ">= 25", or of the ratio to the peer: "ratio <= 1.5"
    """

    name: str
    unit: str
    ours: float
    peer: float | None = None
    goal: str = ""

    @property
    def ratio(self) -> float | None:
        return self.ours / self.peer if self.peer else None

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None where there is none."""
        if not self.goal:
            return None
        *what, sign, limit = self.goal.split()
        value = self.ratio if what else self.ours
        return value is not None and bool(SIGNS[sign](value, float(limit)))

    def as_json(self) -> dict[str, Any]:
        return {
            "figure": self.name,
            "unit": self.unit,
            "ours": significant(self.ours),
            "peer": significant(self.peer),
            "ratio": significant(self.ratio),
            "goal": self.goal,
            "met": self.met,
        }


def significant(value: float | None) -> float | None:
    """Four digits of it."""
    return None if value is None else float(f"{value:.4g}")


def report(benchmark: str, figures: list[Figure]) -> None:
    """Print the figures, last of all as one line of JSON."""
    rows = [figure.as_json() for figure in figures]
    for row in rows:
        against = "" if row["ratio"] is None else f" peer {row['peer']:>10g}  {row['ratio']:.3f}"
        verdict = {None: "", True: "met", False: "MISSED"}[row["met"]]
        measured = f"{row['figure']:46} {row['ours']:>10g} {row['unit']:6}{against:26}"
        print(f"{measured} {row['goal']} {verdict}".rstrip())
    print(json.dumps({"benchmark": benchmark, "cores": os.cpu_count(), "figures": rows}))


def table(figures: list[dict[str, Any]]) -> str:
    """The rows of a report's JSON as a table in Markdown."""
    lines = ["| Figure | Ours | Peer | Ratio | Goal | |", "|---|---|---|---|---|---|"]
    for row in figures:
        peer = "" if row["peer"] is None else f"{row['peer']:g} {row['unit']}"
        ratio = "" if row["ratio"] is None else f"{row['ratio']:g}"
        verdict = {None: "", True: "met", False: "missed"}[row["met"]]
        ours = f"{row['ours']:g} {row['unit']}"
        cells = [row["figure"], ours, peer, ratio, row["goal"], verdict]
        lines.append("".join(f"| {text} " if text else "| " for text in cells) + "|")
    return "\n".join(lines)


def fetch_peer(name: str) -> bool:
    """Whether a package of benchmarks/requirements.txt is in PEERS, after it was fetched there.

    Of the packages this one alone is fetched, and it is said which; pip adds how large it is.
    """
    wanted = next(line for line in REQUIREMENTS.read_text().split() if line.startswith(f"{name}=="))
    if wanted.lower() in fetched():
        return True
    print(f"Fetching {wanted} into {PEERS.relative_to(ROOT)}, to be measured beside.", flush=True)
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--upgrade", "--progress-bar=off"]
    if subprocess.run([*pip, "--target", str(PEERS), wanted], check=False).returncode:
        print(f"{wanted} cannot be fetched: our own figures only.")
        return False
    return True


def fetched() -> set[str]:
    """What is in PEERS, each package with its version as requirements say it, in lower case."""
    packages = importlib.metadata.distributions(path=[str(PEERS)])
    return {f"{package.name}=={package.version}".lower() for package in packages}


@contextmanager
def django_with_database(settings: str = "project.settings") -> Iterator[Path]:
    """Django on a PostgreSQL of its own; the DATA_DIR, which is gone afterwards."""
    from core.postgres.embedded import (
        EmbeddedPostgres,  # as below: read with the environment made here
    )

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.pop("DATABASE_URL", None)
        os.environ |= {
            "DATA_DIR": name,
            "DJANGO_SETTINGS_MODULE": settings,
            "LOG_LEVEL": "ERROR",
            "LIMITS": "requests=,requests_anonymous=",
        }
        postgres = EmbeddedPostgres(folder)
        postgres.start()
        try:
            postgres.create_database()
            (folder / "static").mkdir()
            import django

            django.setup()
            from django.core.management import call_command
            from django.db import connections

            call_command("migrate", verbosity=0)
            try:
                yield folder
            finally:
                connections.close_all()
        finally:
            postgres.stop()


def torus(triangles: int) -> NDArray[np.float32]:
    """(m, 3, 3), mm: about so many triangles of a ring with a wavy tube, closed, 106 mm wide."""
    rings = round((triangles / 2 * 1.05) ** 0.5)
    segments = round(triangles / 2 / rings)
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
    corners = np.stack([points, across, beyond, points, beyond, along], axis=2)
    return corners.reshape(-1, 3, 3).astype(np.float32)


_handler: Any = None


def request(host: str, credentials: str, path: str, query: str) -> bytes:
    """The body of a GET's answer, through Django's WSGI handler; `credentials` are for Basic."""
    from django.core.wsgi import get_wsgi_application

    global _handler
    _handler = _handler or get_wsgi_application()
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SERVER_NAME": host,
        "SERVER_PORT": "80",
        "HTTP_HOST": host,
        "HTTP_AUTHORIZATION": f"Basic {credentials}",
        "wsgi.input": sys.stdin.buffer,
        "wsgi.errors": sys.stderr,
        "wsgi.url_scheme": "http",
        "REMOTE_ADDR": "127.0.0.1",
    }
    status: list[str] = []
    answer = b"".join(_handler(environ, lambda line, headers, exc=None: status.append(line)))
    if status != ["200 OK"]:
        raise SystemExit(f"{query}: {status} {answer[:500]!r}")
    return answer

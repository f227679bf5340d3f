"""Slicers' programs that the owner of the agent has named, and their versions."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from agent.engine_kinds import KINDS, kind_of
from agent.engine_sandbox import EngineLimits, EngineSandbox, memory_limit
from agent.state import StateDir
from machines.drivers import Rejected

VERSION_SECONDS, VERSION_BYTES = 120.0, 64 << 20


class Engine(NamedTuple):
    """A program of one kind of slicer; `program` is an absolute path."""

    kind: str
    program: str
    version: str


def jobs_folder(folder: StateDir) -> Path:
    """Return where the folders of jobs are."""
    return folder.path.resolve() / "engine-jobs"


def stored_engines(folder: StateDir) -> list[Engine]:
    """Return the programs that were named, at most one of a kind."""
    rows = folder.read().get("engines", [])
    return [Engine(**row) for row in rows if row["kind"] in KINDS]


def store_engine(folder: StateDir, engine: Engine) -> None:
    """Store a program; another one of its kind is replaced."""
    remove_engine(folder, engine.kind)
    rows = [row._asdict() for row in (*stored_engines(folder), engine)]
    folder.change(engines=rows)


def remove_engine(folder: StateDir, kind: str) -> bool:
    """Remove the program of a kind; return whether there was one."""
    engines = stored_engines(folder)
    rest = [row._asdict() for row in engines if row.kind != kind]
    folder.change(engines=rest)
    return len(rest) < len(engines)


def chosen_kind(program: Path, kind: str | None) -> str:
    """Return the kind of a program by its name, unless it is stated. Raises ValueError."""
    if chosen := kind or kind_of(program):
        return chosen
    raise ValueError(
        f"{program.name} is no name of a slicer that the agent runs: "
        f"write --kind with one of {', '.join(KINDS)}."
    )


def detect_engine(program: str, kind: str | None, sandbox: EngineSandbox) -> Engine:
    """Run a program for its version. Raises ValueError, and Rejected where it has none."""
    if not sys.platform.startswith("linux"):
        raise ValueError("An agent runs slicers on Linux alone.")
    path = Path(program).expanduser().absolute()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise ValueError(f"{path} is no program: write the path of the slicer's program file.")
    chosen = chosen_kind(path, kind)
    row = KINDS[chosen]
    lines: list[str] = []
    limits = EngineLimits(VERSION_SECONDS, VERSION_BYTES, memory_limit())
    with TemporaryDirectory(dir=sandbox.jobs()) as folder:

        def read(line: str) -> None:
            if match := row.version.search(line):
                lines.append(match[1])

        outcome = sandbox.run(path, [row.help], Path(folder), limits, on_line=read)
    if not lines:
        last = outcome.log.splitlines()[-1:] or ["it printed nothing"]
        raise Rejected(f"{path} does not state a version of {row.title}: {last[0][:300]}")
    return Engine(chosen, str(path), lines[0])

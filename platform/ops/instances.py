"""Finds running instances of this checkout by their processes.

Only the standard library: it is asked before there are settings.
"""

import os
from collections.abc import MutableMapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Ambiguous(Exception):
    """More than one runs; the text names them, and says how to choose."""


@dataclass(frozen=True)
class Instance:
    """A `manage.py up`: its process, its DATA_DIR, and the environment it was started with."""

    process: int
    data_dir: Path
    environment: dict[str, str]


def running_platforms() -> list[Instance]:
    """Those of this folder that we may look at, the one that runs the web process first."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_text().split("\0")
            script = next((at for at, word in enumerate(words) if word.endswith("manage.py")), -1)
            if script < 0 or words[script + 1] != "up":
                continue
            lines = (process / "environ").read_bytes().split(b"\0")
            folder = (process / "cwd").resolve(strict=True)
        except (OSError, UnicodeDecodeError):
            continue  # it has ended, or is somebody else's
        if (folder / words[script]).resolve() != ROOT / "manage.py":
            continue
        pairs = (os.fsdecode(line).partition("=") for line in lines if line)
        environment = {name: value for name, _, value in pairs}
        data_dir = (folder / environment.get("DATA_DIR", ROOT / "data")).resolve()
        found.append((not _runs_web(words), Instance(int(process.name), data_dir, environment)))
    return [running for _, running in sorted(found, key=lambda pair: pair[0])]


def _runs_web(words: list[str]) -> bool:
    pairs = [*(word.split("=", 1) for word in words if "=" in word), *pairwise(words)]
    parts = [value for name, value in pairs if name in ("--parts", "--only")]  # its former name
    return not parts or "web" in parts[-1].split(",")


def join_running(environment: MutableMapping[str, str]) -> None:
    """Give this process the settings of the platform that runs.

    What `environment` says itself stands; its DATA_DIR names one of several. Where none runs,
    nothing changes. Raises Ambiguous.
    """
    found = running_platforms()
    if wanted := environment.get("DATA_DIR"):
        found = [running for running in found if running.data_dir == Path(wanted).resolve()]
    folders = sorted({str(running.data_dir) for running in found})
    if len(folders) > 1:
        words = "\n".join(f"  DATA_DIR={folder}" for folder in folders)
        raise Ambiguous(
            f"{len(folders)} platforms run. Name the one that is meant, by one of\n{words}"
        )
    for running in found:
        environment.setdefault("DATA_DIR", str(running.data_dir))
        for name, value in running.environment.items():
            environment.setdefault(name, value)

"""Installed PrusaSlicer: version and settings, read from the program, cached by its SHA-256.

A process reads it once for each state of the program's file; other processes, and later ones, find
it in `engine_cache`. A script that starts the program elsewhere is not cached in a file: its own
hash says nothing of the program.
"""

import logging
import subprocess
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from apps.slicing.configs import capabilities
from apps.slicing.configs.capabilities import Capabilities
from apps.slicing.engines import engine_cache
from apps.slicing.engines.engine_process import ENVIRONMENT

TIMEOUT_SECONDS = 60
FACT = "capabilities-1"  # raised when `capabilities.parse` reads something else of the same texts

log = logging.getLogger(__name__)


def read(binary: Path, facts: Path | None = None) -> Capabilities | None:
    """Return what a program knows; None where it is no PrusaSlicer that runs.

    binary : its path, which may be a link
    facts  : the folder of `engine_cache`
    """
    path = binary.resolve()
    try:
        state = path.stat()
    except OSError:
        return None
    return _read(path, (state.st_ino, state.st_size, state.st_mtime_ns), facts)


@lru_cache(maxsize=8)
def _read(path: Path, _state: tuple[int, ...], facts: Path | None) -> Capabilities | None:
    if _is_script(path):
        return _ask(path)
    with suppress(ValueError, KeyError, TypeError, AttributeError):
        return capabilities.from_json(engine_cache.look_up(path, FACT, facts))
    known = _ask(path)
    if known is not None:
        engine_cache.store(path, FACT, known.to_json(), facts)
    return known


def _is_script(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return True


def _ask(path: Path) -> Capabilities | None:
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "defaults.ini"
        _run(path, "--datadir", folder, "--save", str(saved))
        content = saved.read_text(encoding="utf-8") if saved.exists() else ""
        return capabilities.parse(_run(path, "--datadir", folder, "--help-fff"), content)


def _run(path: Path, *arguments: str) -> str:
    """What a program prints; nothing where it cannot be run."""
    try:
        # a program found on our own path, with fixed arguments
        done = subprocess.run(  # noqa: S603
            [str(path), *arguments],
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            env=ENVIRONMENT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        log.warning("engine not readable path=%s reason=%s", path, error)
        return ""
    return done.stdout.decode(errors="replace")

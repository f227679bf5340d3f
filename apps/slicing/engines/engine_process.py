"""Runs an engine as a confined child process."""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from apps.slicing.engines.base import (
    CRASHED,
    EngineLimits,
    OnLine,
    Outcome,
    Progress,
    SliceFailed,
)
from core.process.autogroup import keep_niceness
from core.process.cancellation import cancellable
from core.sandbox import confinement
from core.sandbox.confinement.uid_switch import take_back

LAUNCHER = Path(confinement.__file__).with_name("launcher.py")
ENVIRONMENT = {"LC_ALL": "C", "MALLOC_ARENA_MAX": "2"}  # many threads in a small address space
ENTRY_BYTES = 4096  # also for an empty file
POLL_SECONDS = 0.2
HEARTBEAT_SECONDS = 1.0
LOG_BYTES = 16 << 10
LINE_BYTES = 8 << 10


def run(
    command: Sequence[str],
    folder: Path,
    *,
    limits: EngineLimits,
    on_line: OnLine,
    programs: Sequence[str] = (),
    progress: Progress | None = None,
) -> Outcome:
    """Run a program locked into `folder`, with nothing of our environment, until it ends.

    command  : the program's absolute path and its arguments
    on_line  : given each line it prints; may answer with (fraction done, stage)
    programs : others that it becomes in its turn

    Raises SliceFailed where it meets a limit. Whatever is raised, the process is gone.
    """
    start = time.monotonic()
    words = [str(os.getpid()), _rlimits(limits), ":".join([command[0], *programs])]
    process = subprocess.Popen(  # noqa: S603  our own launcher, and a list, not a shell
        [sys.executable, "-I", "-S", str(LAUNCHER), *words, *command],
        cwd=folder,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    keep_niceness(process.pid)
    output = _Output(on_line)
    try:
        with cancellable(partial(_end, process)):
            _watch(process, folder, output, limits, progress, deadline=start + limits.wall_seconds)
            status = process.wait(timeout=max(0.0, start + limits.wall_seconds - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise _out_of_time(limits, output.log) from error
    finally:
        _end(process)
        process.wait()
        if process.stdout:
            process.stdout.close()
        take_back(folder)
    _refuse_limits(status, limits, output.log)
    return Outcome(status, time.monotonic() - start, output.log)


def _end(process: subprocess.Popen) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _rlimits(limits: EngineLimits) -> str:
    numbers = {
        "CPU": limits.cpu_seconds,
        "AS": limits.address_space_bytes,
        "FSIZE": limits.output_bytes,
        "NOFILE": 64,
        "CORE": 0,
        "STACK": 2 << 20,  # what every thread reserves; CuraEngine starts one a layer
        "NPROC": 4096,
    }
    return ",".join(f"{name}={number}" for name, number in numbers.items())


class _Output:
    """What the process has printed: its end is kept, its lines are passed on."""

    def __init__(self, on_line: OnLine):
        self.at: tuple[float, str] = (0.0, "starting")
        self._on_line = on_line
        self._line = b""
        self._tail = b""

    @property
    def log(self) -> str:
        return self._tail.decode(errors="replace")

    def take(self, data: bytes) -> None:
        self._tail = (self._tail + data)[-LOG_BYTES:]
        *lines, self._line = (self._line + data).split(b"\n")
        self._line = self._line[-LINE_BYTES:]
        for line in lines:
            progress = self._on_line(line[:LINE_BYTES].decode(errors="replace").strip())
            # Of steps side by side an earlier one may end last.
            if progress and progress[0] >= self.at[0]:
                self.at = progress


def _watch(
    process: subprocess.Popen,
    folder: Path,
    output: _Output,
    limits: EngineLimits,
    progress: Progress | None,
    *,
    deadline: float,
) -> None:
    """Read what the process prints until it closes its output; look at what it uses."""
    allowed_bytes = _disk_bytes(folder) + limits.output_bytes
    noted = looked = 0.0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
        while True:
            if selector.select(POLL_SECONDS):
                data = os.read(process.stdout.fileno(), 1 << 16)  # type: ignore[union-attr]
                if not data:
                    break
                output.take(data)
            now = time.monotonic()
            if now > deadline:
                raise _out_of_time(limits, output.log)
            if now - looked >= POLL_SECONDS:
                looked = now
                if _resident_bytes(process.pid) > limits.memory_bytes:
                    raise _out_of_memory(limits, output.log)
                if _disk_bytes(folder) > allowed_bytes:
                    raise _too_large(limits, output.log)
            if progress and now - noted >= HEARTBEAT_SECONDS:
                noted = now
                progress(*output.at)


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0  # it has just ended


def _disk_bytes(folder: Path) -> int:
    """What the files in a folder take up; each also a little for itself."""
    total = 0
    for directory, _, names in os.walk(folder):
        for name in (".", *names):
            with suppress(FileNotFoundError):  # an engine renames its file at the end
                total += 512 * os.lstat(os.path.join(directory, name)).st_blocks + ENTRY_BYTES
    return total


def _out_of_time(limits: EngineLimits, log: str) -> SliceFailed:
    title = (
        f"Slicing took longer than {limits.wall_seconds:g} s. "
        "Simplify the model, or choose a coarser print quality."
    )
    return SliceFailed("time-limit", title, log)


def _out_of_memory(limits: EngineLimits, log: str) -> SliceFailed:
    title = (
        f"Slicing needed more than {limits.memory_bytes >> 20} MiB of memory. "
        "Simplify the model, or choose a coarser print quality."
    )
    return SliceFailed("memory-limit", title, log)


def _too_large(limits: EngineLimits, log: str) -> SliceFailed:
    title = (
        f"The gcode would be larger than {limits.output_bytes >> 20} MiB. "
        "Choose a coarser print quality or less infill."
    )
    return SliceFailed("output-limit", title, log)


def _refuse_limits(status: int, limits: EngineLimits, log: str) -> None:
    """Raise where the exit status or the last words tell of a limit, or of a kill."""
    if status == -signal.SIGXCPU:
        title = (
            f"Slicing used up {limits.cpu_seconds} s of processor time. "
            "Simplify the model, or choose a coarser print quality."
        )
        raise SliceFailed("time-limit", title, log)
    if status == -signal.SIGXFSZ or "File too large" in log:
        raise _too_large(limits, log)
    if status and any(words in log for words in ("bad_alloc", "ut of memory", "Cannot allocate")):
        raise _out_of_memory(limits, log)
    if status == -signal.SIGKILL:
        title = "The engine was killed from outside, perhaps for lack of memory. Slice again."
        raise SliceFailed("engine-killed", title, log)
    if status < 0:
        name = signal.Signals(-status).name
        title = f"The engine crashed ({name}) on this model. Repair the model and slice again."
        raise SliceFailed(CRASHED, title, log)

"""Isolation of a slicer that runs beside the printers: Bubblewrap, namespaces, or limits alone.

The first that works on this computer is taken. In Bubblewrap and in namespaces a program has no
network, sees no process but its own, reads the system and its own folder, and writes into the
folder of its job alone. With limits alone it can do what the user of the agent can.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import NamedTuple

from agent.engine_launcher import (
    ISOLATION_FAILED,
    NOT_EXECUTABLE,
    PROC_OF_SYSTEM,
    LaunchOrder,
)
from agent.engine_usage import resident_bytes, used_bytes

BUBBLEWRAP, NAMESPACES, LIMITS = "bubblewrap", "namespaces", "limits"
ISOLATION_TEXTS = {
    BUBBLEWRAP: "no network, and no files but those of a job.",
    NAMESPACES: "no network, and no files but those of a job.",
    LIMITS: "time, memory and sizes alone. Install Bubblewrap (bwrap) for more.",
}
# Without tab and line feed; a terminal adds carriage returns.
CONTROL_CHARACTERS = dict.fromkeys({*range(32), 127} - {9, 10})
LAUNCHER = Path(__file__).with_name("engine_launcher.py")
JOB, PROGRAM, TEMPORARY = "/job", "/engine", "tmp"
# What programs read; the first four may be links into /usr.
SYSTEM = (
    *("/bin", "/sbin", "/lib", "/lib64", "/usr", "/nix/store", "/sys/devices/system/cpu"),
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime"),
)
# Signs of a folder that belongs to an unpacked program alone.
OF_PROGRAM = ("resources", "AppRun")
POLL_SECONDS, LOOK_SECONDS = 0.2, 0.5
STOP_SECONDS = 10.0  # until a launcher that was stopped is killed
LOG_BYTES, LINE_BYTES, MAX_PRINTED_BYTES = 64 << 10, 8 << 10, 256 << 20
MIN_FREE_BYTES = 512 << 20  # of the disk, which the agent itself needs, too
MIN_ADDRESS_SPACE = 4 << 30
APP_IMAGE_BYTES, MAX_TEMPORARY_BYTES = 1 << 30, 4 << 30  # of a file that it unpacks; of all
OPEN_FILES = 512
ALLOCATION_ERRORS = ("bad_alloc", "ut of memory", "Cannot allocate")


class EngineLimits(NamedTuple):
    """Limits of a run: wall time in s, size of its files, and memory in bytes."""

    seconds: float
    output_bytes: int
    memory_bytes: int


class EngineOutcome(NamedTuple):
    """End of a run.

    reason : why it failed, as the platform names it; empty: it ended well, or was stopped
    log    : the last 16 KiB of its output, and the limit that ended it
    """

    reason: str
    seconds: float
    log: str


class LimitExceeded(Exception):
    """A run has met a limit: `reason` as the platform names it."""

    def __init__(self, reason: str, text: str):
        super().__init__(text)
        self.reason = reason


class EngineSandbox:
    """Runs programs in one kind of isolation.

    jobs : folder of the folders of jobs, in the state folder of the agent
    """

    def __init__(self, isolation: str, jobs: Path):
        self.isolation, self._jobs = isolation, jobs
        self._has_root = isolation != LIMITS

    def jobs(self) -> Path:
        """Return the folder of the folders of jobs; it exists."""
        self._jobs.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._jobs

    def place_of(self, folder: Path) -> str:
        """Return the path of a job's folder, as the program sees it."""
        return JOB if self._has_root else str(folder)

    def works(self) -> bool:
        """Return whether a program runs in this isolation on this computer."""
        program = shutil.which("true")
        if program is None or (self.isolation == BUBBLEWRAP and not shutil.which("bwrap")):
            return False
        with TemporaryDirectory(dir=self.jobs()) as folder:
            limits = EngineLimits(60.0, 1 << 20, memory_limit())
            return not self.run(Path(program), (), Path(folder), limits).reason

    def run(
        self,
        program: Path,
        arguments: Sequence[str],
        folder: Path,
        limits: EngineLimits,
        *,
        on_line: Callable[[str], None] | None = None,
        stop: Event | None = None,
    ) -> EngineOutcome:
        """Run a program in the folder of a job until it ends, meets a limit, or is stopped.

        on_line : receives each line of its output, at most 8 KiB of it
        stop    : set where the job is not wanted any more

        Afterwards no process of it is left.
        """
        (folder / TEMPORARY).mkdir(mode=0o700, exist_ok=True)
        order = self._order(program, arguments, folder, limits)
        output, began = _Output(on_line), time.monotonic()
        master, slave = os.openpty()  # into a pipe, many programs print all at their end
        process = subprocess.Popen(  # noqa: S603  the agent's own launcher
            [sys.executable, "-I", "-S", str(LAUNCHER)],
            cwd="/",
            env={"LC_ALL": "C"},
            stdin=subprocess.PIPE,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        reason, text = "", ""
        try:
            _send_order(process, order)
            _watch(process, master, output, _Bounds(folder, limits), stop or Event())
        except LimitExceeded as error:
            reason, text = error.reason, str(error)
        finally:
            end(process)
            os.close(master)
        log = output.log
        if not (reason or (stop and stop.is_set())):
            reason = reason_of(process.returncode, log)
        return EngineOutcome(reason, time.monotonic() - began, f"{log}\n{text}" if text else log)

    def _order(
        self, program: Path, arguments: Sequence[str], folder: Path, limits: EngineLimits
    ) -> LaunchOrder:
        program = program.resolve()
        read_only, links = system_paths()
        if self._has_root and not program.is_relative_to("/usr"):
            top = folder_of(program, self._jobs.resolve())
            inner = PROGRAM if top != program else f"{PROGRAM}/{program.name}"
            read_only.append((str(top), inner))
            command = f"{PROGRAM}/{program.name if top == program else program.relative_to(top)}"
        else:
            command = str(program)
        place = self.place_of(folder)
        is_app_image = program.suffix.lower() == ".appimage"
        order = LaunchOrder(
            parent=os.getpid(),
            namespaces=self.isolation == NAMESPACES,
            command=[command, *arguments],
            environment=environment(place, "/tmp" if self._has_root else f"{place}/{TEMPORARY}"),  # noqa: S108
            limits={
                "CPU": int(limits.seconds * (os.cpu_count() or 1)) + 1,
                "AS": max(limits.memory_bytes, MIN_ADDRESS_SPACE),
                "FSIZE": max(limits.output_bytes, APP_IMAGE_BYTES * is_app_image),
                "NOFILE": OPEN_FILES,
                "CORE": 0,
            },
            read_only=read_only,
            links=links,
            writable=[(str(folder), JOB), (str(folder / TEMPORARY), "/tmp")],  # noqa: S108
            folder=place,
        )
        return bubblewrapped(order) if self.isolation == BUBBLEWRAP else order


def best_sandbox(jobs: Path) -> EngineSandbox:
    """Return the strongest isolation that works on this computer."""
    for isolation in (BUBBLEWRAP, NAMESPACES):
        sandbox = EngineSandbox(isolation, jobs)
        if sandbox.works():
            return sandbox
    return EngineSandbox(LIMITS, jobs)


def memory_limit() -> int:
    """Return the memory that a job may use: three quarters of the computer's, bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4


def environment(home: str, temporary: str) -> dict[str, str]:
    """Return the variables of a program: nothing of the agent's own."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": temporary,
        "LC_ALL": "C.UTF-8",
        "MALLOC_ARENA_MAX": "2",  # many threads in a bounded address space
        "APPIMAGE_EXTRACT_AND_RUN": "1",  # an AppImage cannot be mounted without privileges
    }


def system_paths() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the paths of the system that a program reads, and links to them: (place, target)."""
    links = [(path, os.readlink(path)) for path in SYSTEM[:4] if os.path.islink(path)]
    paths = [path for path in SYSTEM if os.path.exists(path) and not os.path.islink(path)]
    if os.path.islink("/etc/localtime"):
        paths.append("/etc/localtime")
    return [(path, path) for path in paths], links


def folder_of(program: Path, jobs: Path) -> Path:
    """Return the folder that a program needs to read: of an unpacked one its own, else the file.

    A folder that contains a home or the agent's own files, or is at the top, is never taken.
    """
    if program.suffix.lower() == ".appimage":
        return program
    candidates = [
        program.parent,
        *([program.parent.parent] if program.parent.name == "bin" else ()),
    ]
    for candidate in candidates:
        is_shared = len(candidate.parts) <= 2 or any(
            path.is_relative_to(candidate) for path in (Path.home().resolve(), jobs)
        )
        if not is_shared and any((candidate / name).exists() for name in OF_PROGRAM):
            return candidate
    return program


def bubblewrapped(order: LaunchOrder) -> LaunchOrder:
    """Return the order with its command in Bubblewrap."""
    arguments = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for source, target in order["read_only"]:
        arguments += ["--ro-bind", source, target]
    for place, target in order["links"]:
        arguments += ["--symlink", target, place]
    arguments += ["--dev", "/dev", "--proc", "/proc"]
    for path in PROC_OF_SYSTEM:
        arguments += ["--ro-bind-try", path, path]
    for source, target in order["writable"]:
        arguments += ["--bind", source, target]
    arguments += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", order["folder"], "--"]
    order["command"] = [str(shutil.which("bwrap")), *arguments, *order["command"]]
    order["folder"] = "/"
    return order


def reason_of(status: int, log: str) -> str:
    """Return why a run failed, by its exit status and its last output; empty: it did not."""
    if status in (ISOLATION_FAILED, NOT_EXECUTABLE, 127) or (status and log.startswith("bwrap: ")):
        return "not-started"
    if status == 128 + signal.SIGXCPU:
        return "time-limit"
    if status == 128 + signal.SIGXFSZ or (status and "File too large" in log):
        return "output-limit"
    if status and any(text in log for text in ALLOCATION_ERRORS):
        return "memory-limit"
    return "engine-failed" if status else ""


def _send_order(process: subprocess.Popen[bytes], order: LaunchOrder) -> None:
    if process.stdin is not None:
        with suppress(BrokenPipeError), process.stdin as pipe:  # it ended at once
            pipe.write(json.dumps(order).encode())


class _Output:
    """Output of a program: its end is stored, its lines are passed on."""

    def __init__(self, on_line: Callable[[str], None] | None):
        self._on_line, self._line, self._tail, self._count = on_line, b"", b"", 0

    @property
    def log(self) -> str:
        return self._tail.decode(errors="replace").translate(CONTROL_CHARACTERS).strip()

    def take(self, data: bytes) -> None:
        self._count += len(data)
        if self._count > MAX_PRINTED_BYTES:
            raise LimitExceeded("output-limit", f"Printed more than {MAX_PRINTED_BYTES} bytes.")
        self._tail = (self._tail + data)[-LOG_BYTES:]
        *lines, self._line = (self._line + data).split(b"\n")
        self._line = self._line[:LINE_BYTES]
        if self._on_line:
            for line in lines:
                self._on_line(line[:LINE_BYTES].decode(errors="replace").strip())


class _Bounds:
    """What one run may use beside the files that its folder has already."""

    def __init__(self, folder: Path, limits: EngineLimits):
        self._folder, self._limits = folder, limits
        self._max_bytes = limits.output_bytes + (used_bytes(folder, TEMPORARY) or (0, 0))[0]
        self._began = self._looked = time.monotonic()

    def check(self, process: int) -> None:
        """Raise LimitExceeded for what a process and those below it use."""
        limits, now = self._limits, time.monotonic()
        if now - self._began > limits.seconds:
            raise LimitExceeded("time-limit", f"Ran longer than {limits.seconds:g} s.")
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        if resident_bytes(process) > limits.memory_bytes:
            text = f"Needed more than {limits.memory_bytes >> 20} MiB of memory."
            raise LimitExceeded("memory-limit", text)
        used = used_bytes(self._folder, TEMPORARY)
        if used is None or used[0] > self._max_bytes or used[1] > MAX_TEMPORARY_BYTES:
            text = f"Wrote more than {limits.output_bytes} bytes, or too many files."
            raise LimitExceeded("output-limit", text)
        if shutil.disk_usage(self._folder).free < MIN_FREE_BYTES:
            text = f"Less than {MIN_FREE_BYTES >> 20} MiB of the disk were free."
            raise LimitExceeded("output-limit", text)


def _watch(
    process: subprocess.Popen[bytes], output: int, lines: _Output, bounds: _Bounds, stop: Event
) -> None:
    """Read the output until the process ends or is stopped. Raises LimitExceeded."""
    is_open = True
    while not stop.is_set():
        data = None
        if is_open:
            data = _read(output)
            is_open = data != b""
        else:
            with suppress(subprocess.TimeoutExpired):
                process.wait(POLL_SECONDS)
        if data:
            lines.take(data)
        elif process.poll() is not None:
            return
        bounds.check(process.pid)


def _read(output: int) -> bytes | None:
    """Return new output; None: none for a moment; empty: its end."""
    if not select.select([output], [], [], POLL_SECONDS)[0]:
        return None
    try:
        return os.read(output, 1 << 16)
    except OSError:  # EIO of a terminal that is closed
        return b""


def end(process: subprocess.Popen[bytes]) -> None:
    """End a launcher, which ends what is below it; kill its group where it does not."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

"""Sandbox: runs native code on untrusted input in a resource-limited, confined child process.

A `Sandbox` keeps one child (`core.sandbox.child`) that has imported what the jobs need. Each job
is a function named by its dotted path, which takes and returns JSON values: nothing is unpickled,
so a child that hostile input has taken over can return wrong values and reach nothing else. It is
confined (`core.sandbox.confinement`), and can read no files but its job's.
"""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import ErrorEntry
from core.process.autogroup import keep_niceness
from core.process.cancellation import cancellable, raise_if_cancelled
from core.sandbox.messages import MAX_MESSAGE, ChildMessage, JobRequest
from core.sandbox.staging import Direct, ResidentFolders, has_more_files, with_paths

SOURCE_ROOT = Path(__file__).resolve().parents[2]
BOOT_TIME = 60.0  # seconds that a child may take to import what its jobs need
INHERITED = ("PATH", "LANG", "NUMBA_CACHE_DIR")  # of the environment, by every child
POLL_INTERVAL = 1.0  # seconds between two looks at what a job takes
# Of a job: a part of a file of 500 objects has one each, and Mesa a thread for each of few cores.
MAX_FILES, MAX_THREADS = 4096, 1024

_by_queue: dict[str, list["Sandbox"]] = {}


def warm_up(queue: str) -> None:
    """Start the children that the jobs of `queue` need, so that the first need not wait.

    Call it from a thread that lives as long as the process: a child ends with its thread.
    """
    for sandbox in _by_queue.get(queue, ()):
        sandbox.warm()


class JobInputError(Exception):
    """The job failed because of its input: reported to the user, never retried.

    code : the job's own code, or `crashed`, `memory-limit`, `time-limit`
    title : a sentence that the user can act on
    details : figures, where the job returned any
    """

    def __init__(self, code: str, title: str, details: Mapping[str, object] | None = None):
        super().__init__(title)
        self.code = code
        self.title = title
        self.details = details or {}

    def entries(self) -> list[ErrorEntry]:
        """The `errors` of the resource that the job was for."""
        return [{"code": self.code, "title": self.title}]


class JobInternalError(Exception):
    """The job's own code failed: our fault, worth another try."""


@dataclass(frozen=True)
class ResourceLimits:
    """Limits of a job."""

    seconds: float = 300.0  # wall clock
    memory: int = 4 * 1024**3  # bytes of address space
    file_size: int = 4 * 1024**3  # bytes of any file that it writes


class Sandbox:
    """A child process that runs jobs one by one.

    preload : modules that the child imports once
    resident : True runs the jobs in the child itself, which keeps state in memory (a graphics
        context); False forks the child for each job
    environment : variables beside the few that every child gets; None removes one
    queue : the worker of this queue starts the child when it boots itself
    first : a job without arguments that a resident child runs before it is ready, to warm it
        up; its result is ignored
    """

    def __init__(
        self,
        *preload: str,
        resident: bool = False,
        limits: ResourceLimits | None = None,
        environment: dict[str, str | None] | None = None,
        queue: str = "",
        first: str = "",
    ):
        self.preload = preload
        self.resident = resident
        self.limits = limits or ResourceLimits()
        self.environment = environment or {}
        self.first = first
        self._child: subprocess.Popen[bytes] | None = None
        self._lines = b""
        self._busy = False  # a job, or its imports, are under way
        self._warming = False  # no job waits for these imports
        self._begun = 0.0  # what the child had taken of the processor when the job began
        self._processor: float | None = None  # seconds of it that the job may take
        self._writes = False  # a job that writes is under way
        self._files: Direct | None = None  # of the job that is under way
        self._looked = 0.0  # when what the job takes was looked at
        self._folders: ResidentFolders | None = None
        self._held = ExitStack()  # the cell's folder
        self._lock = threading.Lock()
        if queue:
            _by_queue.setdefault(queue, []).append(self)

    def run(
        self,
        job: str,
        *,
        folder: Path | None = None,
        progress: Callable[..., None] | None = None,
        processor: float | None = None,
        **arguments: Any,
    ) -> Any:
        """Call `module:function` with `arguments` in the child, and return its JSON answer.

        arguments : JSON values; a Path in them, at any depth, is a file that the job may read
        folder : the only folder where the job may write; its content may be read, too
        progress : called with the completed part, 0..1, whenever the job reports it, and by name
            with what else the job reports
        processor : CPU seconds that the job may take, in a resident child

        Raises JobInputError or JobInternalError, and Cancelled where the job was cancelled.
        """
        with cancellable(self._interrupt_warming), self._lock:
            files: Direct | None = None
            self._begun, self._processor = self._taken(), processor
            try:
                with cancellable(self.interrupt, self.spent):
                    self._ready()
                    raise_if_cancelled()  # `interrupt` ends nothing before the child is there
                    self._begun = self._taken()  # a new child's imports are not the job's
                    files = self._files = (
                        self._folders.job(folder) if self._folders else Direct(folder)
                    )
                    named = with_paths(arguments, files.named)
                    self._writes = folder is not None
                    self._send(
                        {
                            "job": job,
                            "arguments": named,
                            "reads": files.reads,
                            "folder": str(folder) if folder else None,
                        }
                    )
                    answer = self._answer(time.monotonic() + self.limits.seconds, progress)
                    self._look_at_files()
                    return answer
            except BaseException:
                # Also when the worker has to stop: a child in the middle of a job is no use.
                if self._child and self._busy:
                    self._kill()
                raise
            finally:
                self._writes, self._files = False, None
                if files:
                    files.collect()

    def warm(self) -> None:
        """Start the child now, so that the first job need not wait for its imports."""
        with self._lock:
            self._warming = True
            try:
                self._ready()
            finally:
                self._warming = False

    def look(self) -> None:
        """Raise StorageFull, so that the job is ended, where it takes the disk's reserve."""
        if self._writes:
            from core.files import (
                disk_space,  # not above: the child imports this module without Django
            )

            if not disk_space.has_space_for_jobs():
                raise disk_space.StorageFull

    def _look_at_files(self) -> None:
        folder = self._files.writable if self._files else None
        if folder and has_more_files(folder, MAX_FILES):
            raise JobInputError("output-limit", TOO_MANY_FILES)

    def _look_at_threads(self) -> None:
        if self._child and _thread_count(self._child.pid) > MAX_THREADS:
            raise JobInputError("crashed", TOO_MANY_THREADS)

    def _look_at_all(self) -> None:
        """End the job where it takes too much, whether it reports progress or not."""
        if time.monotonic() - self._looked >= POLL_INTERVAL:
            self._looked = time.monotonic()
            self.look()
            self._look_at_files()
            self._look_at_threads()
        self._look_at_processor()

    def spent(self) -> float:
        """Seconds of the processor that a resident child has taken for the job it does."""
        return self._taken() - self._begun

    def _taken(self) -> float:
        child = self._child
        if child is None:
            return 0.0
        try:
            # Behind the name, which may hold anything: of all its threads, in the program and for
            # it in the kernel.
            fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _look_at_processor(self) -> None:
        if self._processor is not None and self.spent() > self._processor:
            raise JobInputError("time-limit", time_words(self._processor))

    def close(self) -> None:
        """End the child, whatever it is doing."""
        self._kill()
        self._folders = None
        self._held.close()

    def interrupt(self) -> None:
        """End the child from another thread; the one that waits for it hears the silence."""
        child = self._child
        if child is not None:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)

    def _interrupt_warming(self) -> None:
        """End the imports that a job waits behind; never another job."""
        if self._warming:
            self.interrupt()

    def _kill(self) -> None:
        child, self._child, self._lines, self._busy = self._child, None, b"", False
        if child is None:
            return
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe:
                pipe.close()

    def _ready(self) -> None:
        if self._child and self._child.poll() is None:
            return
        self.close()
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        wanted = {
            **inherited,
            "PYTHONPATH": f"{SOURCE_ROOT.parent}:{SOURCE_ROOT}",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            **self.environment,
        }
        if self.resident:
            from core.files import blobs  # not above: the child imports this module without Django

            self._folders = ResidentFolders(self._held.enter_context(blobs.staging_dir()))
        orders = json.dumps(
            {
                "preload": self.preload,
                "first": self.first,
                "limits": asdict(self.limits),
                "cell": self._folders and [str(self._folders.inside), str(self._folders.outside)],
            }
        )
        self._child = subprocess.Popen(  # noqa: S603  a fixed command
            [sys.executable, "-m", "core.sandbox.child", str(os.getpid()), orders],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={name: value for name, value in wanted.items() if value is not None},
            start_new_session=True,
        )
        keep_niceness(self._child.pid)
        self._busy = True
        message = self._line(time.monotonic() + BOOT_TIME)
        if message is None or "ready" not in message:
            self.close()
            raise JobInternalError(f"The child process did not start: {message}")
        self._busy = False

    def _send(self, message: JobRequest) -> None:
        if self._child is None or self._child.stdin is None:
            raise JobInternalError("The child process is gone.")
        self._busy = True
        self._child.stdin.write(json.dumps(message).encode() + b"\n")
        self._child.stdin.flush()

    def _answer(self, deadline: float, progress: Callable[..., None] | None) -> Any:
        while True:
            message = self._line(deadline)
            if message is None:
                raise self._ended(deadline)
            if "progress" in message:
                self._look_at_all()
                if progress:
                    progress(message["progress"], **message["facts"])
                continue
            self._busy = False
            if "answer" in message:
                return message["answer"]
            if "refused" in message:
                raise JobInputError(*message["refused"])
            raise JobInternalError(message.get("failed", "The job gave no answer."))

    def _line(self, deadline: float) -> ChildMessage | None:
        """The child's next message; None where it ended, the time is up, or it has no end."""
        child = self._child
        if child is None or child.stdout is None:
            return None
        readable = select.poll()  # select() takes no descriptor above 1023
        readable.register(child.stdout, select.POLLIN)
        while b"\n" not in self._lines:
            left = deadline - time.monotonic()
            if left <= 0 or len(self._lines) > MAX_MESSAGE:
                return None
            if not readable.poll(1000 * min(left, POLL_INTERVAL)):
                self._look_at_all()
                continue
            data = os.read(child.stdout.fileno(), 1 << 16)
            if not data:
                return None
            self._lines += data
        line, _, self._lines = self._lines.partition(b"\n")
        return json.loads(line)

    def _ended(self, deadline: float) -> JobInputError:
        late = time.monotonic() >= deadline
        self._kill()
        if late:
            return JobInputError("time-limit", time_words(self.limits.seconds))
        return JobInputError("crashed", CRASH_WORDS)


def _thread_count(process: int) -> int:
    """Threads of a child, and of what it has forked for its job."""
    threads, waiting = 0, [str(process)]
    while waiting and threads <= MAX_THREADS:
        one = waiting.pop()
        try:
            tasks = os.listdir(f"/proc/{one}/task")
            threads += len(tasks)
            # The first thread alone forks.
            waiting += Path(f"/proc/{one}/task/{one}/children").read_text().split()
        except OSError:  # it has just ended, or this kernel names no children
            continue
    return threads


TOO_MANY_FILES = f"The work on this file made more than {MAX_FILES:,} files: divide the file."
TOO_MANY_THREADS = (
    f"The work on this file started more than {MAX_THREADS:,} threads: the file is damaged in a "
    "way that no check foresees. Export it again from where it was made."
)
CRASH_WORDS = (
    "The program that works on this file crashed on it: the file is damaged in a way that no "
    "check foresees. Export it again from where it was made."
)


def time_words(seconds: float) -> str:
    """The sentence for a job that took too long."""
    return f"The work on this file was ended after {seconds:g} s: make the part simpler."


def memory_words(memory: int) -> str:
    """Return the error's sentence for a job that exceeded its memory."""
    return (
        f"The work on this file needs more than {memory / 1024**3:.1f} GiB of memory: reduce its "
        "number of triangles."
    )

"""Entry point of a sandbox child: reads jobs as JSON lines, runs them, answers."""

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from core.process.parent_death_signal import end_with_parent
from core.sandbox.confinement import seccomp
from core.sandbox.confinement.confine import confine
from core.sandbox.confinement.landlock import READ, READ_FILE
from core.sandbox.confinement.resource_limits import set_limit
from core.sandbox.messages import MAX_MESSAGE, ChildMessage, JobRequest
from core.sandbox.sandbox import CRASH_WORDS, SOURCE_ROOT, ResourceLimits, memory_words, time_words
from input_errors import InputError

# Threads of all processes of the child's user: a bound between two looks at the threads of a job.
MAX_TASKS = 4096
# What a job may have to import; the checkout as a whole may hold the platform's data.
CODE = (str(SOURCE_ROOT), str(SOURCE_ROOT.parent / "apps"), sys.prefix, sys.base_prefix)
# What libraries ask about the processor, and where EGL's drivers are listed.
MACHINE = {"/proc/cpuinfo": READ_FILE, "/sys/devices/system/cpu": READ, "/etc/glvnd": READ}


def main() -> None:
    """Serve until the input ends."""
    parent, orders = int(sys.argv[1]), json.loads(sys.argv[2])
    _end_with(parent)
    limits = ResourceLimits(**orders["limits"])
    answers = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not be read as an answer
    for module in orders["preload"]:
        importlib.import_module(module)
    if resident := orders["cell"]:
        inside, outside = resident
        # Mesa 26 puts what it draws with into a file of its own, and crashes where it cannot.
        os.environ["XDG_RUNTIME_DIR"] = outside
        _confine(limits, [inside], outside)
        _end_with(parent)
        if first := orders["first"]:
            _do({"job": first, "arguments": {}}, answers, limits)
    else:
        seccomp.program(running=False)  # made once, for all that are forked
    _tell(answers, {"ready": True})
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if resident:
            _tell(answers, _do(request, answers, limits))
        else:
            _tell(answers, _do_in_fork(request, answers, limits))


def _do(request: JobRequest, answers: int, limits: ResourceLimits) -> ChildMessage:
    """Call the job; its answer, refusal or failure as a message."""
    module, _, name = request["job"].partition(":")
    try:
        function: Callable[..., Any] = getattr(importlib.import_module(module), name)
        hears = {"progress": _teller(answers)} if getattr(function, "tells_progress", False) else {}
        return {"answer": function(**request["arguments"], **hears)}
    except MemoryError:
        return {"refused": ["memory-limit", memory_words(limits.memory)]}
    except InputError as rejection:
        return {"refused": [rejection.code, rejection.title, rejection.details]}
    except Exception:
        return {"failed": traceback.format_exc()}


def _do_in_fork(request: JobRequest, answers: int, limits: ResourceLimits) -> ChildMessage:
    """Do the job in a copy of this process, which ends with it."""
    reading, writing = os.pipe()
    began, parent_pid = time.monotonic(), os.getpid()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _tell(writing, _do_confined(request, parent_pid, answers, limits))
        finally:
            os._exit(0)
    os.close(writing)
    with contextlib.suppress(BlockingIOError), os.fdopen(reading, "rb") as answer:
        message = answer.readline(MAX_MESSAGE)
        if len(message) == MAX_MESSAGE:
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if message.endswith(b"\n"):
        return json.loads(message)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return {"refused": ["time-limit", time_words(time.monotonic() - began)]}
    return {"refused": ["crashed", CRASH_WORDS]}


def _do_confined(
    request: JobRequest, parent_pid: int, answers: int, limits: ResourceLimits
) -> ChildMessage:
    try:
        _confine(limits, request["reads"], request["folder"])
    except OSError:
        return {"failed": traceback.format_exc()}
    _end_with(parent_pid)
    return _do(request, answers, limits)


def _confine(limits: ResourceLimits, reads: list[str], folder: str | None) -> None:
    """Put up the walls and the limits: only `reads` and `folder` are left of all files but code."""
    confine(
        {**dict.fromkeys([*CODE, *reads], READ), **MACHINE},
        folder=folder,
        reading=True,
        running=False,
    )
    for which, most in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_NPROC, MAX_TASKS),
        (resource.RLIMIT_CORE, 0),
    ):
        set_limit(which, most)


def _end_with(parent: int) -> None:
    end_with_parent()
    if os.getppid() != parent:
        os._exit(1)  # it ended before the kernel was asked


def _tell(answers: int, message: ChildMessage) -> None:
    data = json.dumps(message).encode() + b"\n"
    while data:
        data = data[os.write(answers, data) :]


def _teller(answers: int) -> Callable[..., None]:
    """A progress function (done, total, **facts) that speaks at most five times a second."""
    last = 0.0

    def tell(done: float, total: float, **facts: Any) -> None:
        nonlocal last
        if time.monotonic() - last > 0.2:
            last = time.monotonic()
            _tell(answers, {"progress": done / max(total, 1), "facts": facts})

    return tell


if __name__ == "__main__":
    main()

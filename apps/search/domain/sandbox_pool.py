"""Pool of sandboxes, one per core."""

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from django.conf import settings

from core.process.cancellation import cancellable
from core.sandbox.sandbox import ResourceLimits, Sandbox

# A comparison takes half a second, and the description of a million triangles a few.
JOB_TIME = 120.0

# A child ends with the thread that started it: these threads stay, and each has its own.
_threads = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="similarity")
_own = threading.local()


def begin(job: str, **arguments: Any) -> Future:
    """Have a function of apps.search.jobs called in a child; its JSON answer comes later.

    The answer's exceptions are those of `core.sandbox.sandbox.Sandbox.run`.
    """
    return _threads.submit(_run, job, arguments)


def run(job: str, **arguments: Any) -> Any:
    """Do as `begin` and wait for the result; stops the work where the caller cancels."""
    sandboxes: list[Sandbox] = []
    with cancellable(lambda: [*map(Sandbox.interrupt, sandboxes)]):
        return _threads.submit(_run, job, arguments, sandboxes.append).result()


def _run(
    job: str, arguments: Mapping[str, object], note: Callable[[Sandbox], None] | None = None
) -> Any:
    if not hasattr(_own, "sandbox"):
        limits = ResourceLimits(seconds=JOB_TIME, memory=settings.JOB_MEMORY)
        _own.sandbox = Sandbox("apps.search.jobs", "geometry.preload", limits=limits)
    if note:
        note(_own.sandbox)
    return _own.sandbox.run(f"apps.search.jobs:{job}", **arguments)

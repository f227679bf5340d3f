"""Cooperative cancellation of running jobs, per thread.

The thread that runs a job registers what ends the call it waits for (`stoppable`); the worker's
job monitor (`core.queue.job_monitor`) calls it from its own thread once the job was cancelled.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Stop = Callable[[], Any]
Spent = Callable[[], float]


class Cancelled(Exception):
    """The work was cancelled: its row was deleted, or its status changed."""


@dataclass
class Task:
    """A job that a thread of this process is doing.

    message  : its message's key
    begun    : when, on the monotonic clock
    unwanted : whether it is cancelled
    spent    : CPU seconds of the child that it waits for, where known
    """

    message: str
    begun: float = field(default_factory=time.monotonic)
    unwanted: bool = False
    stop: Stop | None = None
    spent: Spent | None = None


_tasks: dict[int, Task] = {}  # by thread
_lock = threading.Lock()


def register(message: str) -> None:
    """This thread does the job of a message from now on."""
    _tasks[threading.get_ident()] = Task(message)


def unregister() -> Task | None:
    """This thread's job is over."""
    return _tasks.pop(threading.get_ident(), None)


def running_jobs() -> list[Task]:
    """What this process is doing."""
    return list(_tasks.values())


def cancel(unwanted: Iterable[Task]) -> None:
    """End these; again where one had not come to where it can be ended."""
    with _lock:
        for task in unwanted:
            task.unwanted = True
            if task.stop:
                task.stop()


def raise_if_cancelled() -> None:
    """Raise Cancelled if this thread's job was cancelled before there was something to end."""
    task = _tasks.get(threading.get_ident())
    if task is not None and task.unwanted:
        raise Cancelled


@contextmanager
def cancellable(stop: Stop, spent: Spent | None = None) -> Iterator[None]:
    """Within, `stop` ends what this thread waits for, in whatever way: that raises Cancelled.

    stop : called by another thread, perhaps more than once; never once the block is left
    spent : of the processor, in seconds; called by that thread, too
    """
    task = _tasks.get(threading.get_ident())
    if task is None:  # no job of a queue's
        yield
        return
    with _lock:
        if task.unwanted:
            raise Cancelled
        outer, task.stop, task.spent = (task.stop, task.spent), stop, spent
    try:
        yield
    except BaseException as error:
        if task.unwanted:
            raise Cancelled from error
        raise
    finally:
        with _lock:
            task.stop, task.spent = outer
    if task.unwanted:
        raise Cancelled

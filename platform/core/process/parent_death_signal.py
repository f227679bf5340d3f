"""PR_SET_PDEATHSIG: children that end with their parent."""

import ctypes
import multiprocessing
import os
import signal

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def end_with_parent(number: int = signal.SIGKILL, *, parent: int | None = None) -> None:
    """Let the kernel send this process a signal as soon as its parent ends.

    number : the signal; KILL by default
    parent : pid of the parent; known by itself where multiprocessing made the child

    Call it from the main thread of a child whose parent may be killed: granian's worker would
    survive its parent and hold the port.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(number))
    if parent is None and (made := multiprocessing.parent_process()):
        parent = made.pid
    if parent is not None and os.getppid() != parent:
        os._exit(1)  # it ended before the kernel was asked

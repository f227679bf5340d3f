"""Processes that must not outlive the one that started them."""

import ctypes
import multiprocessing
import os
import signal

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def end_with_parent() -> None:
    """Have the kernel kill this process as soon as its parent ends, by whatever death.

    Call it from the main thread of a child whose parent may be killed: granian's worker would
    live on without its first process, and hold the port.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent and os.getppid() != parent.pid:
        os._exit(1)  # it ended before the kernel was asked

"""Puts limits on itself and becomes an engine; run as a program, never imported.

argv: the parent's process id, the limits as `name=number` joined by commas, the command.
"""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, limits, *command = sys.argv[1:]
    libc = ctypes.CDLL(None, use_errno=True)
    # sent when the thread that started us ends: it waits for us, so only when its process dies
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0):
        sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
    if os.getppid() != int(parent):
        sys.exit("The parent died before the engine began.")
    for limit in limits.split(","):
        name, number = limit.split("=")
        soft = int(number)
        hard = soft + 1 if name == "CPU" else soft  # first a signal that tells the cause
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (soft, hard))
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and an exec would keep it so
        signal.signal(ignored, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execve(command[0], command, os.environ)  # noqa: S606  no shell is the point


main()

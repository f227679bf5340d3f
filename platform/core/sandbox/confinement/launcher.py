"""Confines itself, then execs a slicing engine; runs with the standard library alone.

argv: the parent's process id; limits as `name=number` joined by commas; the programs that may be
run, joined by colons; the command. The working folder is the only place where the engine may write.
"""

import glob
import os
import resource
import signal
import sys

# Run with -I -S: neither the environment nor site-packages say where to find the walls.
sys.path.insert(
    0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
)

from core.sandbox.confinement.confine import confine  # noqa: E402  needs the path above
from core.sandbox.confinement.landlock import EXECUTE, READ_FILE  # noqa: E402
from core.sandbox.confinement.libc import prctl  # noqa: E402
from core.sandbox.confinement.resource_limits import set_limit  # noqa: E402

PR_SET_PDEATHSIG = 1
LOADER = "/lib*/ld-*.so*"


def main() -> None:
    parent, limits, programs, *command = sys.argv[1:]
    run = dict.fromkeys([*programs.split(":"), *glob.glob(LOADER)], EXECUTE | READ_FILE)
    confine(run, folder=".", reading=False, running=True)
    # It is sent when the thread that started us ends: that thread waits for us, so only when its
    # process dies.
    prctl("pdeathsig", PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):
        sys.exit("The parent died before the engine began.")
    for limit in limits.split(","):
        name, number = limit.split("=")
        grace = int(name == "CPU")  # first a signal that tells the cause
        set_limit(getattr(resource, f"RLIMIT_{name}"), int(number), grace)
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and an exec would keep it so
        signal.signal(ignored, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execve(command[0], command, os.environ)  # noqa: S606  no shell is the point


if __name__ == "__main__":
    main()

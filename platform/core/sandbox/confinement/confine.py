"""Applies every mechanism to this process: UID, no_new_privs, Landlock, seccomp."""

import os
from collections.abc import Mapping

from core.sandbox.confinement import landlock, seccomp, uid_switch
from core.sandbox.confinement.landlock import READ, READ_FILE, WORK, WRITE_FILE
from core.sandbox.confinement.libc import prctl

PR_SET_NO_NEW_PRIVS = 38

# What every program needs to read.
SYSTEM = {
    "/usr": READ,
    "/lib": READ,
    "/lib64": READ,
    "/etc/ld.so.cache": READ_FILE,
    "/etc/ld.so.preload": READ_FILE,
    "/dev/null": READ_FILE | WRITE_FILE,
    "/dev/urandom": READ_FILE,
}


def confine(rules: Mapping[str, int], *, folder: str | None, reading: bool, running: bool) -> None:
    """From here on: no network, no other process, and of the files what is said here.

    rules   : path -> rights of `landlock` beneath it, beside SYSTEM
    folder  : the only place where it may write
    reading : root's files may be read as far as the rules go, whatever their mode says
    running : it may become a program that the rules let it execute

    Raises OSError where a wall that the kernel has cannot be put up, and RuntimeError where there
    are threads already, which would be left outside. A signal that was to be sent
    when the parent dies has to be asked for afterwards: the change of user undoes it.
    """
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("Threads were started before the walls, which would not hold them.")
    work = {folder: WORK} if folder else {}
    beneath = landlock.opened({**SYSTEM, **rules, **work})
    uid_switch.take_on(folder, reading=reading)
    prctl("no_new_privs", PR_SET_NO_NEW_PRIVS, 1)
    landlock.restrict(beneath)
    seccomp.restrict(running=running)

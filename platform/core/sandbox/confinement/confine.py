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
    """Confine this process: no network, no other processes, and only these files.

    rules   : path -> rights of `landlock` beneath it, beside SYSTEM
    folder  : the only writable folder
    reading : root's files may be read as far as the rules allow, whatever their mode
    running : it may execute a program that the rules allow

    Raises OSError where a mechanism of the kernel fails, and RuntimeError where other threads
    exist, which would stay unconfined. A signal at the parent's death has to be requested
    afterwards: the change of user resets it.
    """
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("Threads were started before the walls, which would not hold them.")
    work = {folder: WORK} if folder else {}
    beneath = landlock.opened({**SYSTEM, **rules, **work})
    uid_switch.take_on(folder, reading=reading)
    prctl("no_new_privs", PR_SET_NO_NEW_PRIVS, 1)
    landlock.restrict(beneath)
    seccomp.restrict(running=running)

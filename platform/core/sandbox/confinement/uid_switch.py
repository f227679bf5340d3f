"""Drops root: confined processes run as dedicated UIDs."""

import ctypes
import os
import struct
from collections.abc import Iterator

from core.sandbox.confinement.libc import call, libc, prctl

# Accounts that own nothing and need no entry anywhere, below those that systemd gives to services.
FIRST_USER, USERS = 61000, 184

PR_SET_KEEPCAPS = 8
# <linux/capability.h>
VERSION_3 = 0x20080522
CAP_CHOWN, CAP_DAC_READ_SEARCH, CAP_SETGID, CAP_SETUID = 0, 2, 6, 7


def user_of(process: int) -> int:
    """Return the user that a process with this id becomes.

    Processes at work at the same time have users of their own, as a rule: RLIMIT_NPROC counts the
    threads of a user, and one that starts all it may would leave none to the others.
    """
    return FIRST_USER + process % USERS


def take_on(folder: str | None, *, reading: bool) -> None:
    """As root, switch to the user of this process, the new owner of `folder` and its content.

    reading : keep the one capability that reads files of any mode: the platform's files are
        readable by root only, and Landlock restricts which of them are read

    Where root may not switch, as in some containers, it stays root without any capability.
    """
    if os.geteuid() != 0:
        return
    kept = 1 << CAP_DAC_READ_SEARCH if reading else 0
    needed = kept | 1 << CAP_CHOWN | 1 << CAP_SETGID | 1 << CAP_SETUID
    if _permitted() & needed != needed:
        _keep(0)
        return
    user = user_of(os.getpid())
    for path in _within(folder):
        os.chown(path, user, user, follow_symlinks=False)
    prctl("keepcaps", PR_SET_KEEPCAPS, 1 if reading else 0)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    _keep(kept)


def take_back(folder: os.PathLike[str]) -> None:
    """Make the files ours again, so that nothing that runs later as that user has them."""
    if os.geteuid() == 0:
        for path in _within(folder):
            if os.lstat(path).st_uid != 0:
                os.chown(path, 0, os.getegid(), follow_symlinks=False)


def _within(folder: str | os.PathLike[str] | None) -> Iterator[str]:
    """Yield the folder and everything in it."""
    if folder is None:
        return
    for directory, _, names in os.walk(folder):
        for name in (".", *names):
            yield os.path.join(directory, name)


def _permitted() -> int:
    """The capabilities that this process may use, a bit for each."""
    header, data = struct.pack("=Ii", VERSION_3, 0), ctypes.create_string_buffer(24)
    call("capget", libc.capget(header, data))
    _, low, _, _, high, _ = struct.unpack("=6I", data)
    return high << 32 | low


def _keep(capabilities: int) -> None:
    header = struct.pack("=Ii", VERSION_3, 0)
    data = struct.pack("=6I", capabilities, capabilities, 0, 0, 0, 0)
    call("capset", libc.capset(header, data))

"""Drops root: confined processes run as a dedicated UID."""

import ctypes
import os
import struct
from collections.abc import Iterator

from core.sandbox.confinement.libc import call, libc, prctl

# Nobody's: an account that owns nothing, needs no entry anywhere, and is for this alone.
USER = 61000

PR_SET_KEEPCAPS = 8
# <linux/capability.h>
VERSION_3 = 0x20080522
CAP_CHOWN, CAP_DAC_READ_SEARCH, CAP_SETGID, CAP_SETUID = 0, 2, 6, 7


def take_on(folder: str | None, *, reading: bool) -> None:
    """As root, switch to USER, who becomes the owner of `folder` and its content.

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
    for path in _within(folder):
        os.chown(path, USER, USER, follow_symlinks=False)
    prctl("keepcaps", PR_SET_KEEPCAPS, 1 if reading else 0)
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    _keep(kept)


def take_back(folder: os.PathLike[str]) -> None:
    """Make the files ours again, so that nothing that runs later as USER has them."""
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

"""ctypes bindings: prctl and raw system calls."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, result: int) -> int:
    """The result of a call into the C library. Raises OSError where it failed."""
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def prctl(name: str, option: int, *arguments: int) -> int:
    """prctl(2). Raises OSError, with `name`."""
    return call(name, libc.prctl(option, *(arguments + (0,) * (4 - len(arguments)))))

"""Landlock rules: reachable files, no TCP, no signals to other processes.

Source: Documentation/userspace-api/landlock.rst of Linux.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable, Mapping

from core.sandbox.confinement.libc import call, libc

# <linux/landlock.h>, whose numbers are the same on every processor
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
CREATE_RULESET_VERSION = RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << n for n in range(6))
MAKE_DIR, MAKE_REG, TRUNCATE = 1 << 7, 1 << 8, 1 << 14
# how many of the rights each version knows: on files, on the network, on other processes
HANDLED = {1: (13, 0, 0), 2: (14, 0, 0), 3: (15, 0, 0), 4: (15, 2, 0), 5: (16, 2, 0), 6: (16, 2, 2)}
READ = READ_FILE | READ_DIR
WORK = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | TRUNCATE
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE  # the others are of folders alone


def version() -> int:
    """The version of Landlock that this kernel has; 0 for none."""
    return max(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), CREATE_RULESET_VERSION), 0)


def opened(rules: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return pairs of an open path and the rights beneath it; missing paths are skipped."""
    beneath = []
    for path, rights in rules.items():
        try:
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        beneath.append((handle, rights if folder else rights & OF_FILES))
    return beneath


def restrict(beneath: Iterable[tuple[int, int]]) -> None:
    """From here on, only what the rules say; needs no_new_privs. Closes the paths."""
    known = version()
    handled = [(1 << count) - 1 for count in HANDLED[min(known, max(HANDLED))]] if known else []
    fields = 3 if known >= 6 else 2 if known >= 4 else 1
    ruleset = None
    if known:
        attributes = struct.pack(f"={fields}Q", *handled[:fields])
        size = ctypes.c_size_t(len(attributes))
        ruleset = call("landlock", libc.syscall(CREATE_RULESET, attributes, size, 0))
    for path, rights in beneath:
        if ruleset is not None:
            rule = struct.pack("=Qi", rights & handled[0], path)
            call("landlock", libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0))
        os.close(path)
    if ruleset is not None:
        call("landlock", libc.syscall(RESTRICT_SELF, ruleset, 0))
        os.close(ruleset)

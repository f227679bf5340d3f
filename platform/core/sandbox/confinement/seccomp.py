"""seccomp-BPF filter: system calls that processing a file does not need.

Such work reads and writes files, allocates memory and starts threads. The filter rejects everything
that reaches beyond the process: network, other processes, new programs, links, mounts, keys, and
the parts of the kernel with most of its past vulnerabilities.
"""

import ctypes
import errno
import os
import struct
from functools import cache
from typing import NamedTuple

from core.sandbox.confinement.libc import call, libc

PR_GET_SECCOMP, PR_SET_SECCOMP = 21, 22
SECCOMP_MODE_FILTER = 2


class Machine(NamedTuple):
    """A processor's numbers.

    audit   : AUDIT_ARCH_* of <linux/audit.h>
    calls   : system calls in the order of REFUSED; None where it has no such call
    clone   : the call that makes threads, and also processes
    execute : the call that becomes another program
    """

    audit: int
    calls: tuple[int | None, ...]
    clone: int
    execute: int


# name, number on x86_64, number on aarch64 (<asm/unistd.h>)
REFUSED: tuple[tuple[str, int | None, int | None], ...] = (
    ("socket", 41, 198),
    ("socketpair", 53, 199),
    ("fork", 57, None),
    ("vfork", 58, None),
    ("execveat", 322, 281),
    ("memfd_create", 319, 279),
    ("memfd_secret", 447, 447),
    ("ptrace", 101, 117),
    ("process_vm_readv", 310, 270),
    ("process_vm_writev", 311, 271),
    ("process_madvise", 440, 440),
    ("kcmp", 312, 272),
    ("kill", 62, 129),
    ("tkill", 200, 130),
    ("rt_sigqueueinfo", 129, 138),
    ("rt_tgsigqueueinfo", 297, 240),
    ("pidfd_open", 434, 434),
    ("pidfd_getfd", 438, 438),
    ("pidfd_send_signal", 424, 424),
    ("symlink", 88, None),
    ("symlinkat", 266, 36),
    ("link", 86, None),
    ("linkat", 265, 37),
    ("mknod", 133, None),
    ("mknodat", 259, 33),
    ("shmget", 29, 194),
    ("msgget", 68, 186),
    ("semget", 64, 190),
    ("mq_open", 240, 180),
    ("mount", 165, 40),
    ("umount2", 166, 39),
    ("pivot_root", 155, 41),
    ("chroot", 161, 51),
    ("unshare", 272, 97),
    ("setns", 308, 268),
    ("open_tree", 428, 428),
    ("move_mount", 429, 429),
    ("fsopen", 430, 430),
    ("fsconfig", 431, 431),
    ("fsmount", 432, 432),
    ("fspick", 433, 433),
    ("mount_setattr", 442, 442),
    ("name_to_handle_at", 303, 264),
    ("open_by_handle_at", 304, 265),
    ("bpf", 321, 280),
    ("perf_event_open", 298, 241),
    ("userfaultfd", 323, 282),
    ("add_key", 248, 217),
    ("request_key", 249, 218),
    ("keyctl", 250, 219),
    ("io_uring_setup", 425, 425),
    ("io_uring_enter", 426, 426),
    ("io_uring_register", 427, 427),
    ("fanotify_init", 300, 262),
    ("kexec_load", 246, 104),
    ("kexec_file_load", 320, 294),
    ("init_module", 175, 105),
    ("finit_module", 313, 273),
    ("delete_module", 176, 106),
    ("personality", 135, 92),
    ("modify_ldt", 154, None),
    ("ioperm", 173, None),
    ("iopl", 172, None),
    ("reboot", 169, 142),
    ("swapon", 167, 224),
    ("swapoff", 168, 225),
    ("acct", 163, 89),
    ("syslog", 103, 116),
    ("quotactl", 179, 60),
    ("settimeofday", 164, 170),
    ("clock_settime", 227, 112),
    ("clock_adjtime", 305, 266),
    ("adjtimex", 159, 171),
    ("sethostname", 170, 161),
    ("setdomainname", 171, 162),
)
CLONE3 = 435  # on every processor; its flags lie in memory, where a filter cannot look
CLONE_THREAD = 0x10000
X32 = 0x40000000  # the bit of x86_64's second set of numbers for the same calls

MACHINES = {
    "x86_64": Machine(0xC000003E, tuple(call[1] for call in REFUSED), 56, 59),
    "aarch64": Machine(0xC00000B7, tuple(call[2] for call in REFUSED), 220, 221),
}

# <linux/bpf_common.h>: load a word of the call, compare, return
LOAD, RETURN = 0x20, 0x06
EQUAL, AT_LEAST, ANY_BIT = 0x15, 0x35, 0x45
# <linux/seccomp.h>: where the call's number, processor and first argument lie
NUMBER, AUDIT, ARGUMENT = 0, 4, 16
ALLOW, KILL = 0x7FFF0000, 0x80000000


def known() -> bool:
    """Whether this kernel takes a filter, and this module has one for the processor."""
    return libc.prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 and os.uname().machine in MACHINES


def restrict(*, running: bool) -> None:
    """From here on, only the system calls that the filter lets through; needs no_new_privs.

    running : those that become another program are among them
    """
    if not known():
        return
    code = program(running=running)
    instructions = ctypes.create_string_buffer(code, len(code))
    filter = struct.pack("@HP", len(code) // 8, ctypes.addressof(instructions))
    call(
        "seccomp",
        libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_char_p(filter), 0, 0),
    )


@cache
def program(machine: str = "", *, running: bool) -> bytes:
    """Return the filter in classic BPF; empty for an unknown processor.

    machine : its name as in uname(2); this machine's by default

    Source: Documentation/userspace-api/seccomp_filter.rst of Linux.
    """
    own = MACHINES.get(machine or os.uname().machine)
    if own is None:
        return b""
    refuse = _refuse(errno.EPERM)
    code = [(LOAD, 0, 0, AUDIT), (EQUAL, 1, 0, own.audit), (RETURN, 0, 0, KILL)]
    code += [(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, X32), refuse]
    for number in (*own.calls, None if running else own.execute):
        if number is not None:
            code += [(EQUAL, 0, 1, number), refuse]
    # not there: then the C library makes its threads by clone
    code += [(EQUAL, 0, 1, CLONE3), _refuse(errno.ENOSYS)]
    code += [(EQUAL, 0, 3, own.clone), (LOAD, 0, 0, ARGUMENT)]
    code += [(ANY_BIT, 1, 0, CLONE_THREAD), refuse]
    code += [(RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _refuse(error: int) -> tuple[int, int, int, int]:
    return RETURN, 0, 0, 0x00050000 | error

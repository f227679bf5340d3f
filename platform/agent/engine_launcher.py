"""Supervisor of a slicer's process: isolation, resource limits, and the end of all its children.

A program of its own that needs the standard library alone. It reads a `LaunchOrder` as JSON from
its standard input, and ends with the status of the slicer, 128 and the number of its signal, 125
where the isolation fails, or 126 where the slicer cannot be started. It ends, with all processes
below it, when the agent sends SIGTERM or ends itself.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from typing import NoReturn, TypedDict

ISOLATION_FAILED, NOT_EXECUTABLE = 125, 126
NICE = 10
MORE_THREADS = 1024  # beside those that the user has already
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
# <sched.h>: mount, UTS, IPC, user, PID and network namespaces
NAMESPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
# <sys/mount.h>
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = (
    *(1, 2, 4, 32, 4096, 16384),
    1 << 18,
)
MNT_DETACH = 2
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000
READ_ONLY = 1 | 2 | 4  # MOUNT_ATTR_RDONLY, _NOSUID, _NODEV
INNER_UID = 1000  # not 0, so that a new program has no capabilities
DEVICES = ("null", "zero", "full", "random", "urandom")
# What root without capabilities could still write in /proc.
PROC_OF_SYSTEM = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus")
NEW_ROOT = "/tmp"  # noqa: S108  a mount point; the folder itself stays as it is
libc = ctypes.CDLL(None, use_errno=True)


class LaunchOrder(TypedDict):
    """What to run, and how.

    parent      : process id of the agent
    namespaces  : whether this program makes the namespaces itself
    command     : path of a program and its arguments
    environment : all variables of the program
    limits      : numbers by the names of RLIMIT_; bytes, seconds
    read_only   : pairs of a path and its place in the namespace
    links       : pairs of a link's place in the namespace and its target
    writable    : the same for the folders of the job
    folder      : working folder, as the program sees it
    """

    parent: int
    namespaces: bool
    command: list[str]
    environment: dict[str, str]
    limits: dict[str, int]
    read_only: list[tuple[str, str]]
    links: list[tuple[str, str]]
    writable: list[tuple[str, str]]
    folder: str


def main() -> NoReturn:
    """Run one order."""
    order: LaunchOrder = json.load(sys.stdin)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    lower_priority()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGTERM, stop)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != order["parent"]:
        sys.exit("The agent has ended.")
    try:
        child = os.fork() or start(order)
        status = wait_for(child)
    finally:
        kill_descendants()
    sys.exit(status)


def stop(number: int, frame: object) -> NoReturn:
    """End this process, and what is below it."""
    sys.exit(128 + number)


def lower_priority() -> None:
    """Run after the agent; a session of its own is an autogroup, which has its own niceness."""
    os.nice(NICE)
    with suppress(OSError), open("/proc/self/autogroup", "w") as file:
        file.write(str(NICE))


def start(order: LaunchOrder) -> NoReturn:
    """Become the program in its isolation."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        threads = threads_of_user()
        if order["namespaces"]:
            enter_namespaces(order)
        else:
            os.chdir(order["folder"])
        set_limits(order["limits"], threads)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python
            signal.signal(ignored, signal.SIG_DFL)
    except OSError as error:
        fail(f"The isolation failed: {error}.", ISOLATION_FAILED)
    try:
        os.execve(order["command"][0], order["command"], order["environment"])  # noqa: S606
    except (OSError, ValueError) as error:
        fail(f"The program cannot be started: {error}.", NOT_EXECUTABLE)


def fail(text: str, status: int) -> NoReturn:
    """End a forked process with a message."""
    os.write(2, f"{text}\n".encode())
    os._exit(status)


def set_limits(limits: dict[str, int], threads: int) -> None:
    """Set limits of this process, within those that it has."""
    for name, number in {**limits, "NPROC": threads + MORE_THREADS}.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, bound = resource.getrlimit(kind)
        hard = number + (name == "CPU")  # first a signal that names the cause
        if bound != resource.RLIM_INFINITY:
            number, hard = min(number, bound), min(hard, bound)
        resource.setrlimit(kind, (number, hard))


def threads_of_user() -> int:
    """Return the threads of all processes of this user, which RLIMIT_NPROC counts."""
    count = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == os.getuid():
                count += len(os.listdir(f"/proc/{name}/task"))
    return count


def enter_namespaces(order: LaunchOrder) -> None:
    """Return in a process that has a root, processes and a network of its own. Raises OSError.

    The processes above it wait, and end with its status.
    """
    uid, gid = os.geteuid(), os.getegid()
    check("unshare", libc.unshare(NAMESPACES))
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{INNER_UID} {uid} 1")
    write("/proc/self/gid_map", f"{INNER_UID} {gid} 1")
    mount("none", "/", MS_REC | MS_PRIVATE)
    build_root(order)
    if child := os.fork():
        os._exit(wait_for(child))
    # The first process of its namespace: the others end with it.
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    mount("proc", f"{NEW_ROOT}/proc", MS_NOSUID | MS_NODEV, "proc")
    for path in filter(os.path.exists, (NEW_ROOT + path for path in PROC_OF_SYSTEM)):
        mount(path, path, MS_BIND | MS_REC)
        make_read_only(path)
    os.chdir(NEW_ROOT)
    check("pivot_root", libc.pivot_root(b".", b"."))
    check("umount2", libc.umount2(b".", MNT_DETACH))
    os.chdir("/")
    mount("none", "/", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)
    if child := os.fork():
        os._exit(wait_for(child))
    os.chdir(order["folder"])


def build_root(order: LaunchOrder) -> None:
    """Mount what the program may see below NEW_ROOT. Raises OSError."""
    devices = [(f"/dev/{name}", f"/dev/{name}") for name in DEVICES]
    # Opened first: the new root hides what lies below its mount point.
    opened = [
        (os.open(source, os.O_PATH), NEW_ROOT + target, is_writable)
        for pairs, is_writable in (
            (order["read_only"], False),
            (devices, True),
            (order["writable"], True),
        )
        for source, target in pairs
    ]
    mount("tmpfs", NEW_ROOT, MS_NOSUID | MS_NODEV, "tmpfs", "size=1m,mode=755")
    os.mkdir(f"{NEW_ROOT}/proc")
    for place, target in order["links"]:
        os.symlink(target, NEW_ROOT + place)
    for handle, target, is_writable in opened:
        source = f"/proc/self/fd/{handle}"
        make_mount_point(source, target)
        mount(source, target, MS_BIND | MS_REC)
        if not is_writable:
            make_read_only(target)
        os.close(handle)


def make_mount_point(source: str, target: str) -> None:
    """Create an empty folder or file of the source's type."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))


def mount(source: str, target: str, flags: int, kind: str = "none", data: str = "") -> None:
    """Call mount(2). Raises OSError."""
    encoded = [word.encode() for word in (source, target, kind)]
    answer = libc.mount(*encoded, ctypes.c_ulong(flags), data.encode() or None)
    check(f"mount of {target}", answer)


def make_read_only(target: str) -> None:
    """Make a mount, and those below it, read-only (mount_setattr(2)). Raises OSError."""
    attributes = struct.pack("=4Q", READ_ONLY, 0, 0, 0)
    answer = libc.syscall(
        *(ctypes.c_long(MOUNT_SETATTR), ctypes.c_long(AT_FDCWD), target.encode()),
        *(ctypes.c_long(AT_RECURSIVE), attributes, ctypes.c_size_t(len(attributes))),
    )
    check(f"mount_setattr of {target}", answer)


def prctl(option: int, value: int) -> None:
    """Call prctl(2). Raises OSError."""
    check("prctl", libc.prctl(option, ctypes.c_ulong(value), *[ctypes.c_ulong(0)] * 3))


def check(action: str, answer: int) -> None:
    """Raise OSError for a failed call of the C library."""
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{action}: {os.strerror(number)}")


def write(path: str, text: str) -> None:
    """Write a file of /proc. Raises OSError."""
    with open(path, "w") as file:
        file.write(text)


def wait_for(child: int) -> int:
    """Reap all processes until this one ends; return its status, or 128 and its signal."""
    while True:
        process, status = os.wait()
        if process == child:
            number = os.waitstatus_to_exitcode(status)
            return 128 - number if number < 0 else number


def kill_descendants() -> None:
    """Kill everything below this process, also what has left its group."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while below := descendants():
        for process in below:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def descendants() -> list[int]:
    """Return the processes below this one."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    below, queue = [], [os.getpid()]
    while queue:
        queue = [child for process in queue for child in children.get(process, ())]
        below += queue
    return below


if __name__ == "__main__":
    main()

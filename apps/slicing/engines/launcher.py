"""Locks itself in and becomes an engine; run as a program, with nothing but the library of Python.

argv: the parent's process id; limits as `name=number` joined by commas; the user id to take on
where this is root; a system call filter in hexadecimal; the programs that may be run, joined by
colons; the command. The working folder is the only place where the engine may write.

A wall that this kernel does not have is left out, so that slicing still works; sandbox.py says
which. One that fails for any other reason ends the launch.
"""

import ctypes
import errno
import glob
import os
import resource
import signal
import struct
import sys

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
SECCOMP_MODE_FILTER = 2

# <linux/landlock.h>, whose numbers are the same on every processor
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
CREATE_RULESET_VERSION = RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << n for n in range(6))
MAKE_DIR, MAKE_REG, TRUNCATE = 1 << 7, 1 << 8, 1 << 14
# how many of the rights each version knows: on files, on the network, on other processes
HANDLED = {1: (13, 0, 0), 2: (14, 0, 0), 3: (15, 0, 0), 4: (15, 2, 0), 5: (16, 2, 0), 6: (16, 2, 2)}
READ = READ_FILE | READ_DIR
WORK = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | TRUNCATE
LOADER = "/lib*/ld-*.so*"
RULES = {
    "/usr": READ,
    "/lib": READ,
    "/lib64": READ,
    "/etc/ld.so.cache": READ_FILE,
    "/etc/ld.so.preload": READ_FILE,
    "/dev/null": READ_FILE | WRITE_FILE,
    "/dev/urandom": READ_FILE,
    ".": WORK,
}

libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    parent, limits, user, calls, programs, *command = sys.argv[1:]
    run = dict.fromkeys([*programs.split(":"), *glob.glob(LOADER)], EXECUTE | READ_FILE)
    rules = {path: rights for path, rights in (RULES | run).items() if os.path.exists(path)}
    beneath = [(os.open(path, os.O_PATH | os.O_CLOEXEC), rights) for path, rights in rules.items()]
    if os.geteuid() == 0:
        take_on(int(user))
    # After the change of user, which would undo it. It is sent when the thread that started us
    # ends: that thread waits for us, so only when its process dies.
    call("prctl", libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
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
    call("no_new_privs", libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    confine_files(beneath)
    confine_calls(bytes.fromhex(calls))
    os.execve(command[0], command, os.environ)  # noqa: S606  no shell is the point


def take_on(user: int) -> None:
    """Give the working folder to `user` and become it; stay who we are where that is forbidden."""
    try:
        for path in (".", *os.listdir()):
            os.chown(path, user, user, follow_symlinks=False)
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except PermissionError:
        pass  # a container may keep even its root from it


def landlock_version() -> int:
    """The version of Landlock that this kernel has; 0 for none."""
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), CREATE_RULESET_VERSION)
    return max(version, 0)


def confine_files(beneath: list[tuple[int, int]]) -> None:
    """From here on, only what the rules say: pairs of an open path and the rights beneath it.

    Source: Documentation/userspace-api/landlock.rst of Linux.
    """
    version = landlock_version()
    if not version:
        return
    handled = [(1 << count) - 1 for count in HANDLED[min(version, max(HANDLED))]]
    fields = 3 if version >= 6 else 2 if version >= 4 else 1
    attributes = struct.pack(f"={fields}Q", *handled[:fields])
    ruleset = call(
        "landlock",
        libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0),
    )
    for path, rights in beneath:
        rule = struct.pack("=Qi", rights & handled[0], path)
        call("landlock", libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0))
    call("landlock", libc.syscall(RESTRICT_SELF, ruleset, 0))


def confine_calls(code: bytes) -> None:
    """From here on, only the system calls that the filter lets through."""
    if not code:
        return
    instructions = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(instructions))
    failed = libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_char_p(program), 0, 0)
    if failed and ctypes.get_errno() != errno.EINVAL:  # a kernel without it does not know the word
        call("seccomp", failed)


def call(name: str, result: int) -> int:
    """The result of a call into the C library; the launch ends where it failed."""
    if result < 0:
        sys.exit(f"{name}: {os.strerror(ctypes.get_errno())}")
    return result


if __name__ == "__main__":
    main()

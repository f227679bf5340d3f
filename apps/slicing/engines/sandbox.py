"""Which of the walls around an engine this machine has."""

import ctypes

from apps.slicing.engines import launcher, seccomp

PR_GET_SECCOMP = 21


def walls() -> list[str]:
    """The walls that stand, besides limits and an account of its own."""
    landlock = launcher.landlock_version()
    standing = [f"Landlock {landlock}"] if landlock else []
    return [*standing, "seccomp"] if _has_seccomp() else standing


def gaps() -> list[str]:
    """What an engine that was taken over could do here, and what would mend it."""
    gaps = []
    if not launcher.landlock_version():
        gaps.append(
            "Landlock is missing: an engine could read files of the platform. It needs Linux 5.13 "
            "or newer with lsm=landlock, and a container profile that lets it through."
        )
    if not _has_seccomp():
        gaps.append(
            "seccomp is missing: an engine could open connections and start programs. It needs a "
            "kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64."
        )
    return gaps


def _has_seccomp() -> bool:
    known = ctypes.CDLL(None).prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0
    return known and bool(seccomp.program())

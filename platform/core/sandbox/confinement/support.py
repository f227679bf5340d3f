"""Supported confinement mechanisms of this kernel, and the consequences of missing ones."""

from core.sandbox.confinement import landlock, seccomp


def active_mechanisms() -> list[str]:
    """The walls that stand, besides limits and an account of its own."""
    version = landlock.version()
    standing = [f"Landlock {version}"] if version else []
    return [*standing, "seccomp"] if seccomp.known() else standing


def missing_mechanisms() -> list[str]:
    """What an engine or a child that was taken over could do here, and what would mend it."""
    gaps = []
    if not landlock.version():
        gaps.append(
            "Landlock is missing: an engine, or a child that reads a stranger's file, could read "
            "files of the platform. It needs Linux 5.13 or newer with lsm=landlock, and a "
            "container profile that lets it through."
        )
    if not seccomp.known():
        gaps.append(
            "seccomp is missing: an engine, or a child that reads a stranger's file, could open "
            "connections and start programs. It needs a kernel with CONFIG_SECCOMP_FILTER, on "
            "x86_64 or aarch64."
        )
    return gaps

"""Raises RLIMIT_NOFILE."""

import resource

MAX_OPEN_FILES = 65_536


def raise_open_files(most: int = MAX_OPEN_FILES) -> int:
    """Raise this process's limit to `most`, or as far as may be; what it is then."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return files

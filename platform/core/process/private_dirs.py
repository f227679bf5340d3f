"""Directories that only this user can enter."""

import os
import stat
from pathlib import Path


def make_private(folder: Path, mode: int) -> None:
    """Create `folder` with `mode`; if it exists and is ours, remove permissions beyond it.

    A folder that is writable for all, such as /tmp, is left unchanged.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        place.chmod(mode)
    status = folder.stat()
    if status.st_uid == os.geteuid() and not status.st_mode & stat.S_ISVTX:
        folder.chmod(stat.S_IMODE(status.st_mode) & mode)

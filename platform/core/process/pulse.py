"""Pulse of the web process: a file that its event loop touches as long as requests make progress.

A web process whose places are all taken answers no health check. By the file the watchdog tells it
from one that hangs.
"""

import os
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings

INTERVAL = 3.0  # seconds between two touches


def pulse_file() -> Path:
    """Return the file that this machine's web process touches."""
    return settings.DATA_DIR / "run" / os.uname().nodename / "web.pulse"


def touch() -> None:
    """Touch the file; a full disk is no reason to fail."""
    path = pulse_file()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def has_pulse() -> bool:
    """Return whether the web process of this machine has touched its file lately."""
    try:
        return time.time() - pulse_file().stat().st_mtime < 3 * INTERVAL
    except OSError:
        return False

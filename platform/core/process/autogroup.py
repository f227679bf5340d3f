"""Scheduler autogroup: lets a child session keep its parent's nice value.

With sched_autogroup, Linux's default, the processor is shared among sessions first, and niceness
counts only within a session: a child with its own session, which allows killing it with all its
children, would lose its low priority.
"""

import os
from contextlib import suppress
from pathlib import Path


def keep_niceness(session: int) -> None:
    """Apply the niceness of a session's leading process to the session's autogroup."""
    # No file: a kernel without it. Refused: somebody asked within the last tenth of a second.
    with suppress(OSError):
        if nice := os.getpriority(os.PRIO_PROCESS, session):
            Path(f"/proc/{session}/autogroup").write_text(str(nice))

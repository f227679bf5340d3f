"""Scheduler autogroup: lets a child session keep its parent's nice value.

Where sched_autogroup is on, as Linux has it unless it is told otherwise, the processor is shared
among sessions first, and a process's own niceness counts only within its session: a child that has
one to itself, as whatever may be killed with all its children, would no longer give way to others.
"""

import os
from contextlib import suppress
from pathlib import Path


def keep_niceness(session: int) -> None:
    """Have a session, given by the process that leads it, give way as much as that process does."""
    # No file: a kernel without it. Refused: somebody asked within the last tenth of a second.
    with suppress(OSError):
        if nice := os.getpriority(os.PRIO_PROCESS, session):
            Path(f"/proc/{session}/autogroup").write_text(str(nice))

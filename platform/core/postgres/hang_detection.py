"""Hang detection: an embedded server that neither answers nor recovers nor stops is killed."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path

# A server that answers nothing for so long, and does not recover either, is to be killed: s.
HANG_TIMEOUT = 20.0
POLL_INTERVAL = 2.0  # seconds between two questions
# What one at work on its recovery uses at least in that time: ticks of the processor, bytes.
MIN_TICKS, MIN_BYTES = 5, 1 << 16
RECOVERY_PROCESSES = (b"postgres: startup", b"postgres: checkpointer")

Effort = tuple[int, int]


class State(Enum):
    """State of a server, as a query shows it."""

    SERVES = "serves"
    RECOVERS = "recovers"  # or starts, or ends: it says so itself
    SILENT = "silent"


def state_of_error(error: str) -> State:
    """Return the state of a server that rejected a connection with this message."""
    if "the database system is" in error:
        return State.RECOVERS
    return State.SERVES if "FATAL" in error else State.SILENT


def processes_of(cluster: Path) -> list[int]:
    """Return the server's processes, whoever started them, by their working directory."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "comm").read_text() != "postgres\n":
                continue
            if (process / "cwd").readlink() == cluster:
                found.append(int(process.name))
    return found


def effort_of(cluster: Path) -> Effort | None:
    """Return the work of a recovery so far: CPU ticks and bytes of I/O.

    Only of the processes that recover: connection attempts keep the first one busy. None where
    there is no process, or one waits for the disk.
    """
    ticks = moved = 0
    processes = processes_of(cluster)
    for pid in processes:
        with suppress(OSError):
            title = Path(f"/proc/{pid}/cmdline").read_bytes()
            if not title.startswith(RECOVERY_PROCESSES):
                continue
            state, *numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            if state == "D":
                return None
            ticks += int(numbers[10]) + int(numbers[11])
            lines = Path(f"/proc/{pid}/io").read_text().splitlines()
            moved += sum(int(line.split()[1]) for line in lines[:2])
    return (ticks, moved) if processes else None


class HangTimer:
    """How long a server has not answered. Only time in which we were awake ourselves counts."""

    def __init__(self) -> None:
        self.over()

    def over(self) -> None:
        """It answers."""
        self._lasted, self._looked = 0.0, time.monotonic()
        self._effort: Effort | None = None

    def lasts(self, effort: Callable[[], Effort | None] | None) -> bool:
        """Whether it has lasted too long.

        effort : what the server has used so far, where it may be at work on its recovery
        """
        now = time.monotonic()
        if now - self._looked < POLL_INTERVAL:
            return False
        self._lasted += min(now - self._looked, 2 * POLL_INTERVAL)
        self._looked = now
        if effort is not None:
            last, self._effort = self._effort, effort()
            if last is None or self._effort is None or _works(last, self._effort):
                self._lasted = 0.0
            else:
                self._effort = last
        return self._lasted > HANG_TIMEOUT


def _works(last: Effort, now: Effort) -> bool:
    # Another process may have taken over, which has used less.
    return abs(now[0] - last[0]) >= MIN_TICKS or abs(now[1] - last[1]) >= MIN_BYTES


class AsyncCheck:
    """Runs a check that may never return, every LOOK seconds, in a thread of its own."""

    def __init__(self, ask: Callable[[], State]):
        self._ask = ask
        self._answer = State.SERVES
        self._thread: threading.Thread | None = None
        self._asked = time.monotonic()

    def answer(self) -> State:
        """The last answer; SILENT while one does not come."""
        since = time.monotonic() - self._asked
        if self._thread and self._thread.is_alive():
            return self._answer if since < 2 * POLL_INTERVAL else State.SILENT
        if since >= POLL_INTERVAL:
            self._asked = time.monotonic()
            self._thread = threading.Thread(target=self._note, daemon=True)
            self._thread.start()
        return self._answer

    def _note(self) -> None:
        self._answer = State.SILENT
        self._answer = self._ask()

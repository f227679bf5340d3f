"""Job cost estimates in seconds, calibrated per actor by recent run times.

The sender declares the cost of a job as far as its input shows it, or its actor does (the option
`cost`, a function of the job's arguments). It is multiplied by the pace of the actor: real over
declared seconds of about the last hour of work. So the costs adapt to a slower machine, or to a
rule that is wrong by a factor.

A worker sums the run times in memory and writes them once a minute.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import dramatiq

from core.models import JobPace

# Seconds: what a job costs of which nobody knows better, and the least that one does.
USUAL, MIN_SECONDS = 1.0, 0.1
LARGEST = 86_400.0  # seconds; jobs are ended long before, and a guess may be of any size
MAX_RATIO = 10.0  # times as long as declared, or as short
EXPECTED = 60.0  # seconds of work that took as long as declared, which each actor begins with
WINDOW = 3600.0  # seconds of work that are remembered
FRESH = 60.0  # seconds between two writes, and two reads

_KEEP = """
    INSERT INTO core_pace AS old (actor, told, taken) VALUES (%s, %s, %s)
    ON CONFLICT (actor) DO UPDATE SET
        told = old.told * greatest(0, 1 - EXCLUDED.told / %s) + EXCLUDED.told,
        taken = old.taken * greatest(0, 1 - EXCLUDED.told / %s) + EXCLUDED.taken
"""


def declared_cost(message: dramatiq.Message, actor: dramatiq.Actor) -> float:
    """Return the seconds declared for a job by its sender or its actor."""
    given = message.options.get("cost")
    if given is None:
        rule: Callable[..., float] | None = actor.options.get("cost")
        given = rule(*message.args) if rule else USUAL
    return min(max(MIN_SECONDS, given), LARGEST)


class CostCalibration:
    """What this process has seen of the actors' jobs, and what it knows of all processes'."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._noted: dict[
            str, tuple[float, float]
        ] = {}  # seconds declared and taken, to be written
        self._written = time.monotonic()
        self._factors: dict[str, float] = {}
        self._read = float("-inf")

    def factor(self, actor: str) -> float:
        """Return the ratio of real to declared seconds of the actor; read once a minute."""
        if time.monotonic() - self._read > FRESH:
            rows = JobPace.objects.values_list("actor", "told", "taken")
            self._factors = {name: _factor(*seconds) for name, *seconds in rows}
            self._read = time.monotonic()
        return self._factors.get(actor, 1.0)

    def note(self, message: dramatiq.Message, seconds: float) -> None:
        """A job has ended well after so many seconds."""
        declared = message.options.get("told")
        # One that took next to nothing had nothing to do. And what runs at nice 10 tells of those
        # beside it: it would call ever more jobs slow.
        if (
            declared is None
            or message.queue_name.endswith("_slow")
            or seconds < declared / MAX_RATIO
        ):
            return
        with self._lock:
            before = self._noted.get(message.actor_name, (0.0, 0.0))
            taken = min(seconds, declared * MAX_RATIO)
            self._noted[message.actor_name] = before[0] + declared, before[1] + taken

    def is_due(self) -> bool:
        """Return whether run times have waited long enough to be written."""
        return bool(self._noted) and time.monotonic() - self._written > FRESH

    def keep(self, cursor: Any) -> None:
        """Write what was noted since this was done last."""
        with self._lock:
            noted, self._noted = self._noted, {}
            self._written = time.monotonic()
        for actor, seconds in sorted(noted.items()):
            cursor.execute(_KEEP, (actor, *seconds, WINDOW, WINDOW))

    def forget(self) -> None:
        """Read them anew at the next look."""
        self._read = float("-inf")


def _factor(declared: float, taken: float) -> float:
    return min(max((taken + EXPECTED) / (declared + EXPECTED), 1 / MAX_RATIO), MAX_RATIO)


calibration = CostCalibration()

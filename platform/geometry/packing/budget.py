"""Search budget: work units, wall clock, cancellation."""

import time
from collections.abc import Callable

ASK_EVERY = 0.1  # s, that pass between two questions to the caller
UNITS_PER_SECOND = 1_000_000_000  # of one core
# A search whose units take longer than they should ends by the processor's time.
CPU_FACTOR = 3.0  # times the seconds of its units
CPU_START = 10.0  # s, such as for loops that are compiled


class SearchBudget:
    """Counts units of work; only they decide what a search finds, unless it is cut short.

    limit     : units; also CPU_FACTOR times as many seconds of the processor as they stand for
    seconds   : of the clock, a safety net; None for none
    cancelled : asked again and again
    tick      : called as often, where it is set: to tell how far the search is
    """

    def __init__(
        self, limit: int, seconds: float | None = None, cancelled: Callable[[], bool] | None = None
    ):
        self.work = 0
        self.tick: Callable[[], None] | None = None
        self.limit = limit
        self.stopped = ""  # why, as soon as it is over: work, time or cancelled
        self._cpu_end = time.process_time() + CPU_START + CPU_FACTOR * limit / UNITS_PER_SECOND
        self._begun = time.monotonic()
        self._asked = self._begun
        self._seconds = seconds
        self._cancelled = cancelled

    def over(self) -> bool:
        """Whether the search must end now."""
        if not self.stopped:
            now = time.monotonic()
            if self.work >= self.limit:
                self.stopped = "work"
            elif self._seconds is not None and now - self._begun >= self._seconds:
                self.stopped = "time"
            elif time.process_time() >= self._cpu_end:
                self.stopped = "time"
            elif now - self._asked >= ASK_EVERY:
                self._asked = now
                if self.tick:
                    self.tick()
                if self._cancelled and self._cancelled():
                    self.stopped = "cancelled"
        return bool(self.stopped)

    @property
    def share(self) -> float:
        """How much of the work, or of the time where that is nearer to its end, 0 to 1."""
        timed = self.seconds / self._seconds if self._seconds else 0.0
        return min(1.0, max(self.work / self.limit, timed))

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return time.monotonic() - self._begun

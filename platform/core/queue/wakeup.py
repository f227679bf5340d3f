"""Worker wake-up by LISTEN/NOTIFY, without a thundering herd."""

import random
import threading
import time

# Of more idle workers than MANNERS in a queue, about ANSWERS go to a ring, the others are asleep
# again: one job does not have all of them ask for it.
MANNERS, ANSWERS = 8, 4
FRESH = 3.0  # seconds for which the keeper's word counts


class WakeUp(threading.Event):
    """A wake-up event that is not lost when it is set while no thread waits.

    The package clears its event after it has looked for messages, and so misses a message that
    arrives in between; this one is cleared by `wait` only.
    """

    def clear(self) -> None:
        """Nothing: see the class."""

    def wait(self, timeout: float | None = None) -> bool:
        """As of an event; a ring is used up by being heard."""
        rung = super().wait(timeout)
        super().clear()
        return rung


class QueueWakeUp(WakeUp):
    """That of a queue, which each of its workers hears.

    idle : how many workers of the queue have nothing to do, as they were counted last
    """

    def __init__(self) -> None:
        super().__init__()
        self.idle = 0
        self._free = False
        self._bottom, self._read_at = (0.0, 0), 0.0

    def free(self) -> None:
        """Wake this worker for sure: what it did has ended."""
        self._free = True
        self.set()

    def hear(self, words: str) -> None:
        """Record the queue's start, sent each second by the lease holder (`core.queue.lease`)."""
        turn, position = words.split()
        self._bottom, self._read_at = (float(turn), int(position)), time.monotonic()

    def bottom(self) -> tuple[float, int] | None:
        """Return the smallest turn and position that wait, if received lately."""
        return self._bottom if time.monotonic() - self._read_at < FRESH else None

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for a message. Of many idle workers only some wake for one message.

        If none of those takes it, the first that wakes by its timeout does.
        """
        if timeout is None or self.idle <= MANNERS:
            self._free = False
            return super().wait(timeout)
        end = time.monotonic() + timeout * random.uniform(0.75, 1.25)  # noqa: S311
        while (left := end - time.monotonic()) > 0:
            if not super().wait(left):
                break
            if self._free or random.random() < ANSWERS / self.idle:  # noqa: S311
                self._free = False
                return True
        self._free = False
        return False

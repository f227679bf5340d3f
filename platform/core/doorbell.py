"""What wakes a thread that waits for news."""

import threading


class Doorbell(threading.Event):
    """A wake-up that is heard even when it rings while nobody waits.

    The package clears its event after it has looked for messages, and so sleeps through an
    enqueue that arrives in between; this one is cleared by waiting for it, and by nothing else.
    """

    def clear(self) -> None:
        """Nothing: see the class."""

    def wait(self, timeout: float | None = None) -> bool:
        """As of an event; a ring is used up by being heard."""
        rung = super().wait(timeout)
        super().clear()
        return rung

"""The last command to a host, so that it is not sent again before its state can have followed."""

import time


class PendingCommand:
    """A command that was sent, and whose state has not followed.

    resend_after : s after which it may be sent again
    """

    def __init__(self, resend_after: float):
        self._resend_after = resend_after
        self._command, self.until = "", 0.0

    def sent(self, command: str) -> None:
        """Note that a command was sent; empty: that there is none any more."""
        self._command, self.until = command, time.monotonic() + self._resend_after

    def is_waiting(self, command: str) -> bool:
        """Whether this command was sent, and is not to be sent again yet."""
        return self._command == command and time.monotonic() < self.until

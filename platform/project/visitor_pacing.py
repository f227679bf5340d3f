"""Pacing of visitors' requests: beside accounts they take a part of the web process's time.

Threads of one process share one interpreter lock, so that a request of an account waits for it
behind each thread of visitors that computes. While accounts are at work, visitors therefore spend
a budget of seconds (a token bucket), which a few visitors never exhaust and a flood does at once.
"""

import threading
import time
from collections.abc import Iterable

from a2wsgi.wsgi_typing import Environ, StartResponse, WSGIApp

SHARE = 0.25  # seconds of visitors' requests in a second
BURST, MAX_DEBT = 4.0, 0.5  # s, of the budget
ACTIVE = 2.0  # s after the begin of an account's request, in which accounts are at work


class VisitorPacing:
    """A WSGI application for visitors, around the one for all."""

    def __init__(self, application: WSGIApp) -> None:
        self._application = application
        self._lock = threading.Lock()
        self._budget, self._at = BURST, time.monotonic()
        self._active_until = 0.0

    def note_account(self) -> None:
        """Note that an account's request begins."""
        self._active_until = time.monotonic() + ACTIVE

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        time.sleep(self._debt() / SHARE)
        begin = time.monotonic()
        try:
            return self._application(environ, start_response)
        finally:
            with self._lock:
                self._budget = max(self._budget - (time.monotonic() - begin), -MAX_DEBT)

    def _debt(self) -> float:
        """Return the seconds by which the budget is exceeded at this moment."""
        with self._lock:
            now = time.monotonic()
            earned = SHARE * (now - self._at) if now < self._active_until else BURST + MAX_DEBT
            self._budget, self._at = min(self._budget + earned, BURST), now
            return max(-self._budget, 0.0)

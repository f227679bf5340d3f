"""Detects host restarts that were not observed."""

import secrets
import time
from typing import Any

from machines.controller import BRIEF
from machines.drivers import MachineState, MachineStatus, NoAnswer, NotSent


class ContinuityTracker:
    """Gives a host a `boot` that changes whenever it may have been restarted unseen.

    No host comes back within seconds: between two answers that lie BRIEF apart it lived on. An
    answer is of the host that took the request, however long that was: a request is no gap.
    """

    def __init__(self) -> None:
        self._boot = secrets.token_hex(8)
        self._last = time.monotonic()

    def __enter__(self) -> None:
        if time.monotonic() - self._last > BRIEF:
            self._boot = secrets.token_hex(8)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, NotSent):
            self._last = -BRIEF  # nobody is there: who comes next was started anew
        elif not isinstance(error, NoAnswer):  # an answer may be all that is lost: time tells
            self._last = time.monotonic()

    @property
    def boot(self) -> str:
        """Changes whenever the host may have been restarted."""
        return self._boot

    def restarted(self) -> None:
        """The host was started anew: it says so."""
        self._boot = secrets.token_hex(8)

    def seen(
        self, doing: MachineStatus, job: str | None, progress: float | None, text: str
    ) -> MachineState:
        """A look that was answered."""
        return MachineState(doing, job, self._boot, time.monotonic(), text, progress)

    def lost(self, text: str) -> MachineState:
        """A look that was not."""
        return MachineState(MachineStatus.OFFLINE, at=time.monotonic(), text=text)

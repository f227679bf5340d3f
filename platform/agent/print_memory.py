"""Memory of a driver for hosts that keep no records of prints: what it has seen of each file."""

import secrets

from machines.drivers import MachineStatus
from machines.states import PRINTED, AttemptState

MAX_ENDS = 50
_ENDS = {
    MachineStatus.DONE: AttemptState.DONE,
    MachineStatus.STOPPED: AttemptState.STOPPED,
    MachineStatus.FAILED: AttemptState.FAILED,
}
_PRINTS = (MachineStatus.PRINTING, MachineStatus.PAUSED, MachineStatus.STOPPING)


class PrintMemory:
    """Prints as they were seen through one connection after the other.

    boot : another one for each connection: who was restarted has closed it
    """

    def __init__(self) -> None:
        self.boot = ""
        self._ends: dict[str, AttemptState] = {}
        self._sent: set[str] = set()  # files that this connection has not shown since the upload

    def connected(self) -> None:
        """Note that the host may have been restarted since the last connection."""
        self.boot, self._sent = secrets.token_hex(8), set()

    def uploaded(self, name: str) -> None:
        """Note that a file is new at the host."""
        self._ends.pop(name, None)
        self._sent.add(name)

    def saw(self, name: str, doing: MachineStatus) -> None:
        """Note that the host shows a print. The first end of a print counts."""
        if not name or (doing not in _ENDS and doing not in _PRINTS and name not in self._sent):
            return
        self._sent.discard(name)
        if self._ends.get(name) not in PRINTED or doing in _PRINTS:
            self._ends[name] = _ENDS.get(doing, AttemptState.UNCLEAR)
            self._ends = dict(list(self._ends.items())[-MAX_ENDS:])

    def past(self, name: str) -> AttemptState | None:
        """Return how the print of a file ended, as `Driver.past`."""
        if (seen := self._ends.get(name)) is not None:
            return seen
        return None if name in self._sent else AttemptState.UNCLEAR

"""asyncio semaphore, shared round-robin among holders, with per-holder caps and a wait limit."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

Line = deque[asyncio.Future[None]]


class SemaphoreTimeout(Exception):
    """None came free in time, or too many of the same holder wait already."""


class FairSemaphore:
    """A semaphore with places per holder.

    A free place goes to the holders in turn, and among each holder's members in turn.

    most    : places in all
    of_one  : places of one holder
    waiting : maximum waiting requests of one holder
    """

    def __init__(self, most: int, of_one: int, waiting: int):
        self._free, self._of_one, self._most_waiting = most, of_one, waiting
        self._taken: Counter[str] = Counter()
        self._lines: dict[str, dict[str, Line]] = {}  # in the order of their turns

    @asynccontextmanager
    async def one(
        self, holder: str, within: str = "", *, timeout: float, hold: float | None = None
    ) -> AsyncIterator[None]:
        """Hold a place, for at most `hold` seconds; raises SemaphoreTimeout after `timeout`."""
        await self._take(holder, within, timeout)
        with ExitStack() as held:
            held.callback(self._leave, holder)
            if hold is not None:
                timer = asyncio.get_running_loop().call_later(hold, held.close)
                held.callback(timer.cancel)
            yield

    async def _take(self, holder: str, within: str, timeout: float) -> None:
        if self._free and holder not in self._lines and self._taken[holder] < self._of_one:
            return self._give(holder)
        if sum(map(len, self._lines.get(holder, {}).values())) >= self._most_waiting:
            raise SemaphoreTimeout
        turn = asyncio.get_running_loop().create_future()
        self._lines.setdefault(holder, {}).setdefault(within, deque()).append(turn)
        try:
            async with asyncio.timeout(timeout):
                await turn
        except TimeoutError:
            self._forget(holder, within, turn)
            raise SemaphoreTimeout from None
        except asyncio.CancelledError:
            self._forget(holder, within, turn)
            raise

    def _forget(self, holder: str, within: str, turn: asyncio.Future[None]) -> None:
        if not turn.cancelled():  # it came at this very moment
            return self._leave(holder)
        line = self._lines[holder][within]
        line.remove(turn)
        if not line:
            del self._lines[holder][within]
        if not self._lines[holder]:
            del self._lines[holder]

    def _give(self, holder: str) -> None:
        self._free -= 1
        self._taken[holder] += 1

    def _leave(self, holder: str) -> None:
        self._free += 1
        self._taken[holder] -= 1
        if not self._taken[holder]:
            del self._taken[holder]
        for waiting in list(self._lines):
            if self._free and self._taken[waiting] < self._of_one:
                self._give(waiting)
                self._next(waiting).set_result(None)

    def _next(self, holder: str) -> asyncio.Future[None]:
        """Return who is next; the holder, and the member within it, move to their queues' ends."""
        lines = self._lines.pop(holder)
        within = next(iter(lines))
        line = lines.pop(within)
        turn = line.popleft()
        if line:
            lines[within] = line
        if lines:
            self._lines[holder] = lines
        return turn

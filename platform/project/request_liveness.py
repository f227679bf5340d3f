"""Liveness of the request threads: unhealthy when requests wait and none completes."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

from core.process import pulse

HANG_TIMEOUT = 20.0  # seconds in which requests wait and none ends


class RequestLiveness:
    """Of the requests that Django has been given."""

    def __init__(self) -> None:
        self._waiting: dict[object, float] = {}  # since when, the oldest first
        self._ended = 0.0
        self._task: asyncio.Task | None = None

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Within, a request waits for its answer."""
        request = object()
        self._waiting[request] = time.monotonic()
        try:
            yield
        finally:
            del self._waiting[request]
            self._ended = time.monotonic()

    def beats(self) -> bool:
        """Whether nothing waits, or something has ended lately."""
        oldest = next(iter(self._waiting.values()), None)
        return oldest is None or time.monotonic() - max(oldest, self._ended) < HANG_TIMEOUT

    def start(self) -> bool:
        """Touch the pulse file from now on; return whether this is the first call."""
        if self._task is not None:
            return False
        self._task = asyncio.get_running_loop().create_task(self._touch())
        return True

    async def _touch(self) -> None:
        while True:
            if self.beats():
                pulse.touch()
            await asyncio.sleep(pulse.INTERVAL)

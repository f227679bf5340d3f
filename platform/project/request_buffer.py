"""Request buffering: bodies are read in the event loop, within per-client and total limits.

Whoever has been at it longest makes room: of an address that has too many unfinished bodies, or
too many bytes in them, the oldest one is ended. So a client whose body comes at once is never
refused for the sake of those that do not.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from django.conf import settings

from core.web.token_buckets import TokenBuckets
from files_host.responses import HttpError

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

IDLE, WHOLE = 10.0, 30.0  # seconds
OF_ADDRESS, IN_ALL = 64, 1024  # unfinished bodies at a time
HELD = 128 * 1024**2  # bytes of all bodies, from their first byte to the end of the answer
# Bytes of bodies of an address in a second, and at once; more is read more slowly.
RATE, BURST = 16 * 1024**2, 32 * 1024**2
STRANGERS = 256 * 1024  # bytes of a body whose request shows no credentials


class _Body:
    def __init__(self, address: str):
        self.address = address
        self.data = bytearray()
        self.ended = False
        self.time = asyncio.timeout(WHOLE)

    def end(self) -> None:
        self.data, self.ended = bytearray(), True
        self.time.reschedule(asyncio.get_running_loop().time())


class RequestBuffer:
    """Those of one process, the oldest first."""

    def __init__(self, of_address: int = OF_ADDRESS, in_all: int = IN_ALL, held: int = HELD):
        self.of_address, self.in_all, self.most_held = of_address, in_all, held
        self._arriving: dict[_Body, None] = {}
        self._held = 0
        self._budgets = TokenBuckets(RATE, BURST, max_debt=RATE)

    @asynccontextmanager
    async def whole(self, receive: Receive, address: str, most: int) -> AsyncIterator[bytes]:
        """The body of a request, which is counted as long as the block lasts.

        address : who it counts for
        most    : bytes that it may have

        Raises Refused.
        """
        body = _Body(address)
        try:
            try:
                async with body.time:
                    await self._read(body, receive, most)
            except TimeoutError:
                raise HttpError(
                    408, "request-timeout", "The body arrived too slowly: send it again."
                ) from None
            finally:
                self._arriving.pop(body, None)
            yield bytes(body.data)
        finally:
            self._held -= len(body.data)

    async def _read(self, body: _Body, receive: Receive, most: int) -> None:
        while True:
            async with asyncio.timeout(IDLE):
                message = await receive()
            if body.ended:  # and what had come is gone, though its end came before the alarm
                raise TimeoutError
            if message["type"] == "http.disconnect":
                raise HttpError(400, "invalid-payload", "The body ended before it was complete.")
            data = message.get("body", b"")
            if len(body.data) + len(data) > most:
                raise HttpError(413, "payload-too-large", _too_large(most))
            more = message.get("more_body")
            if more and body not in self._arriving:
                self._arriving[body] = None
                self._make_place(body)
            self._make_room(body, len(data))
            body.data += data
            self._held += len(data)
            left = self._budgets.spend(body.address, len(data))
            if not more:
                return
            if left < 0.0:
                await asyncio.sleep(-left / RATE)

    def _make_place(self, body: _Body) -> None:
        """End the oldest of its address, or of the address with most, where there are too many."""
        counts = Counter(other.address for other in self._arriving)
        if counts[body.address] > self.of_address:
            self._end_oldest(body.address)
        elif len(self._arriving) > self.in_all:
            self._end_oldest(counts.most_common(1)[0][0])

    def _make_room(self, body: _Body, size: int) -> None:
        """End unfinished bodies of the address that holds most, until there is room for `size`."""
        while self._held + size > self.most_held:
            held: Counter[str] = Counter()
            for other in self._arriving:
                if other is not body:
                    held[other.address] += len(other.data)
            address, most = held.most_common(1)[0] if held else ("", 0)
            if not most:
                raise HttpError(
                    503, "unavailable", "Too much is being sent at this moment: try again."
                )
            self._end_oldest(address)

    def _end_oldest(self, address: str) -> None:
        oldest = next(body for body in self._arriving if body.address == address)
        del self._arriving[oldest]
        self._held -= len(oldest.data)
        oldest.end()


def _too_large(most: int) -> str:
    if most < settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        return f"Without credentials a request body has at most {most} bytes: sign in for more."
    return (
        f"A request body has at most {most} bytes; files go to the location in X-Upload-Location."
    )

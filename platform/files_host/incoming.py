"""Body of a request whose rest is taken in before the request is refused."""

import asyncio
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any

from files_host.responses import Receive

SMALL = 8 * 1024**2  # bytes of a body that is let come before it is refused
TIMEOUT = 0.5  # seconds for them


class Incoming:
    """The body of a request, of which it is known whether all has come."""

    def __init__(self, receive: Receive, length: str):
        self._receive = receive
        self._comes = length.isdigit() and 0 < int(length) <= SMALL

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the next message of the request."""
        message = await self._receive()
        self._comes = self._comes and message.get("more_body", False)
        return message

    async def let_come(self) -> None:
        """Take in what is left of a small one.

        A connection that is closed over unread bytes is reset, and a proxy that still sends
        never sees the answer: its client gets 502.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(TIMEOUT):
                while self._comes:
                    await self.receive()

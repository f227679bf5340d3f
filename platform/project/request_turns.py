"""Turns of requests: a client has few of them at work in the web process at a time.

The others wait in the event loop, and take no thread. A client is known by its credentials, or
without any by its network.
"""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from core.web.fair_semaphore import FairSemaphore

# Requests at work: of all clients, which beyond the threads wait for one; of one client.
IN_ALL, OF_CLIENT = 256, 4
WAITING, TIMEOUT = 256, 30.0  # requests of a client that wait, and for how long, s


class RequestTurns:
    """Gives places to clients in turn; raises SemaphoreTimeout."""

    def __init__(self) -> None:
        self._places = FairSemaphore(IN_ALL, OF_CLIENT, WAITING)

    @asynccontextmanager
    async def one(self, client: str) -> AsyncIterator[None]:
        """Hold one of the client's places."""
        async with self._places.one(client, timeout=TIMEOUT):
            yield


def client_of(authorization: str, cookies: Iterable[str], network: str) -> str:
    """Return what identifies a client: its credentials as they are sent, or else its network."""
    return authorization or "; ".join(sorted(cookies)) or network

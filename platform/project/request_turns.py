"""Turns of requests: a client has few of them at work in the web process at a time.

The others wait in the event loop, and take no thread. A client is known by its credentials, or
without any by its network. Visitors of storefronts, who are guests of shops or send no
credentials, are counted by their network, since anybody can become many guests; they have threads
of their own (`project.asgi`).
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from django.conf import settings

from core.web import guest_secrets
from core.web.fair_semaphore import FairSemaphore

# Requests at work: of all accounts, and of all visitors, which beyond the threads wait for one; of
# one client.
IN_ALL, OF_CLIENT = 256, 4
WAITING, TIMEOUT = 256, 30.0  # requests of a client that wait, and for how long, s
_sales = f"sales.{settings.PARENT_HOST}"


class Client(NamedTuple):
    """Who sends a request: its credentials or network; of guests both."""

    holder: str
    within: str = ""
    is_visitor: bool = False


class RequestTurns:
    """Gives places to clients in turn; raises SemaphoreTimeout."""

    def __init__(self) -> None:
        self._accounts = FairSemaphore(IN_ALL, OF_CLIENT, WAITING)
        self._visitors = FairSemaphore(IN_ALL, OF_CLIENT, WAITING)

    @asynccontextmanager
    async def one(self, client: Client) -> AsyncIterator[None]:
        """Hold one of the client's places."""
        places = self._visitors if client.is_visitor else self._accounts
        async with places.one(client.holder, client.within, timeout=TIMEOUT):
            yield


def client_of(authorization: str, cookies: Sequence[str], network: str, host: str) -> Client:
    """Return who sends a request with these credentials; `cookies` are those of sessions."""
    if guest_secrets.is_guest(authorization):
        return Client(network, authorization, is_visitor=True)
    if authorization or cookies:
        return Client(authorization or "; ".join(sorted(cookies)))
    # Of the services only `sales.` is for visitors; on others, requests are signed or refused.
    is_service = host.endswith(f".{settings.PARENT_HOST}") and host != _sales
    return Client(network, is_visitor=not is_service)

"""Turns of requests: a client has few of them at work in the web process at a time.

The others wait in the event loop, and take no thread. A client is an account, once its
credentials were good for an answer; until then, and without credentials, it is a network.
Visitors of storefronts, who are guests of shops or show no good credentials, are counted by their
network, since anybody can become many guests; they have threads of their own (`project.asgi`).

Threads of one process share one interpreter lock, so that a request waits for it behind each
thread that computes. Clients therefore have a budget of CPU time; those that have spent it get
their requests answered one after another, in turn: accounts in one lane, and visitors in another.
Visitors share one budget, of elapsed time, since a flood of them costs statements, files and jobs
as well; while accounts are at work, they also rest until they have earned what they spent.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple

from django.conf import settings

from core.web import guest_secrets
from core.web.fair_semaphore import FairSemaphore
from core.web.token_buckets import TokenBuckets
from project.request_usage import Usage

# Requests at work: of all accounts, and of all visitors, which beyond the threads wait for one; of
# one client.
IN_ALL, OF_CLIENT = 256, 4
WAITING, TIMEOUT = 256, 30.0  # requests of a client that wait, and for how long, s
# Of a budget: s that are earned in a second, and how many there may be; a person may have several
# accounts, each with a burst of its own.
SHARE = 0.25
ACCOUNT_BURST, VISITOR_BURST = 1.0, 4.0
MAX_REST = 2.0  # s, of visitors
ACTIVE = 2.0  # s after the begin of an account's request, in which accounts are at work
# s for which a request has the lane, so that one which waits for another server does not hold it.
LANE_TIME = 2.0
MAX_CREDENTIALS = 10_000  # the last ones whose account is remembered
_sales = f"sales.{settings.PARENT_HOST}"


class Client(NamedTuple):
    """Who sends a request: an account or a network, and of guests their credentials within it."""

    holder: str
    within: str = ""
    is_visitor: bool = False

    @property
    def payer(self) -> str:
        """Whose budget it spends: all visitors share one."""
        return "" if self.is_visitor else self.holder


class RequestTurns:
    """Gives places to clients in turn; raises SemaphoreTimeout."""

    def __init__(self) -> None:
        self._accounts, self._visitors = _Group(ACCOUNT_BURST), _Group(VISITOR_BURST)
        self._active_until = 0.0

    @asynccontextmanager
    async def one(self, client: Client) -> AsyncIterator[None]:
        """Hold one of the client's places."""
        group = self._visitors if client.is_visitor else self._accounts
        async with AsyncExitStack() as held:
            held_by = client.holder, client.within
            await held.enter_async_context(group.places.one(*held_by, timeout=TIMEOUT))
            if group.budgets.left(client.payer) <= 0.0:
                hold = LANE_TIME + MAX_REST * client.is_visitor
                lane = group.lane.one(*held_by, timeout=TIMEOUT, hold=hold)
                await held.enter_async_context(lane)
            if not client.is_visitor:
                self._active_until = time.monotonic() + ACTIVE
            elif time.monotonic() < self._active_until:
                await asyncio.sleep(-group.budgets.left(client.payer) / SHARE)
            yield

    def charge(self, client: Client, usage: Usage) -> None:
        """Take what a request took from the client's budget."""
        if client.is_visitor:
            self._visitors.budgets.spend(client.payer, usage.elapsed)
        else:
            self._accounts.budgets.spend(client.payer, usage.cpu)


class _Group:
    """Budgets of clients, their places, and the lane of those that have spent their budgets."""

    def __init__(self, burst: float) -> None:
        self.budgets = TokenBuckets(SHARE, burst, max_debt=SHARE * MAX_REST)
        self.places = FairSemaphore(IN_ALL, OF_CLIENT, WAITING)
        self.lane = FairSemaphore(1, 1, WAITING)


class Clients:
    """Tells who sends a request; learns from answers which account credentials belong to."""

    def __init__(self) -> None:
        self._accounts: OrderedDict[bytes, str] = OrderedDict()

    def find(self, authorization: str, cookies: Sequence[str], network: str, host: str) -> Client:
        """Return who sends a request with these credentials; `cookies` are those of sessions."""
        if guest_secrets.is_guest(authorization):
            return Client(network, authorization, is_visitor=True)
        account = self._accounts.get(_digest(authorization, cookies))
        if account is not None:
            return Client(account, authorization)
        # Of the services only `sales.` is for visitors; on others, requests are signed or refused.
        is_service = host.endswith(f".{settings.PARENT_HOST}") and host != _sales
        return Client(network, is_visitor=not is_service)

    def learn(self, authorization: str, cookies: Sequence[str], account: str | None) -> None:
        """Note to which account these credentials belong.

        account : empty where they are not valid, or no longer; None where they were not checked
        """
        if account is None or guest_secrets.is_guest(authorization):
            return
        key = _digest(authorization, cookies)
        self._accounts.pop(key, None)
        if account:
            self._accounts[key] = account
        if len(self._accounts) > MAX_CREDENTIALS:
            self._accounts.popitem(last=False)


def _digest(authorization: str, cookies: Sequence[str]) -> bytes:
    # As the API reads them: a header counts before a cookie.
    credentials = authorization or "; ".join(sorted(cookies))
    return hashlib.blake2b(credentials.encode(), digest_size=16).digest()

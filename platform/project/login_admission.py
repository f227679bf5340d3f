"""Admission control for requests that hash a password: a fair queue per client prefix, few threads.

A password's hash fills a core for tenths of a second, and is made one at a time. So the requests
that may need one have threads of their own, and their line goes round: among the neighbourhoods
that ask, and within each among the accounts that are asked for. Many logins of one of them, wrong
or right, keep the others waiting for one hash at a time.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import orjson
from django.conf import settings

from core.web.fair_semaphore import FairSemaphore

THREADS = 4
OF_NEIGHBOURHOOD = 1
WAITING, TIMEOUT = 32, 10.0  # of a neighbourhood, and seconds
_METHODS = ("POST", "PUT", "DELETE")
_PATHS = (
    "sessions",
    "users",
    "api_tokens",
    "password-resets",
    "one-time-passwords",
    "customer-account",
)
_hosts = {f"{name}.{settings.PARENT_HOST}" for name in ("users", "data", "sales")}
_operators = f"admin.{settings.PARENT_HOST}"

_places = FairSemaphore(THREADS, OF_NEIGHBOURHOOD, WAITING)


def may_hash(method: str, host: str, path: str) -> bool:
    """Whether the request may have a password hashed."""
    first = path.strip("/").partition("/")[0]
    if host == _operators:
        return method == "POST" and first == "login"
    return method in _METHODS and host in _hosts and first in _PATHS


@asynccontextmanager
async def turn(neighbourhood: str, host: str, body: bytes) -> AsyncIterator[None]:
    """Admit a request, in turn. Raises SemaphoreTimeout where too many wait, or for too long."""
    # Operators have a turn of their own, so that nobody keeps them out from the same network.
    holder = f"{neighbourhood} {host == _operators}"
    async with _places.one(holder, _account(body), timeout=TIMEOUT):
        yield


def _account(body: bytes) -> str:
    """The account that the body names, as far as it is known without a closer look."""
    fields: Any
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError:
        fields = {name: values[0] for name, values in parse_qs(body.decode("latin1")).items()}
    if not isinstance(fields, dict):
        return ""
    name = fields.get("username") or fields.get("email") or ""
    return str(name)[:200].lower()

"""Request context (contextvar): request ID, client address, user, token, per-request cache."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar
from uuid import UUID

Found = TypeVar("Found")

# Key of a WSGI environment: the account of the request's credentials, once they were checked; empty
# where they are not valid.
ACCOUNT = "platform.account"


@dataclass
class RequestContext:
    """Origin of the current request; empty where there is none, as in a worker.

    token  : the API token that signed it
    caller : the signed-in user, once known
    limits : whether any limit has a row; true until checked
    found  : per-request cache, by the function that filled it
    """

    request_id: str = ""
    address: str = ""
    token: UUID | None = None
    caller: Any = None
    limits: bool = True
    found: dict[Callable[[], Any], Any] = field(default_factory=dict)


_current: ContextVar[RequestContext | None] = ContextVar("circumstances", default=None)


def request_context() -> RequestContext:
    """Those of the request that this thread answers."""
    return _current.get() or RequestContext()


@contextmanager
def bind_request(request_id: str, address: str) -> Iterator[None]:
    """Within, a request with this number, from this address, is being answered."""
    before = _current.set(RequestContext(request_id, address))
    try:
        yield
    finally:
        _current.reset(before)


def cached_per_request(look_up: Callable[[], Found]) -> Callable[[], Found]:
    """Let a function look only once for all of a request; in a worker it looks each time."""

    @wraps(look_up)
    def looked_up() -> Found:
        found = request_context().found
        if look_up not in found:
            found[look_up] = look_up()
        return found[look_up]

    return looked_up

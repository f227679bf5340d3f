"""What the request in hand says of itself, for records that are kept of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID


@dataclass
class Circumstances:
    """Where a request comes from; empty where none is being answered, as in a worker.

    token  : the API token that it was signed with
    caller : the signed-in user, once it is known who that is
    """

    request_id: str = ""
    address: str = ""
    token: UUID | None = None
    caller: Any = None


_current: ContextVar[Circumstances | None] = ContextVar("circumstances", default=None)


def circumstances() -> Circumstances:
    """Those of the request that this thread answers."""
    return _current.get() or Circumstances()


@contextmanager
def answering(request_id: str, address: str) -> Iterator[None]:
    """Within, a request with this number, from this address, is being answered."""
    before = _current.set(Circumstances(request_id, address))
    try:
        yield
    finally:
        _current.reset(before)

"""Sinks: receivers of ours, for a day, to look at what callbacks say."""

from collections.abc import Iterable

from django.db import connection

from apps.callbacks.inbox import KEEP, arrived
from apps.callbacks.models import Sink
from core.errors import Conflict

MOST_SINKS = 5


class TooManySinks(Conflict):
    """The account has as many sinks as one may have."""

    code = "too-many-sinks"


def create_sink(*, owner) -> Sink:
    """A sink that keeps what it is sent, until it expires."""
    if Sink.objects.current().filter(owner=owner).count() >= MOST_SINKS:
        raise TooManySinks(
            f"An account has at most {MOST_SINKS} sinks at a time: use one of them, or delete one."
        )
    return Sink.objects.create(owner=owner)


def keep_request(
    *, token: str, method: str, query: str, headers: Iterable[tuple[str, str]], body: bytes
) -> bool:
    """Keep a request to the sink with this token; False where there is none."""
    values = arrived(token=token, method=method, query=query, headers=headers, body=body)
    with connection.cursor() as cursor:
        cursor.execute(KEEP, values)
        return cursor.rowcount == 1

"""Sinks: receivers of ours, for a day, to look at what callbacks say."""

from collections.abc import Iterable

from django.db import connection

from apps.callbacks.domain.inbox import KEEP, arrived
from apps.callbacks.models import Sink
from core.errors import LimitReached
from core.person import Person

MOST_SINKS = 5


def create_sink(*, owner: Person) -> Sink:
    """A sink that keeps what it is sent, until it expires."""
    there = Sink.objects.current().filter(owner=owner).count()
    if there >= MOST_SINKS:
        raise LimitReached(
            f"An account has at most {MOST_SINKS} sinks at a time: use one of them, or delete one.",
            limit="sinks",
            most=MOST_SINKS,
            used=there,
            free_by="deleting one of them",
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

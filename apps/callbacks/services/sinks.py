"""Sinks: temporary request bins for testing callbacks."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from apps.callbacks.domain.sink_requests import KEEP, arrived
from apps.callbacks.models import Sink
from core.auth_user import Person
from core.errors import QuotaExceeded
from core.queue import quotas


def sinks_of(owner_id: UUID) -> int:
    """How many sinks an account has."""
    return Sink.objects.current().filter(owner=owner_id).count()


def create_sink(*, owner: Person) -> Sink:
    """A sink that keeps what it is sent, until it expires."""
    most, there = quotas.quota("sinks", owner), sinks_of(owner.pk)
    if most is not None and there >= most:
        raise QuotaExceeded(
            f"An account has at most {most} sinks at a time: use one of them, or delete one.",
            limit="sinks",
            most=most,
            used=there,
            free_by="deleting one of them",
        )
    return Sink.objects.create(owner=owner)


def keep_request(
    *, token: str, method: str, query: str, headers: Iterable[tuple[str, str]], body: bytes
) -> bool:
    """Record a request to the sink with this token; return False where it does not exist."""
    values = arrived(token=token, method=method, query=query, headers=headers, body=body)
    with connection.cursor() as cursor:
        cursor.execute(KEEP, values)
        return cursor.rowcount == 1

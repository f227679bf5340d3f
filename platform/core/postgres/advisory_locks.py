"""Transaction-level advisory locks."""

from django.db import connection


def advisory_lock(name: str) -> None:
    """Hold the lock of this name until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))

"""Transaction-level advisory locks."""

from django.db import connection


def advisory_lock(name: str) -> None:
    """Until the transaction ends, whoever else asks for this name waits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))

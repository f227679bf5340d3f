"""Unapplied migrations, and the lock under which they are applied."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

# Two processes that start at once must not both migrate. Any number, but always this one.
_LOCK = 7_231_905


def missing_migrations() -> int:
    """How many `migrate` would apply; where there are none it takes ten times as long to see so."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


@contextmanager
def migration_lock() -> Iterator[None]:
    """Hold the lock of migrations; another process may have it for as long as it migrates.

    A session that holds it may take it again.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])

"""Unapplied migrations, the lock under which they are applied, and the stored schema.

The stored schema is the SQL of an empty database with every migration applied, written by
`bin/dump-schema`. An empty database gets it in place of all migrations: Django renders its models
anew after each of hundreds of operations, which takes most of a minute, the statements alone take
a second. Migrations that it does not have are applied after it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

# Two processes that start at once must not both migrate. Any number, but always this one.
_LOCK = 7_231_905

SCHEMA = Path(__file__).with_name("schema.sql")
_VERSION = re.compile(r"^-- PostgreSQL (\d+)$", re.MULTILINE)
HAS_TABLES = """SELECT EXISTS (SELECT FROM pg_catalog.pg_tables
WHERE schemaname NOT IN ('pg_catalog', 'information_schema'))"""


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


def load_stored_schema() -> bool:
    """Create all tables, and record their migrations as applied; whether that was done.

    It is not done where the database has a table, or the server is of another major version than
    the one that the file was written by.
    """
    content = SCHEMA.read_text(encoding="utf-8")
    version = _VERSION.search(content)
    major, *_ = connection.get_database_version()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(HAS_TABLES)
        (has_tables,) = cursor.fetchone()
        if has_tables or version is None or int(version[1]) != major:
            return False
        # Functions come before the tables that they read.
        cursor.execute("SET LOCAL check_function_bodies = false; SET LOCAL search_path = ''")
        cursor.execute(content)
    return True

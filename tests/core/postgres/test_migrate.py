"""Migrations beside the transactions of requests."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from core.postgres import connections
from ops.management.commands import migrate


@pytest.fixture
def without_cart(transactional_db):
    """The tables of sales as they were before carts; all migrations are applied again."""
    call_command("migrate", "sales", "0001", verbosity=0)
    yield
    call_command("migrate", "sales", verbosity=0)


def has_cart() -> bool:
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, "sales_visit")
    return "cart" in [column.name for column in columns]


def migrate_in_a_thread() -> None:
    try:
        call_command("migrate", "sales", "0002", verbosity=0)
    finally:
        connection.close()


@pytest.mark.usefixtures("without_cart")
def test_migration_begins_again_until_a_request_has_released_its_table(monkeypatch):
    seen = []
    with (
        psycopg.connect(**connections.session_parameters()) as request,
        ThreadPoolExecutor() as threads,
    ):
        request.execute("LOCK TABLE sales_visit IN ROW EXCLUSIVE MODE")

        def pause(_seconds: float) -> None:
            seen.append(has_cart())
            if len(seen) == 2:
                request.commit()

        monkeypatch.setattr(migrate.time, "sleep", pause)
        threads.submit(migrate_in_a_thread).result()

    assert seen == [False, False]
    assert has_cart()


@pytest.mark.usefixtures("without_cart")
def test_migration_gives_up_with_the_error_of_the_database(monkeypatch):
    monkeypatch.setattr(migrate, "TRIES", 1)
    with psycopg.connect(**connections.session_parameters()) as request:
        request.execute("LOCK TABLE sales_visit IN ROW EXCLUSIVE MODE")
        with pytest.raises(migrate.OperationalError, match="lock timeout"):
            call_command("migrate", "sales", "0002", verbosity=0)

    call_command("migrate", "sales", "0002", verbosity=0)
    assert has_cart()

"""Connections to the database: one that was ended is found out before a request uses it."""

from contextlib import suppress
from unittest.mock import Mock

import psycopg
import pytest
from django.db import InternalError, OperationalError, ProgrammingError, connection, transaction

from tests.waiting import wait_for


@pytest.fixture
def other(transactional_db):
    """Another session of the same database, which may end ours."""
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as session:
        yield session


def test_terminated_connection_is_replaced_at_next_request(other):
    connection.ensure_connection()
    ended = connection.connection.info.backend_pid
    other.execute("SELECT pg_terminate_backend(%s)", [ended])
    wait_for(lambda: not connection.is_usable())

    connection.close_if_unusable_or_obsolete()  # as at the beginning of each request

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone() != (ended,)


def test_pending_notification_keeps_connection_usable(other):
    with connection.cursor() as cursor:
        cursor.execute("LISTEN news")
    other.execute("NOTIFY news")
    number = connection.connection.info.backend_pid

    assert connection.is_usable()
    assert connection.connection.info.backend_pid == number


def test_usability_check_sends_no_query(other):
    connection.ensure_connection()
    number = connection.connection.info.backend_pid
    last = "SELECT query_start FROM pg_stat_activity WHERE pid = %s"
    before = other.execute(last, [number]).fetchone()

    assert connection.is_usable()

    assert other.execute(last, [number]).fetchone() == before


@pytest.mark.parametrize("statement", ["COMMIT", "BEGIN", "SELECT 1"])
def test_server_loss_during_any_statement_raises_operational_error(other, statement):
    # Only a server that is ended in the right microsecond does this: 1 of 300 under attack.
    error = psycopg.InternalError(f"received 2 results from command '{statement}'")

    with pytest.raises(OperationalError), connection.wrap_database_errors:
        raise error

    assert connection.errors_occurred


def test_server_loss_during_commit_raises_operational_error(other, monkeypatch):
    connection.ensure_connection()
    error = psycopg.InternalError("received 2 results from command 'COMMIT'")
    monkeypatch.setattr(connection.connection, "commit", Mock(side_effect=error))

    with pytest.raises(OperationalError), transaction.atomic():
        connection.cursor().execute("SELECT 1")


def test_transaction_ended_by_server_timeout_raises_operational_error(other):
    ended = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s"

    with pytest.raises(OperationalError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '20ms'")
        number = connection.connection.info.backend_pid
        wait_for(lambda: other.execute(ended, [number]).fetchone() == (0,))
        cursor.execute("SELECT 1")

    connection.close()


def test_statement_in_failed_transaction_stays_an_internal_error(other):
    with pytest.raises(InternalError), transaction.atomic(), connection.cursor() as cursor:
        with suppress(ProgrammingError):
            cursor.execute("SELECT 1 FROM no_such_table")
        cursor.execute("SELECT 1")

"""The two lines to the database, and what may be said on which."""

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from core.postgres import connections

SOCKET = "postgresql:///platform?host=/run/x&port=5432&user=platform"
POOLER = "postgresql://ada:secret@pooler:6432/platform?sslmode=require"
BOUNDS = connections.session_settings("5s", "2s")


def test_single_connection_sets_its_own_timeouts_without_pooler():
    found = connections.databases(SOCKET, SOCKET, BOUNDS, requests=True)

    assert list(found) == ["default"]
    assert "-c statement_timeout=5s" in found["default"]["OPTIONS"]["options"]
    assert (found["default"]["HOST"], found["default"]["PORT"]) == ("/run/x", 5432)


def test_requests_use_pooled_connection_without_session_state():
    found = connections.databases(POOLER, SOCKET, BOUNDS, requests=True)

    default, direct = found["default"], found[connections.DIRECT]
    assert default["HOST"] == "pooler"
    assert "options" not in default["OPTIONS"]
    assert default["OPTIONS"]["prepare_threshold"] is None
    assert default["DISABLE_SERVER_SIDE_CURSORS"]
    assert default["OPTIONS"]["sslmode"] == "require"
    assert direct["HOST"] == "/run/x"


def test_other_processes_use_only_the_direct_connection():
    found = connections.databases(POOLER, SOCKET, BOUNDS, requests=False)

    assert [(name, line["HOST"]) for name, line in found.items()] == [("default", "/run/x")]


def test_tcp_keepalives_are_set_for_network_connections_only():
    (there,) = connections.databases(POOLER, POOLER, BOUNDS, requests=False).values()
    (here,) = connections.databases(SOCKET, SOCKET, BOUNDS, requests=False).values()

    assert "-c tcp_keepalives_idle=2" in there["OPTIONS"]["options"]
    assert "tcp_keepalives" not in here["OPTIONS"]["options"]


def test_direct_session_uses_its_own_parameters(db):
    with psycopg.connect(**connections.session_parameters(synchronous_commit="off")) as session:
        shown = [
            session.execute(f"SHOW {name}").fetchone()[0]
            for name in ("statement_timeout", "synchronous_commit")
        ]

    assert shown == ["0", "off"]


def url_of_the_tests() -> str:
    words = "postgresql:///{dbname}?host={host}&port={port}&user={user}"
    return words.format(**connection.get_connection_params())


def test_require_session_accepts_direct_connection_to_server(db):
    connections.require_session(url_of_the_tests())


def test_require_session_reports_unreachable_server():
    with pytest.raises(connections.SessionRequired, match="does not answer"):
        connections.require_session("postgresql://127.0.0.1:1/platform")


def test_role_defaults_set_statement_timeout(transactional_db):
    connections.set_role_defaults(url_of_the_tests(), BOUNDS)
    try:
        with psycopg.connect(url_of_the_tests()) as session:
            assert session.execute("SHOW statement_timeout").fetchone() == ("5s",)
    finally:
        with connection.cursor() as cursor:
            name = connection.ops.quote_name(connection.settings_dict["NAME"])
            cursor.execute(f"ALTER ROLE CURRENT_USER IN DATABASE {name} RESET ALL")


def test_migration_has_no_idle_in_transaction_timeout(db):
    call_command("migrate", "core", verbosity=0)

    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("0",)

"""The two lines to the database, and what may be said on which."""

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from core.postgres import connections

SOCKET = "postgresql:///platform?host=/run/x&port=5432&user=platform"
POOLER = "postgresql://ada:secret@pooler:6432/platform?sslmode=require"
BOUNDS = connections.session_settings("5s", "2s")


def test_without_a_pooler_there_is_one_line_which_says_its_bounds_itself():
    found = connections.databases(SOCKET, SOCKET, BOUNDS, requests=True)

    assert list(found) == ["default"]
    assert "-c statement_timeout=5s" in found["default"]["OPTIONS"]["options"]
    assert (found["default"]["HOST"], found["default"]["PORT"]) == ("/run/x", 5432)


def test_requests_take_the_poolers_line_and_ask_it_for_nothing_that_lasts():
    found = connections.databases(POOLER, SOCKET, BOUNDS, requests=True)

    default, direct = found["default"], found[connections.DIRECT]
    assert default["HOST"] == "pooler"
    assert "options" not in default["OPTIONS"]
    assert default["OPTIONS"]["prepare_threshold"] is None
    assert default["DISABLE_SERVER_SIDE_CURSORS"]
    assert default["OPTIONS"]["sslmode"] == "require"
    assert direct["HOST"] == "/run/x"


def test_all_else_takes_the_direct_one():
    found = connections.databases(POOLER, SOCKET, BOUNDS, requests=False)

    assert [(name, line["HOST"]) for name, line in found.items()] == [("default", "/run/x")]


def test_a_server_is_asked_to_notice_that_a_machine_has_vanished():
    (there,) = connections.databases(POOLER, POOLER, BOUNDS, requests=False).values()
    (here,) = connections.databases(SOCKET, SOCKET, BOUNDS, requests=False).values()

    assert "-c tcp_keepalives_idle=2" in there["OPTIONS"]["options"]
    assert "tcp_keepalives" not in here["OPTIONS"]["options"]


def test_a_session_of_ours_is_held_to_what_it_says_itself(db):
    with psycopg.connect(**connections.session_parameters(synchronous_commit="off")) as session:
        shown = [
            session.execute(f"SHOW {name}").fetchone()[0]
            for name in ("statement_timeout", "synchronous_commit")
        ]

    assert shown == ["0", "off"]


def url_of_the_tests() -> str:
    words = "postgresql:///{dbname}?host={host}&port={port}&user={user}"
    return words.format(**connection.get_connection_params())


def test_a_server_itself_gives_sessions(db):
    connections.require_session(url_of_the_tests())


def test_where_nobody_answers_that_is_said():
    with pytest.raises(connections.SessionRequired, match="does not answer"):
        connections.require_session("postgresql://127.0.0.1:1/platform")


def test_bounds_are_the_roles_where_a_pooler_passes_none_on(transactional_db):
    connections.set_role_defaults(url_of_the_tests(), BOUNDS)
    try:
        with psycopg.connect(url_of_the_tests()) as session:
            assert session.execute("SHOW statement_timeout").fetchone() == ("5s",)
    finally:
        with connection.cursor() as cursor:
            name = connection.ops.quote_name(connection.settings_dict["NAME"])
            cursor.execute(f"ALTER ROLE CURRENT_USER IN DATABASE {name} RESET ALL")


def test_a_migration_may_pause_in_its_transaction(db):
    call_command("migrate", "core", verbosity=0)

    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("0",)

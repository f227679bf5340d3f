"""Pooled and direct connections: requests may use a transaction pooler, workers need sessions.

A pooler in transaction mode assigns any free connection to each transaction. Session state leaks
there: locks belong to all clients, notifications reach none, and start-up parameters are rejected.
So only requests of the web process use it (DATABASE_URL), without session state; workers, sender,
streams, `manage.py` and listeners use the direct one (DATABASE_DIRECT_URL).
"""

from collections.abc import Mapping
from typing import Any

import dj_database_url
import psycopg
from django.db import connections
from psycopg import sql

DIRECT = "direct"  # Django's name for the second line, in the process that has both
# For a connection whose other end is gone without a word: seconds, but for the last one's ms. A
# Unix socket knows by itself.
KEEPALIVE = {
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
    "tcp_user_timeout": 10_000,
}
# The same for the server's end of a session that comes over a network: what a machine that vanished
# in the middle of a transaction had locked would be locked for hours.
OVER_NETWORK = {
    "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "5s",
    "idle_in_transaction_session_timeout": "5s",
}
# What sessions of ours are not held to: the role's own bounds are those of requests.
_UNBOUND = {"statement_timeout": "0", "lock_timeout": "0"}
# Django's own, which psycopg does not know.
_DJANGO = ("context", "cursor_factory", "options")


class SessionRequired(Exception):
    """A direct URL leads through a pooler, or cannot be reached; the text says which."""


def session_settings(statement: str, lock: str) -> dict[str, str]:
    """Return the timeouts of a Django connection: longest statement and wait for a lock."""
    return {
        "statement_timeout": statement,
        "lock_timeout": lock,
        "idle_in_transaction_session_timeout": "10s",
        "jit": "off",
        "work_mem": "32MB",
    }


def databases(
    url: str, direct: str, bounds: dict[str, str], *, requests: bool
) -> dict[str, dict[str, Any]]:
    """Return Django's DATABASES.

    url, direct : of requests, and of everything else; the same where there is no pooler
    bounds      : timeouts of each Django connection
    requests    : whether this process answers requests: then `default` is the pooled one
    """
    straight = _database(direct)
    network = OVER_NETWORK if over_network({"host": straight["HOST"] or "/"}) else {}
    straight["OPTIONS"] |= {"prepare_threshold": 5, "options": words({**network, **bounds})}
    if not requests or url == direct:
        return {"default": straight}
    # Its bounds are the role's (`bind`). What a statement prepares, or a cursor leaves open, would
    # be on another connection the next time.
    pooled = _database(url) | {"DISABLE_SERVER_SIDE_CURSORS": True}
    pooled["OPTIONS"] |= {"prepare_threshold": None}
    return {"default": pooled, DIRECT: straight}


def _database(url: str) -> dict[str, Any]:
    found: dict[str, Any] = dict(
        dj_database_url.parse(url, "core.postgres.backend", None, conn_health_checks=True)
    )
    options = found.setdefault("OPTIONS", {})
    # A Unix socket is named in the query; where Django looks, so does the queue.
    for name in {"host", "port", "user", "password"} & options.keys():
        found[name.upper()] = options.pop(name)
    options |= {"server_side_binding": True, "connect_timeout": 3, **KEEPALIVE}
    return found


def words(bounds: dict[str, str]) -> str:
    """Settings of a session, as libpq's `options` takes them."""
    return " ".join(f"-c {name}={value}" for name, value in bounds.items())


def session_parameters(**own: str) -> dict[str, Any]:
    """What `psycopg.connect` takes for a session of one's own, with these settings of its own."""
    connection = connections[DIRECT if DIRECT in connections else "default"]
    parameters = connection.get_connection_params()
    for name in _DJANGO:
        parameters.pop(name, None)
    network = OVER_NETWORK if over_network(parameters) else {}
    return {**parameters, "options": words({**_UNBOUND, **network, **own})}


def over_network(parameters: Mapping[str, object]) -> bool:
    """Whether a connection's other end may vanish without a word: that of a Unix socket cannot."""
    return not str(parameters.get("host", "/")).startswith("/")


def require_session(url: str) -> None:
    """Raises SessionRequired unless `url` gives each connection a session of its own."""
    try:
        with psycopg.connect(url, connect_timeout=5, autocommit=True) as one:
            # Its own process number as the lock: nobody else has that one.
            (number,) = one.execute("SELECT pg_backend_pid()").fetchone() or (0,)
            one.execute("SELECT pg_advisory_lock(%s, %s)", (_PROBE, number))
            with psycopg.connect(url, connect_timeout=5, autocommit=True) as other:
                taken = other.execute("SELECT pg_try_advisory_lock(%s, %s)", (_PROBE, number))
                if taken.fetchone() == (True,):
                    other.execute("SELECT pg_advisory_unlock_all()")
                    raise SessionRequired(
                        "The database is reached through a pooler in transaction mode, where "
                        "locks are everybody's and no notification arrives. Name the server itself "
                        "in DATABASE_DIRECT_URL; DATABASE_URL may stay as it is."
                    )
            one.execute("SELECT pg_advisory_unlock_all()")
    except psycopg.OperationalError as error:
        raise SessionRequired(f"The database does not answer: {error}") from None


_PROBE = 0x70726F62


def set_role_defaults(url: str, bounds: dict[str, str]) -> None:
    """Set these timeouts for connections through the pooler at `url`, which passes none on.

    They are defaults of the pooler's role in this database. The platform's own sessions override
    them.

    Raises psycopg.Error.
    """
    with psycopg.connect(url, connect_timeout=5, autocommit=True, prepare_threshold=None) as line:
        found = line.execute("SELECT current_user, current_database()").fetchone()
        role, database = map(sql.Identifier, found or ("", ""))
        for name, value in bounds.items():
            line.execute(
                sql.SQL("ALTER ROLE {} IN DATABASE {} SET {} = {}").format(
                    role, database, sql.Identifier(name), sql.Literal(value)
                )
            )

"""Oldest snapshot (xmin horizon): what keeps VACUUM from removing dead rows."""

from dataclasses import dataclass

from django.db import connection

ALARM = 600.0  # seconds after which the tables are slower and larger than they need to be

# A vacuum's own snapshot keeps nothing.
_OLDEST = """
    SELECT extract(epoch FROM clock_timestamp() - xact_start)::float8, pid,
        coalesce(nullif(application_name, ''), usename, backend_type)
    FROM pg_stat_activity
    WHERE datname = current_database() AND backend_xmin IS NOT NULL AND xact_start IS NOT NULL
        AND pid <> pg_backend_pid() AND backend_type <> 'autovacuum worker'
    ORDER BY xact_start LIMIT 1
"""


@dataclass(frozen=True)
class Held:
    """A snapshot that is held for `seconds` by the server process `pid`, of the client `holder`."""

    seconds: float
    pid: int
    holder: str


def oldest_snapshot() -> Held | None:
    """The snapshot that is held longest, where any is but this connection's."""
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST)
        found = cursor.fetchone()
    return Held(*found) if found else None

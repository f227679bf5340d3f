"""Connection budget: what all processes may open against max_connections."""

from dataclasses import dataclass

from django.conf import settings
from django.db import connection

FULL = 0.8  # of what the server has, from where on it is reported
# What each kind of process may take of the server. It is known by the one session that it always
# has; what has none of these is counted by those that it has.
WORKER, SENDER = 6, 3
WEB, WEB_BEHIND_POOLER = 25, 1

_COUNTED = """
    SELECT count(*) FILTER (WHERE application_name = 'worker_lease'),
        count(*) FILTER (WHERE application_name LIKE 'send\\_callbacks%'),
        count(*) FILTER (WHERE application_name = 'event_streams'),
        count(*),
        current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int
            - current_setting('reserved_connections')::int
    FROM pg_stat_activity WHERE backend_type = 'client backend'
"""


@dataclass(frozen=True)
class ConnectionBudget:
    """Connections that may be taken, those that are, and as many as there can be."""

    may: int
    now: int
    most: int

    @property
    def is_scarce(self) -> bool:
        return max(self.may, self.now) > FULL * self.most


def room() -> ConnectionBudget:
    """Return the connections that all processes may take and those taken, beside the maximum."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED)
        workers, senders, webs, now, most = cursor.fetchone()
    pooled = settings.DATABASE_URL != settings.DATABASE_DIRECT_URL
    may = WORKER * workers + SENDER * senders + (WEB_BEHIND_POOLER if pooled else WEB) * webs
    return ConnectionBudget(max(may, now), now, most)

"""Queue depth: ready and running jobs, expected seconds, age of the oldest."""

from dataclasses import dataclass

from django.db import connection

# What waits for its time lies in queues of its own (.DQ), and calls for nobody yet.
_DEPTHS = """
    SELECT queue_name,
        count(*) FILTER (WHERE state = 'queued'),
        count(*) FILTER (WHERE state = 'consumed'),
        coalesce(sum(cost), 0)::float8,
        coalesce(extract(epoch FROM now() - min(available_at) FILTER (WHERE state = 'queued')),
            0)::float8
    FROM dramatiq.queue
    WHERE state IN ('queued', 'consumed') AND available_at <= now() AND queue_name NOT LIKE '%.DQ'
    GROUP BY queue_name
"""


@dataclass(frozen=True)
class Depth:
    """Of a queue: jobs that wait and are at work, how long both take one worker, the oldest's wait.

    seconds : as expected when each was sent (core.queue.job_costs)
    oldest  : s
    """

    ready: int = 0
    at_work: int = 0
    seconds: float = 0.0
    oldest: float = 0.0


def depths() -> dict[str, Depth]:
    """Return the depth of each queue that is not empty."""
    with connection.cursor() as cursor:
        cursor.execute(_DEPTHS)
        return {
            queue: Depth(ready, at_work, round(seconds, 1), round(oldest, 1))
            for queue, ready, at_work, seconds, oldest in cursor.fetchall()
        }

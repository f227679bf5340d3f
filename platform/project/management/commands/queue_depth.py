"""manage.py queue_depth: how much waits in each queue, as JSON, for whoever adds workers."""

from argparse import ArgumentParser
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from project.processes import platform_programs

# A job that waits for its time lies in a queue of that name with .DQ behind it.
_DEPTH = """
    SELECT split_part(queue_name, '.', 1),
        count(*) FILTER (WHERE state = 'queued'),
        count(*) FILTER (WHERE state = 'consumed'),
        coalesce(extract(epoch FROM now() - min(available_at) FILTER (WHERE state = 'queued')), 0),
        coalesce(sum(cost) FILTER (WHERE state = 'queued'), 0)
    FROM dramatiq.queue
    WHERE state IN ('queued', 'consumed') AND available_at <= now()
    GROUP BY 1
"""


def depths() -> dict[str, dict[str, float]]:
    """Of each queue that workers have slots for: jobs, and the seconds that they will take."""
    queues = {program.queue for program in platform_programs(["workers"])}
    found = {queue: {"waiting": 0, "at_work": 0, "oldest": 0.0, "seconds": 0.0} for queue in queues}
    with connection.cursor() as cursor:
        cursor.execute(_DEPTH)
        for queue, waiting, at_work, oldest, seconds in cursor.fetchall():
            found[queue] = {
                "waiting": waiting,
                "at_work": at_work,
                "oldest": round(float(oldest), 1),
                "seconds": round(float(seconds), 1),
            }
    return dict(sorted(found.items()))


class Command(BaseCommand):
    help = "Jobs that wait in each queue, and the seconds of work that they are, as JSON."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One queue, and one number of it."""
        parser.add_argument("--queue", help="this one alone")
        parser.add_argument(
            "--seconds", action="store_true", help="with --queue: the seconds of work, and no JSON"
        )

    def handle(self, *args: Any, queue: str | None, seconds: bool, **options: Any) -> None:
        """Print what waits at this moment; alarms, whose time has not come, are left out."""
        found = depths()
        if queue is None:
            self.stdout.write(orjson.dumps(found).decode())
            return
        if queue not in found:
            raise CommandError(f"There is no queue {queue!r}: there are {', '.join(found)}.")
        if seconds:
            self.stdout.write(f"{found[queue]['seconds']:g}")
        else:
            self.stdout.write(orjson.dumps(found[queue]).decode())

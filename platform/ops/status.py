"""Status checks and queue figures of the admin dashboard."""

import functools
import subprocess
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

from ops.management.commands import doctor

# What takes no more than a moment; `manage.py doctor` looks at the rest too.
QUICK = (
    doctor.database,
    doctor.queue,
    doctor.workers,
    doctor.queue_probes,
    doctor.snapshots,
    doctor.clocks,
    doctor.sender,
    doctor.agents,
    doctor.providers,
    doctor.storage,
    doctor.files,
)

# A job that waits for its time lies in a queue of that name with .DQ behind it.
_QUEUES = """
    SELECT split_part(queue_name, '.', 1) AS queue,
        count(*) FILTER (WHERE state = 'queued' AND available_at <= now()) AS waiting,
        min(available_at) FILTER (WHERE state = 'queued' AND available_at <= now()) AS since,
        count(DISTINCT account) FILTER (WHERE state = 'queued' AND available_at <= now())
            AS accounts,
        count(*) FILTER (WHERE state = 'consumed') AS at_work,
        count(*) FILTER (WHERE state = 'queued' AND available_at > now()) AS later,
        count(*) FILTER (WHERE state = 'rejected') AS given_up
    FROM dramatiq.queue GROUP BY 1 ORDER BY 1
"""


@dataclass(frozen=True)
class Part:
    """A part of the installation: whether it works, and what is to be said of it."""

    name: str
    works: bool
    words: str


@dataclass(frozen=True)
class Queue:
    """Jobs of one queue.

    waiting  : those whose time has come, the oldest of them for `lasting`
    accounts : how many accounts those are of, who take turns
    later    : alarms, and repeats after a pause
    given_up : those that failed too often
    """

    name: str
    waiting: int
    lasting: timedelta | None
    accounts: int
    at_work: int
    later: int
    given_up: int


def look() -> list[Part]:
    """Every part that can be looked at while somebody waits for a page."""
    return [*(_look(part) for part in QUICK), Part("version", True, version())]  # noqa: FBT003


def _look(part: Any) -> Part:
    try:
        return Part(part.__name__, True, part())  # noqa: FBT003
    except doctor.Broken as fault:
        return Part(part.__name__, False, str(fault))  # noqa: FBT003


def queues() -> list[Queue]:
    """What waits, is done, and waits for its time, in each queue that has anything."""
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(_QUEUES)
        return [
            Queue(
                name,
                waiting,
                since and timedelta(seconds=int((now - since).total_seconds())),
                *more,
            )
            for name, waiting, since, *more in cursor.fetchall()
        ]


@functools.cache
def version() -> str:
    """The commit that runs; `unknown` where this is no checkout."""
    words = ["git", "-C", str(settings.BASE_DIR), "describe", "--always", "--tags", "--dirty"]
    try:
        ran = subprocess.run(words, capture_output=True, text=True, timeout=5, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return ran.stdout.strip()

"""Delivery metrics."""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Count, Sum

from apps.callbacks.domain.statements import CAPS
from apps.callbacks.models import Delivery, Outcome

_PENDING = """
    SELECT CASE WHEN o.probe_at IS NOT NULL THEN 'unreachable'
        WHEN o.slow >= %s THEN 'slow' ELSE 'reachable' END,
        sum(d.count), extract(epoch FROM now() - min(d.since))::float
    FROM (
        SELECT origin_id, count(*), min(since) AS since FROM callbacks_delivery
        WHERE state = 'pending' GROUP BY origin_id
    ) AS d
    JOIN callbacks_origin AS o ON o.id = d.origin_id
    GROUP BY 1
"""


@dataclass(frozen=True)
class Figures:
    """Counts of deliveries.

    pending    : pending deliveries by state of their origin: reachable, slow, unreachable
    oldest     : s since the lifetime of the oldest of these began, likewise
    deliveries : by state
    attempts   : by outcome
    """

    pending: dict[str, int]
    oldest: dict[str, float]
    deliveries: dict[str, int]
    attempts: dict[str, int]


def read_figures() -> Figures:
    """The figures of this moment."""
    states = ("reachable", "slow", "unreachable")
    pending, oldest = dict.fromkeys(states, 0), dict.fromkeys(states, 0.0)
    with connection.cursor() as cursor:
        cursor.execute(_PENDING, (CAPS["slow"],))
        for state, count, age in cursor.fetchall():
            pending[state], oldest[state] = int(count), max(age, 0.0)
    counts = Delivery.objects.order_by().values_list("state").annotate(Count("pk"))
    attempts = Outcome.objects.order_by().values_list("outcome").annotate(Sum("count"))
    return Figures(
        pending=pending,
        oldest=oldest,
        deliveries=dict.fromkeys(Delivery.State.values, 0) | dict(counts),
        attempts=dict(attempts),
    )

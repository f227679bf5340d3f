"""Agent metrics."""

from typing import NamedTuple

from django.db.models import Count

from apps.erp.printing.models.agents import Agent


class AgentFigures(NamedTuple):
    """An agent that was heard at some time.

    permits_refused : how often it asked for one in vain
    report_delay    : how old the oldest report of its last ones was when it came, s
    printers        : how many it drives
    """

    uri: str
    name: str
    online: bool
    permits_refused: int
    report_delay: float | None
    printers: int


def agent_figures() -> list[AgentFigures]:
    """All agents that were heard at some time."""
    rows = Agent.objects.filter(seen__isnull=False).annotate(count=Count("printers"))
    return [
        AgentFigures(
            row.uri, row.name, row.online, row.permits_refused, row.report_delay, row.count
        )
        for row in rows.order_by("pk")
    ]

"""Job: marks printers of silent agents as offline."""

import dramatiq
from django.utils import timezone

from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.domain.overdue_tests import end_overdue_tests
from apps.erp.printing.models.agents import OFFLINE_AFTER
from apps.erp.production.domain.attempts import show_all


@dramatiq.actor(actor_name="show_silent_agents", queue_name="default", max_retries=0)
def mark_silent_agents_offline() -> None:
    """Set printers of silent agents to offline, and end overdue tests; twice a minute."""
    end_overdue_tests()
    silent = Printer.objects.filter(agent__seen__lt=timezone.now() - OFFLINE_AFTER)
    show_all(silent.exclude(driver=None).exclude(status=Printer.Status.OFFLINE))

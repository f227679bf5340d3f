"""Job: marks printers of silent agents as offline."""

import dramatiq
from django.utils import timezone

from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.domain.attempts import show_all
from apps.erp.printing.models.agents import SILENCE


@dramatiq.actor(queue_name="default", max_retries=0)
def show_silent_agents() -> None:
    """Printers whose agent has fallen silent say that they are offline; twice a minute."""
    silent = Printer.objects.filter(agent__seen__lt=timezone.now() - SILENCE)
    show_all(silent.exclude(driver=None).exclude(status=Printer.Status.OFFLINE))

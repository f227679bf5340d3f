"""Printers that people watch, which agents report every two seconds."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.models.agents import Agent

WATCHED_FOR = timedelta(seconds=15)  # after each look
RENEW_AFTER = timedelta(seconds=5)  # so that most looks write nothing


@transaction.atomic
def watch(*, printer: Printer) -> datetime:
    """Have the agent of a printer report it every 2 s for a while; return until when."""
    now, last = timezone.now(), printer.watched
    if last is None or now - last > RENEW_AFTER:
        Printer.objects.filter(pk=printer.pk).update(watched=now)
        if last is None or now - last > WATCHED_FOR:
            callbacks.ring_streams(printer.location_id)
        last = now
    return last + WATCHED_FOR


def watched_printers(agent: Agent) -> list[Printer]:
    """Return the printers of an agent at which people look."""
    oldest = timezone.now() - WATCHED_FOR
    return list(Printer.objects.filter(agent=agent, watched__gt=oldest))

"""Passes of automatic prints that begin at once, beside those of each half minute."""

from uuid import UUID

from apps.erp.organisation.models.equipment import Printer
from core.queue.broker import enqueue_by_name

# Milliseconds in which pieces are collected, so that orders of the same moment are packed together.
COLLECTION_MS = 10_000


def plan_prints(bureau: UUID, *, delay: int | None = None) -> None:
    """Have runs planned and prints started, where the bureau has a printer that starts them.

    delay : milliseconds
    """
    if Printer.objects.filter(bureau=bureau, auto_start=True).exists():
        enqueue_by_name("start_automatic_prints", str(bureau), delay=delay)

"""Jobs: plan runs and start prints automatically, one job for each bureau."""

import dramatiq

from apps.erp.automation.domain.attendance import ready_printers
from apps.erp.automation.domain.runs import plan_runs, queue_sliced
from apps.erp.automation.domain.starts import START_INTERVAL, start_prints
from apps.erp.base.models.bureaus import Bureau


@dramatiq.actor(queue_name="default", max_retries=0)
def plan_automatic_prints() -> None:
    """Enqueue a job for each bureau that has a printer which can start a print; twice a minute."""
    for key in ready_printers().order_by().values_list("bureau", flat=True).distinct():
        start_automatic_prints.send(str(key))


@dramatiq.actor(queue_name="default", max_retries=0)
def start_automatic_prints(bureau: str) -> None:
    """Start the prints of a bureau that can begin now, then plan runs for idle printers."""
    if (row := Bureau.objects.filter(pk=bureau).first()) is not None:
        queue_sliced(row)
        if start_prints(row):
            # One further pass for each that started something: what comes in between waits for it.
            delay = int(START_INTERVAL.total_seconds() * 1000) + 1
            start_automatic_prints.send_with_options(args=(bureau,), delay=delay)
        plan_runs(row)

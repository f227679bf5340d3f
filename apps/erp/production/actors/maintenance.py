"""Job: maintenance tasks that become due by time."""

import dramatiq

from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.maintenance import MaintenanceTask
from apps.erp.production.domain.maintenance import follow_maintenance


@dramatiq.actor(queue_name="default", max_retries=0)
def check_maintenance() -> None:
    """Follow the maintenance of printers that have a task by days; once an hour.

    Tasks by hours, grams and prints are followed as prints end.
    """
    by_days = MaintenanceTask.objects.filter(interval_days__isnull=False)
    follow_maintenance(Printer.objects.filter(printer_type__in=by_days.values("printer_type")))

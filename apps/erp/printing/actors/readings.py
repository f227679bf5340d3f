"""Job: deletes old readings of print attempts."""

from datetime import timedelta

import dramatiq
from django.utils import timezone

from apps.erp.printing.models.readings import AttemptReadings

READINGS_RETENTION = timedelta(days=365)  # after the end of the print


@dramatiq.actor(queue_name="default", max_retries=0)
def prune_attempt_readings() -> None:
    """Delete the readings of attempts that ended long ago; once an hour."""
    AttemptReadings.objects.filter(attempt__ended__lt=timezone.now() - READINGS_RETENTION).delete()

"""Job: deletes old entries of files that slicers sent."""

from datetime import timedelta

import dramatiq
from django.utils import timezone

from apps.erp.printing.models.slicer_uploads import ReceivedFile

RETENTION = timedelta(days=90)  # after the last change


@dramatiq.actor(queue_name="default", max_retries=0)
def prune_received_files() -> None:
    """Delete the entries of files that are settled, but not their G-code and models; hourly."""
    settled = (ReceivedFile.Status.DONE, ReceivedFile.Status.ERROR)
    old = ReceivedFile.objects.filter(updated__lt=timezone.now() - RETENTION)
    old.filter(status__in=settled).delete()

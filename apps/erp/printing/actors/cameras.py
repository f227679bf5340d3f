"""Job: deletes old pictures of cameras."""

from datetime import timedelta

import dramatiq
from django.utils import timezone

from apps.erp.printing.actors.readings import READINGS_RETENTION
from apps.erp.printing.models.cameras import AttemptPicture, CameraPicture

NEWEST_RETENTION = timedelta(days=1)


@dramatiq.actor(queue_name="default", max_retries=0)
def prune_camera_pictures() -> None:
    """Delete newest pictures of yesterday, and those of attempts that ended long ago; hourly."""
    now = timezone.now()
    CameraPicture.objects.filter(at__lt=now - NEWEST_RETENTION).delete()
    AttemptPicture.objects.filter(attempt__ended__lt=now - READINGS_RETENTION).delete()

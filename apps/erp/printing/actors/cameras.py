"""Job: deletes old pictures of cameras."""

from datetime import timedelta

import dramatiq
from django.utils import timezone

from apps.erp.printing.actors.readings import READINGS_RETENTION
from apps.erp.printing.models.cameras import FRAME, AttemptPicture, CameraPicture, Timelapse

NEWEST_RETENTION = timedelta(days=1)
FRAME_RETENTION = timedelta(days=7)
MAX_PRINT = timedelta(days=60)


@dramatiq.actor(queue_name="default", max_retries=0)
def prune_camera_pictures() -> None:
    """Delete newest pictures of yesterday, and those of attempts that ended long ago; hourly.

    Frames are deleted a week after the end, videos with the other pictures.
    """
    now = timezone.now()
    CameraPicture.objects.filter(at__lt=now - NEWEST_RETENTION).delete()
    AttemptPicture.objects.filter(attempt__ended__lt=now - READINGS_RETENTION).delete()
    Timelapse.objects.filter(attempt__ended__lt=now - READINGS_RETENTION).delete()
    frames = AttemptPicture.objects.filter(status=FRAME)
    frames.filter(attempt__ended__lt=now - FRAME_RETENTION).delete()
    frames.filter(at__lt=now - MAX_PRINT).delete()  # of an attempt whose end was not reported

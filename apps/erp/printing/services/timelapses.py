"""Timelapses: frames that agents send while a machine prints, and videos of them."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Sum

from apps.erp.printing.actors.timelapses import make_timelapse
from apps.erp.printing.models.cameras import (
    FRAME,
    FRAME_INTERVAL,
    MAX_FRAMES,
    AttemptPicture,
    Timelapse,
)
from apps.erp.production.models.attempts import Attempt
from core.errors import Conflict
from core.queue.row_jobs import enqueue

MAX_BUREAU_BYTES = 2_000_000_000  # of the frames of a bureau
COST = 20.0  # s


class NoTimelapse(Conflict):
    """The printer records none, does not print the attempt now, or sent a frame a moment ago."""

    code = "no-timelapse"


class FramesFull(Conflict):
    """The frames of the bureau take MAX_BUREAU_BYTES."""

    code = "limit-reached"


class NoFrames(Conflict):
    """There are no two pictures of the attempt."""

    code = "no-frames"


def frame_interval(attempt: Attempt, now: datetime) -> int | None:
    """Time until the next frame, s; None where the agent sends none of the attempt."""
    if not attempt.printer.timelapse or attempt.state is not FRAME or attempt.began is None:
        return None
    interval = FRAME_INTERVAL
    while (now - attempt.began).total_seconds() > interval * MAX_FRAMES:
        interval *= 2
    return interval


def require_room(attempt: Attempt, at: datetime) -> None:
    """Thin the frames of an attempt where it has MAX_FRAMES: every second one is deleted.

    Raises NoTimelapse, also for a frame that is too early, and FramesFull.
    """
    interval = frame_interval(attempt, at)
    if interval is None:
        title = f"No timelapse of {attempt.name} is recorded now: send no frames of it."
        raise NoTimelapse(title)
    frames = list(attempt.pictures.filter(status=FRAME).order_by("at", "pk"))
    if frames and abs(at - frames[-1].at) < timedelta(seconds=interval / 2):
        raise NoTimelapse(f"A frame of the timelapse of {attempt.name} is sent each {interval} s.")
    if len(frames) >= MAX_FRAMES:
        AttemptPicture.objects.filter(pk__in=[frame.pk for frame in frames[1::2]]).delete()
    rows = AttemptPicture.objects.filter(status=FRAME, attempt__bureau=attempt.bureau_id)
    taken = rows.aggregate(bytes=Sum("content__size"))["bytes"] or 0
    if taken >= MAX_BUREAU_BYTES:
        title = "The frames of the bureau take 2 GB; they are deleted a week after their print."
        raise FramesFull(title)


@transaction.atomic
def request_video(*, attempt: Attempt) -> Timelapse:
    """Have a video made of the pictures of an attempt, anew unless it is being made.

    Raises NoFrames.
    """
    Attempt.objects.select_for_update(no_key=True).get(pk=attempt.pk)
    row = Timelapse.objects.filter(attempt=attempt).first()
    if row is not None and row.status == Timelapse.Status.PROCESSING:
        return row
    if attempt.pictures.count() < 2:
        raise NoFrames(
            "There are fewer than two pictures of the print: switch `timelapse` of its printer on "
            "before it begins. The pictures of a print are deleted a week after its end."
        )
    Timelapse.objects.filter(attempt=attempt).delete()
    row = Timelapse.objects.create(key=attempt.pk.hex, attempt=attempt)
    enqueue(make_timelapse, row, owner=attempt.creator_id, cost=COST)
    return row

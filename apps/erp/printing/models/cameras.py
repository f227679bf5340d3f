"""Pictures of printers' cameras."""

from django.db import models

from apps.erp.organisation.models.equipment import Printer
from apps.erp.production.models.attempts import Attempt
from core.model_fields import DatabaseTimeField
from core.models import Blob
from core.state_machine import Stateful, Targets
from machines.states import PRINTED, AttemptState

MAX_PICTURES = 50  # of an attempt, at its pauses and its end
MAX_FRAMES = 200  # of an attempt, while it prints
FRAME_INTERVAL = 10  # s; it doubles as often as MAX_FRAMES are there
# States of an attempt that a picture is kept of.
PICTURED = (AttemptState.PAUSED, *PRINTED, AttemptState.UNCLEAR)
FRAME = AttemptState.PRINTING


class CameraPicture(models.Model):
    """The newest picture of a printer's camera: a JPEG that the platform has drawn anew.

    It is overwritten every two seconds while people watch: in file storage each one would stay for
    a day.
    """

    printer = models.OneToOneField(
        Printer, on_delete=models.CASCADE, primary_key=True, related_name="camera"
    )
    content = models.BinaryField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"picture of {self.printer_id}"


class AttemptPicture(models.Model):
    """A picture that the camera took when an attempt paused or ended, or a frame of a timelapse.

    status : of the attempt at that moment; of a frame printing
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="pictures")
    status = models.CharField(
        max_length=16, choices=[(state.value, state.value) for state in (*PICTURED, FRAME)]
    )
    at = models.DateTimeField()
    content = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["attempt", "content"], name="one_picture_once")
        ]

    def __str__(self) -> str:
        return f"picture of {self.attempt_id}: {self.status}"


class Timelapse(Stateful):
    """A video of the pictures of an attempt: made when it is requested.

    key        : of the attempt, hexadecimal: it has one
    media_type : of the content, which is null until it is made
    """

    class Status(models.TextChoices):
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    TRANSITIONS = {Status.PROCESSING: Targets(Status.PROCESSED, Status.ERROR)}

    created = DatabaseTimeField(auto_now_add=True)
    updated = DatabaseTimeField(auto_now=True)
    key = models.CharField(max_length=32, primary_key=True)
    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="+")
    status = models.CharField(max_length=16, choices=Status, default=Status.PROCESSING)
    errors = models.JSONField(null=True, blank=True)
    media_type = models.CharField(max_length=16, blank=True, default="")
    content = models.ForeignKey(Blob, models.PROTECT, null=True, blank=True, related_name="+")

    def __str__(self) -> str:
        return f"timelapse of {self.attempt_id}"

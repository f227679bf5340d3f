"""Pictures of printers' cameras."""

from django.db import models

from apps.erp.organisation.models.equipment import Printer
from apps.erp.production.models.attempts import Attempt
from core.models import Blob
from machines.states import PRINTED, AttemptState

MAX_PICTURES = 50  # of an attempt
# States of an attempt that a picture is kept of.
PICTURED = (AttemptState.PAUSED, *PRINTED, AttemptState.UNCLEAR)


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
    """A picture that the camera took when an attempt paused or ended.

    status : of the attempt at that moment
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="pictures")
    status = models.CharField(
        max_length=16, choices=[(state.value, state.value) for state in PICTURED]
    )
    at = models.DateTimeField()
    content = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["attempt", "content"], name="one_picture_once")
        ]

    def __str__(self) -> str:
        return f"picture of {self.attempt_id}: {self.status}"

"""Start and end G-code of a printer, as a person has confirmed it."""

from django.db import models

from core.sharing import Shareable
from core.state_machine import Stateful


class PrinterGcode(Shareable, Stateful):
    """The G-code that begins and ends prints with a printer's preset.

    It is never changed: another text is another row, which is confirmed and tested anew. Its owner
    has confirmed it when it was created. It can be used once its test slice is processed.
    """

    SERVICE = "slicing"
    KIND = "printer-gcode"

    class Status(models.TextChoices):
        QUEUED = "queued"
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    TRANSITIONS = {
        Status.QUEUED: {Status.PROCESSING, Status.ERROR},
        Status.PROCESSING: {Status.PROCESSED, Status.ERROR},
    }

    # The printer's preset, and what it was at the confirmation.
    preset_uuid = models.UUIDField(db_index=True)
    preset_name = models.CharField(max_length=200)
    preset_digest = models.CharField(max_length=64)
    start_gcode = models.TextField()
    # Empty: those of the preset.
    before_layer_gcode = models.TextField(blank=True, default="")
    layer_gcode = models.TextField(blank=True, default="")
    end_gcode = models.TextField()
    status = models.CharField(max_length=16, choices=Status, default=Status.QUEUED)
    errors = models.JSONField(null=True, blank=True)
    # What the test slice came to: temperatures in degrees Celsius, seconds, mm.
    test = models.JSONField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["owner", "uuid"], name="printer_gcode_owner")]

    def __str__(self) -> str:
        return self.preset_name

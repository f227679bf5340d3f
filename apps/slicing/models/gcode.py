"""Uploaded G-code."""

from django.db import models

from core.files.signed_urls import download_url
from core.models import Blob
from core.sharing import Shareable
from core.state_machine import Stateful
from core.text.file_names import safe_file_name

MEDIA_TYPES = {"bgcode": "application/octet-stream", "gcode.3mf": "model/3mf"}


class Gcode(Shareable, Stateful):
    """A gcode file of a client's own."""

    SERVICE = "slicing"
    KIND = "gcode"

    class Status(models.TextChoices):
        NOT_UPLOADED = "not-uploaded"
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    TRANSITIONS = {
        Status.NOT_UPLOADED: {Status.PROCESSING, Status.ERROR},
        Status.PROCESSING: {Status.PROCESSED, Status.ERROR},
        Status.ERROR: {Status.PROCESSING},  # an operator has it judged once more
    }

    name = models.CharField(max_length=255, blank=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.NOT_UPLOADED)
    errors = models.JSONField(null=True, blank=True)
    content = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # What plain gcode is read from, where the file is none itself: its kind, and its gcode.
    container = models.CharField(max_length=16, blank=True, default="", db_default="")
    text = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    file_size = models.BigIntegerField(null=True, blank=True)
    # What was read from it, as gcode.Figures names it, and the index of its layers.
    figures = models.JSONField(null=True, blank=True)
    layers = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # What its slicer states in it, as gcode.Metadata names it.
    metadata = models.JSONField(null=True, blank=True)
    # Of a file with several plates each is a row: its number, and the row of the first plate.
    plate = models.PositiveSmallIntegerField(null=True, blank=True)
    first_plate = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        indexes = [models.Index(fields=["owner", "uuid"], name="gcode_owner")]

    def __str__(self) -> str:
        return self.name or str(self.uuid)

    def content_location(self) -> str | None:
        """Return the download URL; None until the file has been recognised as gcode."""
        if self.content_id is None or self.status != self.Status.PROCESSED:
            return None
        ending = self.container or "gcode"
        stem = self.name.removesuffix(f".{ending}")
        name = safe_file_name(stem, ending, otherwise=f"gcode-{self.uuid}")
        media_type = MEDIA_TYPES.get(self.container, "text/x.gcode")
        return download_url(self.content_id, media_type=media_type, filename=name)

    @property
    def plain_id(self) -> str | None:
        """The hash of the plain gcode: of the file, or of what is inside its container."""
        return self.text_id or self.content_id

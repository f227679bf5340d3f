"""Toolpath file of a G-code."""

from django.db import models

from core.model_fields import DatabaseTimeField
from core.models import Blob
from core.state_machine import Stateful


class LayerPaths(Stateful):
    """All layers of a gcode file in a small file, once for equal gcode."""

    class Status(models.TextChoices):
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    TRANSITIONS = {Status.PROCESSING: {Status.PROCESSED, Status.ERROR}}

    created = DatabaseTimeField(auto_now_add=True)
    updated = DatabaseTimeField(auto_now=True)
    # Hash of the gcode, of the index of its layers, and the version of what makes it.
    key = models.CharField(max_length=64, primary_key=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.PROCESSING)
    errors = models.JSONField(null=True, blank=True)
    # It goes with its source, and so does not keep it from being removed.
    source = models.ForeignKey(Blob, on_delete=models.CASCADE, related_name="+")
    layers = models.ForeignKey(Blob, on_delete=models.CASCADE, related_name="+")
    content = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name_plural = "layer paths"

    def __str__(self) -> str:
        return f"paths of {self.source_id}"

"""Rendition: a derived file (preview, thumbnail, other format), shared by equal meshes."""

from django.db import models

from core.model_fields import DatabaseTimeField
from core.models import Blob
from core.state_machine import Stateful


class Rendition(Stateful):
    """A canonical file in another form: light, for viewers, or whole in another format."""

    class Status(models.TextChoices):
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    class Kind(models.TextChoices):
        PREVIEW = "preview"
        THUMBNAIL = "thumbnail"
        THREE_MF = "3mf", "3MF"
        GLB = "glb", "GLB"

    TRANSITIONS = {Status.PROCESSING: {Status.PROCESSED, Status.ERROR}}

    # Hash of the source, the kind, what was asked of it, and the version of what makes it.
    created = DatabaseTimeField(auto_now_add=True)
    updated = DatabaseTimeField(auto_now=True)
    key = models.CharField(max_length=64, primary_key=True)
    kind = models.CharField(max_length=16, choices=Kind)
    # Of a preview, the most that it has; of others none.
    triangles = models.IntegerField(null=True, blank=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.PROCESSING)
    errors = models.JSONField(null=True, blank=True)
    # It goes with its source, and so does not keep it from being removed.
    source = models.ForeignKey(Blob, on_delete=models.CASCADE, related_name="+")
    # Whether the source is a closed surface, which decides how it is drawn.
    closed = models.BooleanField()
    content = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    def __str__(self) -> str:
        return f"{self.kind} of {self.source_id}"

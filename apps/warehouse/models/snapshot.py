"""Snapshot: a rendered picture of a model."""

from uuid import UUID

from django.conf import settings
from django.db import models

from apps.warehouse.models.model import Model
from core.model_fields import DatabaseTimeField
from core.models import Blob
from core.resources import Resource
from core.state_machine import Stateful
from core.uris import resource_uri


class Snapshot(Resource, Stateful):
    """A picture of a model: its parameters, and the image once it is drawn."""

    SERVICE = "models"
    KIND = "snapshot"

    class Status(models.TextChoices):
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    TRANSITIONS = {
        Status.PROCESSING: {Status.PROCESSED, Status.ERROR},
        Status.ERROR: {Status.PROCESSING},  # by operators
    }

    updated = DatabaseTimeField(auto_now=True)
    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="snapshots")
    # Who asked for it; nobody for the picture that every model gets.
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    # The picture that every model gets: its location is the model's `snapshot`.
    is_default = models.BooleanField(default=False)
    status = models.CharField(max_length=16, choices=Status, default=Status.PROCESSING)
    errors = models.JSONField(null=True, blank=True)
    progress = models.FloatField(default=0)
    # The whole view, defaults filled in, as geometry.rendering.view.View names it.
    view = models.JSONField()
    # Once drawn, where it was taken from: as geometry.rendering.view.Viewpoint names it.
    camera = models.JSONField(null=True, blank=True)
    # Hash of content, view, renderer and driver, once drawn: equal pictures are drawn once.
    key = models.CharField(max_length=64, blank=True, db_index=True)
    content = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["model"], condition=models.Q(is_default=True), name="one_default_snapshot"
            )
        ]

    def __str__(self) -> str:
        return f"Snapshot {self.uuid}"

    @property
    def audience(self) -> UUID:
        return self.model.owner_id

    @property
    def uri(self) -> str:
        return resource_uri(self.SERVICE, self.KIND, model=self.model_id, uuid=self.uuid)

"""Pieces: the single parts of line items."""

from typing import ClassVar
from uuid import UUID

from django.db import models
from django.db.models import F

from apps.erp.base.model_fields import BureauForeignKey, ForeignUriField, text_field
from apps.erp.base.models.abstract import BureauResource, RowQuerySet
from apps.erp.orders.models.orders import LineItem
from apps.erp.organisation.models.workflows import ProcessStep
from core.state_machine import Stateful, Targets


class PieceQuerySet(RowQuerySet):
    """Questions about pieces."""

    def with_related(self) -> "PieceQuerySet":
        """With their place in a run, and when that `began` and `ended`."""
        rows = self.select_related("place")
        return rows.annotate(began=F("place__run__started"), ended=F("place__run__finished"))


class Piece(BureauResource, Stateful):
    """One part to be made.

    number     : its place among the pieces of its line item, from 1
    step       : of the workflow, the one that it is at or waits for; null without a workflow
    place      : where it is, or was last, in a run
    replica_of : the piece that failed and that it is made for
    """

    class Status(models.TextChoices):
        CREATED = "created"
        QUEUED = "queued"
        IN_PROGRESS = "in-progress"
        COMPLETE = "complete"
        ERROR = "error"
        CANCELLED = "cancelled"

    TRANSITIONS = {
        Status.CREATED: Targets(Status.QUEUED, Status.CANCELLED, asked={Status.ERROR}),
        Status.QUEUED: Targets(Status.IN_PROGRESS, Status.CREATED, asked={Status.ERROR}),
        # Created for its next step, or complete after the last.
        Status.IN_PROGRESS: Targets(asked={Status.CREATED, Status.COMPLETE, Status.ERROR}),
    }

    KIND = "piece"
    EVENT_RELATIONS = ("line_item",)
    PARENT = "line_item"
    SORTED = ("number",)
    READ_ONLY = frozenset({"line_item", "number", "model_uri", "config_uri", "replica_of"})
    PRIVATE = frozenset({"step", "place"})

    line_item = BureauForeignKey(LineItem, related_name="pieces")
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=16, choices=Status, default=Status.CREATED)
    model_uri = ForeignUriField(kind="model", null=True, blank=True, db_index=True)
    config_uri = ForeignUriField(kind="config", null=True, blank=True, db_index=True)
    step = BureauForeignKey(ProcessStep, null=True, blank=True)
    place = models.OneToOneField(
        "erp.Place", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    replica_of = BureauForeignKey("self", null=True, blank=True)
    notes = text_field()

    objects: ClassVar = PieceQuerySet.as_manager()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(fields=["line_item", "number"], name="piece_number"),
            models.UniqueConstraint(fields=["replica_of"], name="replaced_once"),
        ]
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(fields=["bureau", "status", "uuid"], name="piece_status"),
            models.Index(fields=["bureau", "updated", "uuid"], name="piece_updated"),
            models.Index(
                fields=["bureau", "created"], name="piece_first", condition=models.Q(number=1)
            ),
        ]

    @property
    def audience(self) -> UUID:
        return self.line_item.creator_id

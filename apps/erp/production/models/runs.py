"""Pieces, runs, and the placements of pieces in runs."""

from typing import ClassVar

from django.apps import apps
from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import OuterRef, Subquery, Sum

from apps.erp.base.model_fields import (
    BureauForeignKey,
    ForeignUriField,
    name_field,
    text_field,
    user_field,
)
from apps.erp.base.models.abstract import BureauResource, RowQuerySet
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import PostProcessor, Printer, PrinterType
from apps.erp.organisation.models.master_data import Material, Shipping
from apps.erp.organisation.models.workflows import ProcessStep
from core.models import Blob
from core.state_machine import Stateful, Targets


class RunQuerySet(RowQuerySet):
    """Questions about runs."""

    def with_related(self) -> "RunQuerySet":
        """With `piece_keys`: the keys of the pieces, in the order in which they come out.

        And with `printed`: the seconds that machines printed it, in all its attempts.
        """
        places = Place.objects.filter(run=OuterRef("pk")).order_by("position")
        attempts: models.QuerySet = apps.get_model("erp", "Attempt").objects.order_by()
        printed = attempts.filter(run=OuterRef("pk")).values("run")
        return self.annotate(
            piece_keys=ArraySubquery(places.values("piece")),
            printed=Subquery(printed.annotate(s=Sum("printing_seconds")).values("s")),
        )


class Run(BureauResource, Stateful):
    """Pieces that are printed, finished or sent together.

    model       : the packed STL, as a model of the warehouse
    content_3mf : the same build, with a named object for each part
    packing     : how it was asked to be packed; report: how it came out
    slicing     : how far its slice is; null where none was asked for
    any_of_type : whether another printer of the same type and location may print it
    material    : of a print of uploaded G-code, where its pieces do not say
    """

    class Operation(models.TextChoices):
        PRINTING = "printing"
        POST_PROCESSING = "post-processing"
        SHIPPING = "shipping"

    class Status(models.TextChoices):
        CREATED = "created"
        CALCULATING = "calculating"
        CALCULATED = "calculated"
        QUEUED = "queued"
        IN_PROGRESS = "in-progress"
        COMPLETE = "complete"
        ERROR = "error"

    class Slicing(models.TextChoices):
        QUEUED = "queued"
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    TRANSITIONS = {
        Status.CREATED: Targets(Status.CALCULATING, Status.CALCULATED, asked={Status.ERROR}),
        Status.CALCULATING: Targets(asked={Status.CALCULATED, Status.ERROR}),
        Status.CALCULATED: Targets(asked={Status.QUEUED, Status.IN_PROGRESS, Status.ERROR}),
        Status.QUEUED: Targets(asked={Status.IN_PROGRESS, Status.ERROR}),
        Status.IN_PROGRESS: Targets(asked={Status.COMPLETE, Status.ERROR}),
    }
    ENDED: ClassVar = (Status.COMPLETE, Status.ERROR)
    NEWS = dict.fromkeys(
        (Status.CALCULATED, Status.QUEUED, Status.IN_PROGRESS),
        {
            "slicing": {"enum": [None, *Slicing.values]},
            "estimates.print_time": {"type": ["number", "null"]},
        },
    )

    KIND = "run"
    EVENT_RELATIONS = ("printer", "post_processor")
    FIXED = frozenset({"operation", "post_processor", "shipping", "pieces"})
    READ_ONLY = frozenset(
        {
            "bureau",
            "printer",
            "printer_type",
            "model_uri",
            "report",
            "estimates",
            "errors",
            "progress",
            "slicing_errors",
            "material",
            "snapshots",
        }
    )
    PRIVATE = frozenset(
        {
            "content_3mf",
            "creator",
            "do_build_volume_check",
            "finished",
            "packing",
            "started",
        }
    )

    name = name_field()
    operation = models.CharField(max_length=16, choices=Operation, default=Operation.PRINTING)
    status = models.CharField(max_length=16, choices=Status, default=Status.CREATED)
    printer = BureauForeignKey(Printer, null=True, blank=True)
    printer_type = BureauForeignKey(PrinterType, null=True, blank=True)
    any_of_type = models.BooleanField(default=False)
    post_processor = BureauForeignKey(PostProcessor, null=True, blank=True)
    shipping = BureauForeignKey(Shipping, null=True, blank=True)
    material = BureauForeignKey(Material, null=True, blank=True)
    do_build_volume_check = models.BooleanField(default=True)
    packing = models.JSONField(default=dict, blank=True)
    config_uri = ForeignUriField(kind="config", null=True, blank=True, db_index=True)
    slice_uri = ForeignUriField(kind="slice", null=True, blank=True, db_index=True)
    slicing = models.CharField(max_length=16, choices=Slicing, null=True, blank=True)  # noqa: DJ001
    slicing_errors = models.JSONField(null=True, blank=True)
    gcode_uri = ForeignUriField(kind="gcode", null=True, blank=True, db_index=True)
    model_uri = ForeignUriField(kind="model", null=True, blank=True, db_index=True)
    content_3mf = models.ForeignKey(Blob, models.PROTECT, null=True, blank=True, related_name="+")
    snapshots = models.JSONField(default=list, blank=True)
    report = models.JSONField(null=True, blank=True)
    estimates = models.JSONField(null=True, blank=True)
    errors = models.JSONField(null=True, blank=True)
    progress = models.FloatField(null=True, blank=True)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)
    notes = text_field()
    creator = user_field()

    objects: ClassVar = RunQuerySet.as_manager()

    class Meta(BureauResource.Meta):
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(fields=["bureau", "status", "uuid"], name="run_status"),
        ]


class Place(models.Model):
    """A piece's place in one of the runs that it went through.

    position  : in the order in which the pieces of the run come out, from 0
    transform : 4 x 4, model to build, mm; null where the run packs nothing
    box       : the least and the greatest corner in the build, mm
    direction : the axis along which it is drawn out, such as +z; empty where it takes several
    label     : of its object in uploaded G-code, {gcode, name, number, firmware, center}; gcode is
                the URI of that, see `gcode.firmware_labels` for the others
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="places")
    piece = models.ForeignKey(Piece, models.CASCADE, related_name="places")
    step = BureauForeignKey(ProcessStep, null=True, blank=True)
    position = models.PositiveIntegerField()
    transform = models.JSONField(null=True, blank=True)
    box = models.JSONField(null=True, blank=True)
    direction = models.CharField(max_length=2, blank=True, default="")
    label = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "piece"], name="in_a_run_once")]

    def __str__(self) -> str:
        return f"{self.piece_id} in {self.run_id}"

"""Model: a 3D file, its analysis and lineage."""

from typing import Any

from django.db import models
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from core.models import Blob
from core.sharing import Shareable, SharedQuerySet
from core.state_machine import Stateful


class ModelQuerySet(SharedQuerySet):
    """Questions about models."""

    def outdated(self, version: int) -> "ModelQuerySet":
        """Models that were judged by another version of the analysis."""
        return self.filter(status=Model.Status.PROCESSED).exclude(analyses__version=version)

    def not_assessed(self, version: int) -> "ModelQuerySet":
        """Return models whose printability is unknown, or was assessed by another version."""
        return self.exclude(printability__version=version)

    def restorable(self) -> "ModelQuerySet":
        """Return deleted models whose file is still stored, or was never uploaded."""
        return self.exclude(deleted=None).exclude(content=None, file_size__isnull=False)


KEPT = models.Q(deleted=None)


def _found(path: str, kind: models.Field) -> models.GeneratedField:
    """A fact of the analysis as a column, which the database fills."""
    fact = Cast(KT(f"analyses__{path}"), kind)
    return models.GeneratedField(expression=fact, output_field=kind, db_persist=True)


class Model(Shareable, Stateful):
    """A stored 3D model: one file, its analysis, and its place in a family."""

    SERVICE = "models"
    KIND = "model"
    FOR_SERVICES = True

    class Status(models.TextChoices):
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"
        INOPERABLE = "inoperable"

    class Type(models.TextChoices):
        STL = "stl"
        OBJ = "obj"
        PLY = "ply"
        OFF = "off"
        GLTF = "gltf"
        GLB = "glb"
        THREE_MF = "3mf", "3mf"
        STEP = "step"
        IGES = "iges"
        ZIP = "zip"
        PDF = "pdf"

    TRANSITIONS = {
        Status.PROCESSING: {Status.PROCESSED, Status.ERROR},
        Status.ERROR: {Status.PROCESSING},  # by operators
        Status.INOPERABLE: {Status.INOPERABLE},  # at the end of its conversion
    }
    NEWS = {
        Status.PROCESSED: {"analyses.manifold": {"type": "boolean"}},
        Status.INOPERABLE: {
            "conversion.status": {"enum": ["complete", "error"]},
            "conversion.models": {"type": "array", "items": {"type": "string", "format": "uri"}},
        },
    }

    name = models.CharField(max_length=255)
    type = models.CharField(max_length=8, choices=Type, default=Type.STL)
    status = models.CharField(max_length=16, choices=Status, default=Status.PROCESSING)
    errors = models.JSONField(null=True, blank=True)
    may_resize = models.BooleanField("other services may resize it", default=False)
    may_rotate = models.BooleanField("other services may rotate it", default=False)
    unit = models.CharField(max_length=16, blank=True)
    # The file as it was uploaded, and the canonical binary STL that everything else reads.
    content = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    canonical = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    file_size = models.BigIntegerField(null=True, blank=True)
    # What the analysis found, as geometry.analysis.Analysis names it; `version` is its own.
    analyses = models.JSONField(null=True, blank=True)
    # What of it lists are filtered by; the size in mm, the volume in mm^3.
    manifold = _found("manifold", models.BooleanField(null=True))
    size_x = _found("size__0", models.FloatField(null=True))
    size_y = _found("size__1", models.FloatField(null=True))
    size_z = _found("size__2", models.FloatField(null=True))
    volume = _found("volume", models.FloatField(null=True))
    # What geometry.printability found of the canonical file, later.
    printability = models.JSONField(null=True, blank=True)
    picture = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    small_picture = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # Of a child: what made it from its parent, as the contract spells it, and what each step did.
    transformations = models.JSONField(null=True, blank=True)
    # Of a file of another type than STL: its conversion, as `ConversionAnswer` spells it.
    conversion = models.JSONField(null=True, blank=True)
    # Of a child that was converted: what its file says of it, as `SourceAnswer` spells it.
    source = models.JSONField(null=True, blank=True)
    parents = models.ManyToManyField("self", symmetrical=False, related_name="children", blank=True)

    objects = ModelQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        # What is deleted is in no list. A list is sorted by these, for an owner and for those who
        # read everything; migration 0002 adds what finds names.
        indexes = [
            models.Index(fields=["owner", "uuid"], name="model_owner", condition=KEPT),
            models.Index(
                fields=["owner", "status", "uuid"], name="model_owner_status", condition=KEPT
            ),
            models.Index(fields=["owner", "name", "uuid"], name="model_owner_name", condition=KEPT),
            models.Index(
                fields=["owner", "updated", "uuid"], name="model_owner_updated", condition=KEPT
            ),
            models.Index(fields=["status", "uuid"], name="model_status", condition=KEPT),
            models.Index(fields=["name", "uuid"], name="model_name", condition=KEPT),
            models.Index(fields=["updated", "uuid"], name="model_updated", condition=KEPT),
            # Shared models are found by their keys, a thousand at once: without reading the rows.
            models.Index(
                fields=["uuid"],
                include=["owner", "name", "status", "updated"],
                name="model_readable",
                condition=KEPT,
            ),
            models.Index(
                fields=["deleted"],
                name="model_deleted",
                condition=models.Q(deleted__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.uuid})"

    def has_twins(self) -> bool:
        """Return whether other models that are not deleted have the same mesh."""
        return Model.objects.filter(KEPT, canonical=self.canonical_id).exclude(pk=self.pk).exists()

    @property
    def findings(self) -> dict[str, Any]:
        """Return the analysis; empty where there is none."""
        return self.analyses or {}

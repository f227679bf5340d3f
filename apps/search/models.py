"""Indexed models, descriptors, cached comparisons."""

from typing import Any

from django.db import models
from pgvector.django import HalfVectorField, HnswIndex

from core.model_fields import DatabaseTimeField
from core.ownership import Owned
from core.state_machine import Stateful
from geometry.similarity import SIZE, Description


class Descriptor(models.Model):
    """The shape descriptor of a canonical STL, shared by all models with this content.

    Its key is the content's hash and the descriptor's version.
    """

    content_hash = models.CharField(max_length=64)
    version = models.SmallIntegerField()
    vector = HalfVectorField(dimensions=SIZE)
    # As geometry.similarity.Description names them; the radii are its `radii`, descending.
    radius_major = models.FloatField()
    radius_middle = models.FloatField()
    radius_minor = models.FloatField()
    area_ratio = models.FloatField()
    volume_ratio = models.FloatField(null=True, blank=True)
    rms = models.FloatField("root mean square radius, mm")
    diagonal = models.FloatField("diagonal of the box, mm")
    triangles = models.IntegerField()
    created = DatabaseTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["content_hash", "version"], name="descriptor_content")
        ]
        indexes = [
            HnswIndex(
                name="descriptor_vector",
                fields=["vector"],
                m=16,
                ef_construction=100,
                opclasses=["halfvec_l1_ops"],
            ),
            models.Index(
                fields=["version", "radius_major", "radius_middle"], name="descriptor_radii"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.content_hash} (version {self.version})"

    @property
    def description(self) -> Description:
        """As the kernel made it, but for the vector's float16."""
        return Description(
            vector=list(self.vector),
            radii=(self.radius_major, self.radius_middle, self.radius_minor),
            area_ratio=self.area_ratio,
            volume_ratio=self.volume_ratio,
            rms=self.rms,
            diagonal=self.diagonal,
            triangles=self.triangles,
        )


class IndexedModel(Owned, Stateful):
    """An entry of the search index; not the model itself."""

    SERVICE = "search"
    KIND = "indexed-model"

    class Status(models.TextChoices):
        NEW = "new"
        QUEUED = "queued"
        INDEXING = "indexing"
        COMPLETE = "complete"
        ERROR = "error"

    TRANSITIONS = {
        Status.NEW: {Status.QUEUED, Status.COMPLETE, Status.ERROR},
        Status.QUEUED: {Status.INDEXING, Status.COMPLETE, Status.ERROR},
        # Its worker may die, or a request may be done with the same model before.
        Status.INDEXING: {Status.INDEXING, Status.QUEUED, Status.COMPLETE, Status.ERROR},
        Status.COMPLETE: {Status.QUEUED},
        Status.ERROR: {Status.QUEUED, Status.COMPLETE, Status.ERROR},
    }

    name = models.CharField(max_length=255, blank=True)
    description = models.CharField(max_length=1000, blank=True)
    model_uri = models.CharField(max_length=2048)
    # The key of the warehouse's model; null where the model is another server's.
    model_uuid = models.UUIDField(null=True, blank=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.NEW)
    error = models.CharField(max_length=1000, blank=True)
    # Of its canonical STL; empty until it is complete.
    content_hash = models.CharField(max_length=64, blank=True, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "model_uri"],
                condition=models.Q(deleted=None),
                name="indexed_once",
            )
        ]
        indexes = [
            models.Index(fields=["owner", "uuid"], name="indexed_model_owner"),
            # From the models that a user may read to their files, without reading the rows.
            models.Index(
                fields=["model_uuid"],
                include=["content_hash", "status"],
                condition=models.Q(deleted=None),
                name="indexed_model_key",
            ),
        ]

    def __str__(self) -> str:
        return self.name or str(self.uuid)


class PairCheck(models.Model):
    """A comparison of two files, made once: of the one with the lower hash with the other.

    comparison : as geometry.similarity.Comparison names it; null where the comparison failed
    """

    first_hash = models.CharField(max_length=64)
    second_hash = models.CharField(max_length=64)
    version = models.SmallIntegerField()
    comparison: Any = models.JSONField(null=True, blank=True)
    error = models.CharField(max_length=1000, blank=True)
    created = DatabaseTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["first_hash", "second_hash", "version"], name="compared_once"
            ),
            models.CheckConstraint(
                condition=models.Q(first_hash__lt=models.F("second_hash")), name="compared_in_order"
            ),
        ]
        indexes = [models.Index(fields=["second_hash", "version"], name="pair_check_second")]

    def __str__(self) -> str:
        return f"{self.first_hash[:12]} and {self.second_hash[:12]}"

"""Slice: G-code made from a model (or plate) and a config."""

from typing import NotRequired, TypedDict, cast
from uuid import UUID

from django.db import models

from apps.slicing.models.agent_engine import WITH_OWN_PROFILES
from apps.slicing.models.config import Config
from core.files.signed_urls import download_url
from core.models import Blob
from core.sharing import Shareable
from core.state_machine import Stateful


class PlatePiece(TypedDict):
    """A piece of a plate; `transform` is (4, 4), mm; `settings` are its own, of the engine."""

    name: str
    piece: str
    model: str
    sha256: str
    transform: list[list[float]]
    settings: NotRequired[dict[str, str]]


class PlateBuild(TypedDict):
    """The plate of a packed run; `build` is its printer's build volume, mm."""

    run: str
    build: list[float]
    firmware: str | None
    pieces: list[PlatePiece]


class Slice(Shareable, Stateful):
    """A tool-path: a model sliced with a config."""

    SERVICE = "slicing"
    KIND = "slice"
    FOR_SERVICES = True

    class Status(models.TextChoices):
        QUEUED = "queued"
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    TRANSITIONS = {
        Status.QUEUED: {Status.PROCESSING, Status.ERROR},
        Status.PROCESSING: {Status.PROCESSED, Status.ERROR},
    }
    NEWS = {
        Status.PROCESSED: {
            "slice_time": {"type": "integer", "minimum": 0},
            "estimates.build_time_seconds": {"type": ["number", "null"]},
            "estimates.support_volume_cc": {"type": ["number", "null"]},
            "estimates.build_volume_cc": {"type": ["number", "null"]},
        }
    }

    model_uri = models.CharField(max_length=500, db_index=True)
    config = models.ForeignKey(Config, on_delete=models.PROTECT, related_name="slices")
    status = models.CharField(max_length=16, choices=Status, default=Status.QUEUED)
    progress = models.FloatField(default=0)
    stage = models.CharField(max_length=100, blank=True)
    errors = models.JSONField(null=True, blank=True)
    warnings = models.JSONField(default=list, blank=True)
    content = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # Of a packed run: `run`, `build` (mm), `firmware`, and of each piece its name, URI, model,
    # canonical file and transform; model_uri is then the packed STL.
    plate = models.JSONField(null=True, blank=True)
    # What each piece of it takes, and the last what they share.
    objects_on_plate = models.JSONField(null=True, blank=True)
    # Whole seconds that the engine took.
    slice_time = models.IntegerField(null=True, blank=True)
    # What the gcode says: the contract's estimates, and figures besides.
    estimates = models.JSONField(null=True, blank=True)
    figures = models.JSONField(null=True, blank=True)
    # The index of the gcode's layers.
    layers = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # What it was made from and with, so that an equal slice need not be made again.
    model_sha256 = models.CharField(max_length=64, blank=True)
    engine_version = models.CharField(max_length=100, blank=True)
    # The slicer in a shop that makes it; empty: the engine of the platform.
    program = models.CharField(max_length=16, blank=True, default="", db_default="")
    key = models.CharField(max_length=64, blank=True, db_index=True)
    # Whether its owner was charged for it: then an equal one of theirs is free.
    charged = models.BooleanField(default=False)
    # The message whose worker has taken it up; a worker that dies is followed by the same message.
    job = models.CharField(max_length=36, blank=True)

    class Meta:
        indexes = [models.Index(fields=["owner", "uuid"], name="slice_owner")]

    def __str__(self) -> str:
        return f"Slice {self.uuid}"

    @classmethod
    def is_paid(cls, key: str, *, owner_id: UUID) -> bool:
        """Whether the owner was charged for a slice with this key: the same is charged once."""
        return cls.objects.filter(key=key, owner_id=owner_id, charged=True).exists()

    @property
    def build(self) -> PlateBuild:
        """Its plate; empty where it is of one model."""
        return cast(PlateBuild, self.plate or {})

    @property
    def is_over(self) -> bool:
        """Whether it has reached a final state."""
        return self.status in (self.Status.PROCESSED, self.Status.ERROR)

    @property
    def estimate_only(self) -> bool:
        """Whether its G-code must not be printed: it has no start and end G-code of its printer.

        A slicer in a shop adds those of its own profiles.
        """
        return self.config.estimate_only and self.program not in WITH_OWN_PROFILES

    def content_location(self) -> str | None:
        """Where the gcode can be fetched; None before it is there, and of an estimate."""
        if self.content_id is None or self.estimate_only:
            return None
        name = f"slice-{self.uuid}.gcode"
        return download_url(self.content_id, media_type="text/x.gcode", filename=name)

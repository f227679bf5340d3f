"""Slicers that agents run in their shops, and the jobs that are sent to them."""

from collections.abc import Collection
from datetime import timedelta
from typing import ClassVar, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.module_loading import import_string

from apps.slicing.models.config import EngineName
from core.auth_user import Person
from core.model_fields import DatabaseTimeField
from core.models import Blob
from core.resources import Resource
from core.state_machine import Stateful

OFFLINE_AFTER = timedelta(seconds=60)  # since the agent's last exchange


class Program(models.TextChoices):
    """The slicers that an agent can run."""

    PRUSASLICER = "prusaslicer", "PrusaSlicer"
    ORCASLICER = "orcaslicer", "OrcaSlicer"
    BAMBUSTUDIO = "bambustudio", "Bambu Studio"
    CURAENGINE = "curaengine", "CuraEngine"


# The engine whose configs each program slices.
ENGINES = {
    Program.PRUSASLICER: EngineName.SLIC3R,
    Program.ORCASLICER: EngineName.SLIC3R,
    Program.BAMBUSTUDIO: EngineName.SLIC3R,
    Program.CURAENGINE: EngineName.CURA,
}
# They slice by profiles of their own, of which the configs of the platform are translations.
WITH_OWN_PROFILES = (Program.ORCASLICER, Program.BAMBUSTUDIO)


class AgentEngineQuerySet(models.QuerySet):
    """Slicers in shops, by their readers."""

    def visible_to(self, user: Person) -> Self:
        """Return the slicers of the bureaus that `user` reads; all for platform services."""
        if user.is_staff or user.is_platform_service:
            return self.all()
        bureaus: Collection[UUID] = import_string(settings.READABLE_BUREAUS_HOOK)(user)
        return self.filter(bureau__in=bureaus)


class AgentEngine(Resource):
    """A slicer that the agent of a shop runs.

    agent, bureau, location : keys of the agent, of its bureau and of its location
    agent_name              : for people
    isolation               : how its process is confined: bubblewrap, namespaces, limits
    seen                    : when the agent last reported it
    """

    SERVICE = "slicing"
    KIND = "engine"

    agent = models.UUIDField()
    bureau = models.UUIDField(db_index=True)
    location = models.UUIDField()
    agent_name = models.CharField(max_length=200, blank=True)
    program = models.CharField(max_length=16, choices=Program)
    version = models.CharField(max_length=100)
    isolation = models.CharField(max_length=16)
    seen = models.DateTimeField()

    objects: ClassVar = AgentEngineQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["agent", "program"], name="agent_program")]

    def __str__(self) -> str:
        return f"{self.get_program_display()} {self.version} of {self.agent_name}"

    @property
    def is_online(self) -> bool:
        """Whether its agent reported it a short time ago."""
        return timezone.now() - self.seen < OFFLINE_AFTER

    @property
    def usable(self) -> bool:
        """Whether it slices now."""
        return self.is_online

    @property
    def name(self) -> str:
        """The program and its agent, for people."""
        return f"{self.get_program_display()} ({self.agent_name})"

    @property
    def reasons(self) -> list[str]:
        """Why it does not slice now; empty where it does."""
        if self.is_online:
            return []
        return [
            f"Its agent {self.agent_name} does not report it: start the agent in the shop, and "
            "name the slicer again if it was removed."
        ]

    @property
    def notes(self) -> list[str]:
        """What users should know of it."""
        notes = []
        if self.has_own_profiles:
            notes.append(
                "It slices by its own profiles. Its command line was written from its "
                "documentation: check the first G-code before printing."
            )
        if self.isolation == "limits":
            notes.append(
                "The agent's computer has neither bubblewrap nor user namespaces: the slicer can "
                "read the files of the agent's user. Install bubblewrap."
            )
        return notes

    @property
    def origin(self) -> str | None:
        """The origin of the presets whose profiles it has; None: it slices any config."""
        return str(self.get_program_display()) if self.has_own_profiles else None

    @property
    def in_shop(self) -> bool:
        """Whether the agent of a shop runs it."""
        return True

    @property
    def engine(self) -> EngineName:
        """The engine whose configs it slices."""
        return ENGINES[Program(self.program)]

    @property
    def has_own_profiles(self) -> bool:
        """Whether it slices by profiles of its own instead of the settings of a config."""
        return self.program in WITH_OWN_PROFILES


class EngineJob(Resource, Stateful):
    """A slice that an agent makes.

    engine   : the slicer that is to make it
    model    : name of the model among the files
    queued   : since when it has waited
    heard    : when the agent last reported it; null before one has taken it
    starts   : number of times that an agent has taken it
    progress : 0..1
    reason   : why it failed
    log      : the end of the program's output
    seconds  : run time of the program
    content  : the G-code; null before it is uploaded
    """

    SERVICE = "slicing"
    KIND = "engine-job"

    class Status(models.TextChoices):
        QUEUED = "queued"
        TAKEN = "taken"
        DONE = "done"
        FAILED = "failed"

    OPEN = (Status.QUEUED, Status.TAKEN)
    TRANSITIONS = {
        Status.QUEUED: {Status.TAKEN, Status.FAILED},
        Status.TAKEN: {Status.QUEUED, Status.DONE, Status.FAILED},
    }

    class Reason(models.TextChoices):
        ENGINE_FAILED = "engine-failed", "it refused the model or its settings"
        TIME_LIMIT = "time-limit", "it took too long"
        OUTPUT_LIMIT = "output-limit", "it wrote too much"
        MEMORY_LIMIT = "memory-limit", "it took too much memory"
        NOT_STARTED = "not-started", "it did not start"
        FILE_TRANSFER = "file-transfer", "its files were not transferred"
        NO_ANSWER = "no-answer", "its agent did not answer"

    # A failure of the program on this model, which another engine need not have.
    OF_PROGRAM = (
        Reason.ENGINE_FAILED,
        Reason.TIME_LIMIT,
        Reason.OUTPUT_LIMIT,
        Reason.MEMORY_LIMIT,
    )

    slice = models.OneToOneField(
        "slicing.Slice", on_delete=models.CASCADE, related_name="engine_job"
    )
    engine = models.ForeignKey(AgentEngine, on_delete=models.CASCADE, related_name="jobs")
    status = models.CharField(max_length=8, choices=Status, default=Status.QUEUED, db_index=True)
    updated = DatabaseTimeField(auto_now=True)
    model = models.CharField(max_length=100)
    queued = models.DateTimeField(default=timezone.now)
    taken = models.DateTimeField(null=True, blank=True)
    heard = models.DateTimeField(null=True, blank=True)
    starts = models.PositiveSmallIntegerField(default=0)
    progress = models.FloatField(default=0)
    reason = models.CharField(max_length=16, choices=Reason, blank=True)
    log = models.TextField(blank=True)
    seconds = models.FloatField(default=0)
    version = models.CharField(max_length=100, blank=True)
    content = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    def __str__(self) -> str:
        return f"Engine job {self.uuid}"


class EngineJobFile(models.Model):
    """An input file of an engine job."""

    job = models.ForeignKey(EngineJob, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=100)
    content = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "name"], name="engine_job_file")]

    def __str__(self) -> str:
        return self.name

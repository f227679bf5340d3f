"""Jobs for slicers in shops: handed to agents in fair order, followed, stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypedDict
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.slicing.models import AgentEngine, EngineJob, EngineJobFile, Slice
from core.errors import Conflict, ContentExists, NotFound
from core.files import blobs
from core.queue.broker import enqueue_by_name
from core.queue.progress import publish_progress

NO_CONTACT = timedelta(seconds=60)  # of an agent, after which another start is made
OFFLINE_WAIT = timedelta(seconds=90)  # for an agent that is offline, which may be restarted
MAX_WAIT = timedelta(hours=1)  # until an agent must have taken a job
MAX_PACKING = timedelta(minutes=5)  # until a slice has its job
GRACE = timedelta(minutes=3)  # for transfers, beside the time limit
MAX_STARTS = 2
MAX_READ = 1000  # waiting jobs of which the next is chosen
RETENTION = timedelta(days=7)  # jobs that are over
SHARE_OF = timedelta(hours=1)  # of jobs that count for an account's turn
MAX_OUTPUT = 256 << 20  # bytes of G-code
WAITING, AT_WORK = "waiting for the slicer in the shop", "slicing in the shop"
COMPLETE = "complete_shop_slice"


class NotWanted(Conflict):
    """The result of a job that is over, or was not taken by this agent."""

    code = "not-planned"


class EngineReport(TypedDict):
    """What an agent says of a job.

    state    : running, done or failed
    progress : 0..1
    seconds  : run time
    reason   : why it failed; None where it did not
    """

    state: str
    progress: float
    stage: str
    log: str
    seconds: float
    version: str
    reason: str | None


@dataclass(frozen=True)
class TakenJob:
    """A job for an agent: its files by name, with hash and size in bytes; limits in s and bytes."""

    uuid: UUID
    program: str
    model: str
    files: Sequence[tuple[str, str, int]]
    time_limit: int
    output_limit: int


def open_job(row: Slice) -> bool:
    """Whether an agent makes a slice, or is to make it."""
    return EngineJob.objects.filter(slice=row, status__in=EngineJob.OPEN).exists()


@transaction.atomic
def create_job(
    row: Slice, engine: AgentEngine, *, model: str, files: Mapping[str, tuple[str, int]]
) -> None:
    """Queue a slice for a slicer in a shop, and wake its agent.

    files : hash and size of the stored ones, by name
    """
    EngineJob.objects.filter(slice=row).delete()
    job = EngineJob.objects.create(slice=row, engine=engine, model=model)
    for name, stored in files.items():
        EngineJobFile.objects.create(job=job, name=name, content_id=blobs.create_row(*stored))
    Slice.objects.filter(pk=row.pk).update(stage=WAITING, updated=Now())
    callbacks.ring_streams(engine.location)


def waiting_jobs(agent: UUID) -> int:
    """How many jobs wait for the slicers of an agent's bureau that this agent has."""
    return _waiting(AgentEngine.objects.filter(agent=agent)).count()


def _waiting(engines: QuerySet[AgentEngine]) -> QuerySet[EngineJob]:
    """Jobs that any of these may take: those of its bureau for the same program and version."""
    match = Q(pk__in=[])
    for one in engines:
        match |= Q(
            engine__bureau=one.bureau, engine__program=one.program, engine__version=one.version
        )
    return EngineJob.objects.filter(match, status=EngineJob.Status.QUEUED, slice__deleted=None)


@transaction.atomic
def take_job(*, agent: UUID, programs: Sequence[str]) -> TakenJob | None:
    """Hand the next job to an agent.

    The account that had the fewest jobs in the last hour is next, then the oldest job.
    """
    engines = AgentEngine.objects.filter(agent=agent, program__in=programs)
    waiting = list(_waiting(engines).order_by("pk").values_list("pk", "slice__owner")[:MAX_READ])
    recent = EngineJob.objects.filter(
        taken__gt=timezone.now() - SHARE_OF, slice__owner__in={owner for _, owner in waiting}
    )
    had = dict(recent.values_list("slice__owner").annotate(jobs=Count("pk")))
    for pk, _ in sorted(waiting, key=lambda row: had.get(row[1], 0)):
        queued = EngineJob.objects.filter(pk=pk, status=EngineJob.Status.QUEUED)
        locked = queued.select_for_update(skip_locked=True, of=("self",))
        job = locked.select_related("slice", "engine").first()
        if job is not None:
            return _take(job, engines.get(program=job.engine.program))
    return None


def _take(job: EngineJob, engine: AgentEngine) -> TakenJob:
    now = timezone.now()
    job.move(EngineJob.Status.TAKEN, engine=engine, taken=now, heard=now, starts=job.starts + 1)
    Slice.objects.filter(pk=job.slice_id).update(stage=AT_WORK, updated=Now())
    rows = job.files.select_related("content").order_by("name")
    plate = bool(job.slice.plate)
    return TakenJob(
        uuid=job.pk,
        program=engine.program,
        model=job.model,
        files=[(row.name, row.content.sha256, row.content.size) for row in rows],
        time_limit=settings.PLATE_TIME if plate else settings.SLICE_TIME,
        output_limit=MAX_OUTPUT,
    )


@transaction.atomic
def report_job(*, agent: UUID, job: UUID, report: EngineReport) -> bool:
    """Take an agent's report of a job; whether the job is still wanted.

    Raises NotFound for a job of another agent, NotWanted for the G-code that is missing.
    """
    row = _of(agent, job)
    if row.status != EngineJob.Status.TAKEN or row.slice.deleted is not None:
        return False
    row.heard, row.seconds, row.version = timezone.now(), report["seconds"], report["version"]
    row.progress = max(row.progress, report["progress"])
    if report["state"] == "running":
        row.save()
        stage = report["stage"] or AT_WORK
        now = Slice.objects.filter(pk=row.slice_id, status=Slice.Status.PROCESSING)
        if not now.update(progress=row.progress, stage=stage[:100], updated=Now()):
            return False
        row.slice.progress = row.progress
        publish_progress(row.slice)
        return True
    row.log = report["log"]
    row.save()
    if report["state"] == "done":
        if row.content_id is None:
            title = "Its G-code has not arrived: upload it first, then report the end of the job."
            raise NotWanted(title)
        _end(row, EngineJob.Status.DONE)
    else:
        _end(row, EngineJob.Status.FAILED, reason=report["reason"] or "engine-failed")
    return True


def _of(agent: UUID, job: UUID) -> EngineJob:
    rows = EngineJob.objects.select_for_update(of=("self",)).select_related("slice", "engine")
    row = rows.filter(pk=job, engine__agent=agent).first()
    if row is None:
        raise NotFound("There is no such job of a slicer of this agent.")
    return row


def _end(row: EngineJob, status: str, reason: str = "") -> None:
    """Settle a job; its slice is completed, or made by the engine of the platform."""
    row.move(status, reason=reason)
    row.files.all().delete()
    enqueue_by_name(COMPLETE, str(row.slice_id), owner=str(row.slice.owner_id))


def expect_output(*, uuid: UUID) -> int | None:
    """Bytes of the G-code that a job has; None while it waits for it. Raises NotWanted."""
    row = EngineJob.objects.select_related("content").filter(pk=uuid).first()
    if row is None or row.status != EngineJob.Status.TAKEN:
        raise NotWanted("The job is over: it takes no G-code any more.")
    return row.content.size if row.content else None


@transaction.atomic
def store_output(*, uuid: UUID, sha256: str, size: int, place: Callable[[], None]) -> None:
    """Store the G-code of a job that an agent has taken. Raises NotWanted, ContentExists."""
    row = EngineJob.objects.select_for_update(of=("self",)).filter(pk=uuid).first()
    if row is None or row.status != EngineJob.Status.TAKEN:
        raise NotWanted("The job is over: it takes no G-code any more.")
    if row.content_id not in (None, sha256):
        raise ContentExists("The job has its G-code already.")
    row.content_id, row.heard = blobs.create_row(sha256, size, place=place), timezone.now()
    row.save()


def check_jobs() -> None:
    """Queue again, or end, what no agent works on; delete old jobs."""
    now = timezone.now()
    limit = timedelta(seconds=max(settings.PLATE_TIME, settings.SLICE_TIME)) + GRACE
    silent = Q(heard__lt=now - NO_CONTACT) | Q(taken__lt=now - limit)
    offline = Q(queued__lt=now - OFFLINE_WAIT, engine__seen__lt=now - NO_CONTACT)
    late = Q(queued__lt=now - MAX_WAIT) | offline
    for status, overdue in ((EngineJob.Status.TAKEN, silent), (EngineJob.Status.QUEUED, late)):
        rows = EngineJob.objects.filter(overdue, status=status)
        for pk in list(rows.values_list("pk", flat=True)):
            with transaction.atomic():
                locked = rows.select_for_update(of=("self",)).select_related("slice", "engine")
                if row := locked.filter(pk=pk).first():
                    _restart_or_end(row)
    old = EngineJob.objects.filter(created__lt=now - RETENTION)
    old.exclude(status__in=EngineJob.OPEN).delete()
    lost = Slice.objects.filter(
        status=Slice.Status.PROCESSING, engine_job=None, updated__lt=now - MAX_PACKING
    )
    for key, owner in lost.exclude(program="").values_list("pk", "owner"):
        enqueue_by_name(COMPLETE, str(key), owner=str(owner))


def _restart_or_end(row: EngineJob) -> None:
    if row.status == EngineJob.Status.TAKEN and row.starts < MAX_STARTS:
        row.move(EngineJob.Status.QUEUED, queued=timezone.now(), content=None)
        callbacks.ring_streams(row.engine.location)
    else:
        _end(row, EngineJob.Status.FAILED, reason=EngineJob.Reason.NO_ANSWER)


def end_job(row: Slice) -> None:
    """End the job of a slice that was deleted."""
    EngineJob.objects.filter(slice=row).delete()

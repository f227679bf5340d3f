"""Job: slice a model or a plate."""

import errno
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

import dramatiq
import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from dramatiq.middleware import CurrentMessage

from apps.callbacks import interface as callbacks
from apps.payment import interface as payment
from apps.slicing.domain.config_check import rejection_of
from apps.slicing.domain.constraint_checks import broken_by_gcode
from apps.slicing.domain.engine_jobs import create_job, open_job
from apps.slicing.domain.installed_engines import limits, settings_of
from apps.slicing.domain.planning import Plan, Where, origin_of, pictures_of, plan, plan_plate
from apps.slicing.domain.slicing_cost import slicing_cost, slicing_load
from apps.slicing.engines.base import ObjectUse, PlateObject, Sliced, SliceFailed
from apps.slicing.engines.crash_diagnosis import DOUBTFUL, explained
from apps.slicing.engines.remote_run import FilesPacked, FinishedRun, pack_files
from apps.slicing.models import AgentEngine, Config, EngineJob, Slice
from apps.warehouse import interface as warehouse
from apps.warehouse.interface import StoredModel
from core.errors import ErrorEntry, error_entry
from core.files import blobs, disk_space
from core.postgres import advisory_locks
from core.queue.broker import enqueue_by_name
from core.queue.row_jobs import Cancelled, enqueue, progress_reporter, row_job
from core.state_machine import IllegalTransition
from core.text.server_paths import without_folders

WAITING = "waiting for an equal slice"
DISK_FULL = ("No space left on device", "Is the disk full?")  # the engines' words


def _fail(row: Slice, errors: list[ErrorEntry]) -> None:
    _finish(row, Slice.Status.ERROR, errors=errors)


def send_to_slicing(row: Slice, model: StoredModel | None) -> None:
    """Have a slice made, as soon as its model is judged."""
    enqueue(slice_model, row, cost=_cost(model, row.config))


def _cost(model: StoredModel | None, config: Config) -> float:
    """Seconds that an engine is expected to take."""
    if model is None or model.size is None:
        return 1.0
    try:
        load = slicing_load(config.engine, settings_of(config))
    except SliceFailed:  # as it will again, in the job
        return 1.0
    return slicing_cost(load, size=model.size, triangles=model.triangles or 0)


@row_job(
    "slices",
    of=Slice,
    begun_in=[Slice.Status.QUEUED, Slice.Status.PROCESSING],
    related=("config",),
    fail=_fail,
)
def slice_model(row: Slice) -> None:
    """Make a slice: queued -> processing -> processed, or -> error.

    A slice whose model is not analysed yet stays queued: `start_waiting_slices` sends it again.
    """
    if row.status == Slice.Status.PROCESSING and row.job != _this_job():
        return  # the message that took it up is at work, or comes again
    if open_job(row):
        return  # an agent makes it
    model = warehouse.get_model_unchecked(row.model_uri)
    if model is not None and model.status == "processing":
        return
    with suppress(IllegalTransition, Cancelled):
        if row.deleted is None:
            _work_on(row, model)
            return
    resume_equal_slices(row.key)  # it was deleted, and some may wait for it


@dramatiq.actor(queue_name="default")
def start_waiting_slices(model_uri: str) -> None:
    """A model was judged: its waiting slices can begin."""
    waiting = Slice.objects.filter(model_uri=model_uri, status=Slice.Status.QUEUED, deleted=None)
    model = warehouse.get_model_unchecked(model_uri)
    with transaction.atomic():
        for row in waiting.select_related("config"):
            send_to_slicing(row, model)


@row_job("slices", of=Slice, begun_in=[Slice.Status.PROCESSING], related=("config",), fail=_fail)
def complete_shop_slice(row: Slice) -> None:
    """Complete a slice that an agent has made, or slice it by the engine of the platform.

    processing -> processed, or -> error.
    """
    job = EngineJob.objects.filter(slice=row).select_related("engine").first()
    if job is not None and job.status in EngineJob.OPEN:
        return
    with suppress(IllegalTransition, Cancelled):
        if row.deleted is None:
            model = warehouse.get_model_unchecked(row.model_uri)
            _settle(row, model, lambda judged: _complete(row, judged, job))


def _work_on(row: Slice, model: StoredModel | None) -> None:
    def make(judged: StoredModel) -> SliceResult | None:
        planned = planned_slice(row, judged)
        if row.status == Slice.Status.QUEUED and not _begin(row, judged, planned):
            return None
        results = _known(planned.key)
        if results is None and planned.shop is not None:
            _send_to_shop(row, judged, planned, planned.shop)
            return None
        return results or _make(row, judged, planned)

    _settle(row, model, make)


def _settle(
    row: Slice, model: StoredModel | None, make: Callable[[StoredModel], "SliceResult | None"]
) -> None:
    """End a slice with what `make` returns or raises; None: it is not made yet."""
    try:
        if model is None:
            title = "The model was deleted before it was sliced."
            raise SliceFailed("model-gone", title)
        results = make(model)
    except SliceFailed as failure:
        log = {"log": without_folders(failure.log[-4000:])} if failure.log else None
        fault = error_entry(failure.code, without_folders(failure.title), details=log)
        _fail(row, [fault])
        return
    if results is None:
        return
    broken = broken_by_gcode(row.model_uri, row.config, results["figures"])
    if broken:
        _fail(row, broken)
    else:
        _finish(row, Slice.Status.PROCESSED, **results)


def planned_slice(row: Slice, model: StoredModel, where: Where = Where.ANY) -> Plan:
    """How a slice is made. Raises SliceFailed."""
    return plan_plate(row, where) if row.plate else plan(model, row.config, where)


def _send_to_shop(row: Slice, model: StoredModel, planned: Plan, shop: AgentEngine) -> None:
    """Have an agent make a slice: `complete_shop_slice` follows."""
    with ExitStack() as stack, _storage_errors():
        folder = stack.enter_context(blobs.scratch_dir())
        packing = replace(planned, engine=planned.engine.run_by(pack_files))
        try:
            _engine_run(row, model, packing, stack, folder)
        except FilesPacked as packed:
            name = packed.model
            files = {path.name: blobs.store_file(path) for path in packed.files}
        create_job(row, shop, model=name, files=files)


def _complete(row: Slice, model: StoredModel, job: EngineJob | None) -> "SliceResult":
    if job is None or job.content_id is None:
        if job is not None and job.reason in EngineJob.OF_PROGRAM:
            title = f"{job.engine} did not slice it: {job.get_reason_display()}."
            raise SliceFailed(job.reason, title, job.log)
        planned = planned_slice(row, model, Where.PLATFORM)
        _plan_again(row, planned)
        return _known(planned.key) or _make(row, model, planned)
    planned = planned_slice(row, model, Where.SHOP)
    _plan_again(row, planned)
    with blobs.local_copy(job.content_id) as gcode:
        finished = FinishedRun(gcode, job.seconds, job.log)
        return _run(row, model, replace(planned, engine=planned.engine.run_by(finished)))


def _plan_again(row: Slice, planned: Plan) -> None:
    """Store how a slice is really made."""
    Slice.objects.filter(pk=row.pk).update(**_columns(planned))
    row.refresh_from_db(fields=[*_columns(planned)])


def _columns(planned: Plan) -> dict[str, object]:
    return {
        "engine_version": planned.version,
        "program": planned.shop.program if planned.shop else "",
        "key": planned.key,
        "warnings": planned.warnings,
        "stage": "",
    }


@transaction.atomic
def _begin(row: Slice, model: StoredModel, planned: Plan) -> bool:
    """Take a slice up; False where an equal one is being made, for which it then waits."""
    advisory_locks.advisory_lock(planned.key)
    row_now = Slice.objects.filter(pk=row.pk, status=Slice.Status.QUEUED)
    twins = Slice.objects.filter(key=planned.key, status=Slice.Status.PROCESSING, deleted=None)
    if twins.exists():
        row_now.update(key=planned.key, stage=WAITING, updated=Now())
        return False
    row.move(
        Slice.Status.PROCESSING,
        expect={"deleted": None},
        job=_this_job(),
        model_sha256=model.sha256,
        **_columns(planned),
    )
    callbacks.emit_status(row)
    if row.plate:
        tell_settled(row)  # the run tells how far it is
    return True


class SliceResult(TypedDict):
    """Columns of a processed slice; `kept` are stored files that no row refers to yet."""

    slice_time: int
    estimates: dict[str, float | None]
    figures: dict[str, Any]
    objects_on_plate: list[ObjectUse] | None
    content_id: NotRequired[str]
    layers_id: NotRequired[str]
    kept: NotRequired[dict[str, tuple[str, int]]]


def _known(key: str) -> SliceResult | None:
    """Return the results of an equal slice, where there is one."""
    equal = Slice.objects.filter(key=key, status=Slice.Status.PROCESSED)
    results = equal.values(
        "content_id", "layers_id", "slice_time", "estimates", "figures", "objects_on_plate"
    ).first()
    return cast(SliceResult, results) if results else None


def _make(row: Slice, model: StoredModel, planned: Plan) -> SliceResult:
    """Run the engine and keep its gcode. Raises SliceFailed, or Cancelled."""
    try:
        return _run(row, model, planned)
    except SliceFailed as failure:
        if failure.code == "engine-failed":  # perhaps the config's fault, not the model's
            if rejection := rejection_of(planned.engine, planned.settings):
                raise rejection from failure
        if failure.code != "engine-killed":
            raise
    return _run(row, model, planned)  # not the model's fault: worth another try


def _run(row: Slice, model: StoredModel, planned: Plan) -> SliceResult:
    with ExitStack() as stack, _storage_errors():
        folder = stack.enter_context(blobs.scratch_dir())
        sliced = _engine_run(row, model, planned, stack, folder)
        files = {"content_id": sliced.gcode, "layers_id": sliced.layers}
        return {
            "kept": {field: blobs.store_file(path) for field, path in files.items()},
            **_facts(sliced),
        }


def _engine_run(
    row: Slice, model: StoredModel, planned: Plan, stack: ExitStack, folder: Path
) -> Sliced:
    if row.plate:
        return _slice_plate(row, planned, stack, folder)
    stl = stack.enter_context(warehouse.stl_file(str(model.sha256)))
    return _slice(row, planned, stl, folder)


@contextmanager
def _storage_errors() -> Iterator[None]:
    """Raise SliceFailed in place of the errors of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise _no_room("") from error
    except SliceFailed as failure:
        if any(words in failure.log for words in DISK_FULL):
            raise _no_room(failure.log) from failure
        raise


def _slice(row: Slice, planned: Plan, stl: Path, folder: Path) -> Sliced:
    engine, settings = planned.engine, planned.settings
    note = progress_reporter(row, lambda stage: {"stage": stage[:100]})

    def progress(done: float, stage: str) -> None:
        if not disk_space.has_space_for_jobs():
            raise _no_room("")
        note(done, stage)

    try:
        return engine.slice(
            stl, settings, folder, limits=limits(), turned=planned.turned, progress=progress
        )
    except SliceFailed as failure:
        if failure.code not in DOUBTFUL or planned.shop:
            raise
        raise explained(failure, engine, settings, folder, limits=limits()) from failure


def _slice_plate(row: Slice, planned: Plan, stack: ExitStack, folder: Path) -> Sliced:
    """Slice the pieces of a packed run where they stand."""
    left, front = origin_of(row, planned)
    files = {
        sha256: stack.enter_context(warehouse.stl_file(sha256))
        for sha256 in {piece["sha256"] for piece in row.build["pieces"]}
    }
    objects = []
    for piece in row.build["pieces"]:
        transform = np.array(piece["transform"], float)
        transform[:2, 3] += left, front
        own = piece.get("settings") or {}  # of runs of earlier versions there are none
        objects.append(PlateObject(piece["name"], files[piece["sha256"]], transform, own))
    return planned.engine.slice_plate(
        objects,
        planned.settings,
        folder,
        limits=limits(plate=True),
        firmware=row.build["firmware"],
        thumbnails=pictures_of(row.config),
        progress=progress_reporter(row, lambda stage: {"stage": stage[:100]}),
    )


def _no_room(log: str) -> SliceFailed:
    title = "The disk of this installation is full: ask the operator to make room, and slice again."
    return SliceFailed("storage-full", title, log)


def _facts(sliced: Sliced) -> SliceResult:
    figures = asdict(sliced.figures)
    own_time = figures["build_time_seconds"]
    return {
        "slice_time": math.ceil(sliced.seconds),
        "estimates": {
            "build_time_seconds": sliced.build_time_seconds or own_time,
            "support_volume_cc": figures["support_volume_cc"],
            "build_volume_cc": figures["build_volume_cc"],
        },
        "figures": figures,
        "objects_on_plate": list(sliced.objects) or None,
    }


@transaction.atomic
def _finish(
    row: Slice, status: str, *, kept: dict[str, tuple[str, int]] | None = None, **fields: Any
) -> None:
    """Complete a slice; `kept` are its newly stored files, by field."""
    advisory_locks.advisory_lock(row.key)
    fields |= {field: blobs.create_row(*file) for field, file in (kept or {}).items()}
    row.move(status, expect={"deleted": None}, progress=1.0, stage="", **fields)
    callbacks.emit_status(row)
    if status == Slice.Status.PROCESSED and not Slice.is_paid(row.key, owner_id=row.owner_id):
        Slice.objects.filter(pk=row.pk).update(charged=payment.record(source=row.uri))
    else:
        payment.release(source=row.uri)
    resume_equal_slices(row.key)
    tell_settled(row)


def tell_settled(row: Slice) -> None:
    """Queue the work that waits for the end or the deletion of a slice."""
    for actor in settings.EVENT_HOOKS.get("slice.settled", ()):
        enqueue_by_name(actor, row.uri)


@transaction.atomic
def resume_equal_slices(key: str) -> None:
    """A slice is no longer made: those that wait for it can begin.

    Each is sent once: those that were sent before, and have not begun, wait no longer.
    """
    advisory_locks.advisory_lock(key)
    waiting = Slice.objects.filter(key=key, status=Slice.Status.QUEUED, stage=WAITING, deleted=None)
    rows = list(waiting.exclude(key="").select_related("config"))
    waiting.update(stage="")
    for row in rows:
        send_to_slicing(row, warehouse.get_model_unchecked(row.model_uri))


def _this_job() -> str:
    """The id of the message that is worked on: the same when it comes again."""
    message = CurrentMessage.get_current_message()
    return message.message_id if message else ""

"""Slicing in the background."""

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import dramatiq
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.slicing.engine_room import installed_engines, limits
from apps.slicing.engines.base import PIPELINE_VERSION, Engine, Sliced, SliceFailed
from apps.slicing.models import Slice
from apps.warehouse import interface as warehouse
from apps.warehouse.interface import StoredModel
from core import blobs
from core.errors import entry
from core.states import IllegalTransition


class Cancelled(Exception):
    """The slice was deleted while it was made."""


@dramatiq.actor(queue_name="slices", throws=IllegalTransition, on_retry_exhausted="abandon_slice")
def slice_model(uuid: str) -> None:
    """Make a slice: queued -> processing -> processed, or -> error.

    A slice whose model is not judged yet stays queued: `start_waiting_slices` sends it again.
    """
    row = Slice.objects.select_related("config").filter(pk=uuid, deleted=None).first()
    if row is None or row.is_over:
        return
    model = warehouse.look_up(row.model_uri)
    if model is not None and model.status == "processing":
        return
    if model is None or model.sha256 is None:
        _finish(row, Slice.Status.ERROR, errors=[_no_model(model)])
        return

    engine = installed_engines()[row.config.engine]
    version = engine.version()
    if version is None:
        _finish(row, Slice.Status.ERROR, errors=[entry("engine-not-installed", engine.missing())])
        return
    sent = engine.settings(row.config.parameters)
    key = _key(model.sha256, engine, version, sent)
    if row.status == Slice.Status.QUEUED:  # otherwise a worker died with it, after saying so
        _begin(row, model, version, key)

    equal = Slice.objects.filter(key=key, status=Slice.Status.PROCESSED).first()
    if equal is not None:
        _finish(
            row,
            Slice.Status.PROCESSED,
            content_id=equal.content_id,
            slice_time=equal.slice_time,
            estimates=equal.estimates,
            figures=equal.figures,
        )
        return
    try:
        with warehouse.stl_file(model.sha256) as stl, blobs.scratch() as folder:
            sliced = engine.slice(stl, sent, folder, limits=limits(), progress=_noting(row))
            kept = blobs.keep(sliced.gcode)
    except SliceFailed as failure:
        if failure.code == "engine-killed":
            raise  # not the model's fault: worth another try
        fault = entry(failure.code, failure.title, details={"log": failure.log[-4000:]})
        _finish(row, Slice.Status.ERROR, errors=[fault])
    except Cancelled:
        return
    else:
        with transaction.atomic():
            _finish(row, Slice.Status.PROCESSED, content_id=blobs.record(*kept), **_results(sliced))


@dramatiq.actor(queue_name="slices", throws=IllegalTransition)
def abandon_slice(message: dict[str, Any], reason: dict[str, Any]) -> None:
    """The work itself failed, again and again: queued or processing -> error."""
    (uuid,) = message["args"]
    row = Slice.objects.get(pk=uuid)
    times = reason.get("starts") or reason.get("retries")
    title = (
        f"Slicing this was begun {times} times and ended its worker process or failed on our side "
        "each time: the model may be damaged; otherwise tell the operator."
    )
    _finish(row, Slice.Status.ERROR, errors=[entry(reason.get("reason", "internal-error"), title)])


@dramatiq.actor(queue_name="default")
def start_waiting_slices(model_uri: str) -> None:
    """A model was judged: its waiting slices can begin."""
    waiting = Slice.objects.filter(model_uri=model_uri, status=Slice.Status.QUEUED, deleted=None)
    with transaction.atomic():
        for uuid in waiting.values_list("pk", flat=True):
            slice_model.send(str(uuid))


def _no_model(model: StoredModel | None) -> dict[str, Any]:
    if model is None:
        return entry("model-gone", "The model was deleted before it was sliced.")
    words = " ".join(fault["title"] for fault in model.errors)
    return entry("model-not-usable", f"The model cannot be sliced: {words or model.status}")


def _key(model_sha256: str, engine: Engine, version: str, sent: dict[str, str]) -> str:
    """What decides every byte of the gcode."""
    words = [model_sha256, engine.identifier, version, sent, settings.BED, PIPELINE_VERSION]
    return sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


@transaction.atomic
def _begin(row: Slice, model: StoredModel, version: str, key: str) -> None:
    warnings = []
    if not model.manifold:
        title = "The model is not manifold: the engine closed it as well as it could. Look at the "
        warnings.append(entry("model-not-manifold", title + "layers before you print."))
    row.move(
        Slice.Status.PROCESSING,
        model_sha256=model.sha256,
        engine_version=version,
        key=key,
        warnings=warnings,
    )
    changes = {"status": Slice.Status.PROCESSING}
    callbacks.emit(uri=row.uri, owner_id=row.owner_id, changes=changes)


def _noting(row: Slice) -> Callable[[float, str], None]:
    """A progress function that writes at most once a second, and hears of a cancellation."""
    last = 0.0

    def note(done: float, stage: str) -> None:
        nonlocal last
        if time.monotonic() - last < 1:
            return
        last = time.monotonic()
        noted = Slice.objects.filter(pk=row.pk, deleted=None).update(
            progress=round(done, 3), stage=stage[:100], updated=timezone.now()
        )
        if not noted:
            raise Cancelled

    return note


def _results(sliced: Sliced) -> dict[str, Any]:
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
    }


@transaction.atomic
def _finish(row: Slice, status: str, **fields: Any) -> None:
    row.move(status, expect={"deleted": None}, progress=1.0, stage="", **fields)
    changes: dict[str, Any] = {"status": status}
    if status == Slice.Status.PROCESSED:
        changes["slice_time"] = row.slice_time
        changes |= {f"estimates.{name}": value for name, value in (row.estimates or {}).items()}
    callbacks.emit(uri=row.uri, owner_id=row.owner_id, changes=changes)

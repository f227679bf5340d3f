"""Jobs: request a provider, cancel, conclude an operation."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

import dramatiq
import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.integrations.domain import protocol
from apps.integrations.domain.converted_objects import picture_in, unpacked
from apps.integrations.domain.outputs import outputs_of
from apps.integrations.models import Operation
from apps.payment import interface as payment
from apps.warehouse import interface as warehouse
from core.api.openapi.response_types import FreeJson
from core.errors import ErrorEntry
from core.files import blobs
from core.files.signed_urls import upload_url
from core.outbound import http, url_policy
from core.outbound.webhook_signatures import signed_headers
from core.queue.fair_queueing import flow_of_owner
from core.queue.row_jobs import enqueue, row_job

KEPT_ATTEMPTS = 20
# How long one may take to accept an operation, s.
PROVIDER_TIMEOUT = 15.0
# How long a built-in one may take to end one, s.
WITHDRAWAL_TIMEOUT = 5.0
# A provider that accepted an operation and has been silent for so long is asked again, s.
PROVIDER_QUIET = 60
# The pauses before one that cannot be reached is asked again, s; after the last it is given up.
PROVIDER_PAUSES = (2, 5, 10, 20, 30, 60, 60)
# Answers that a server gives when it is busy or broken, and may not give again.
PASSING = (408, 425, 429)

Status = Operation.Status


class ProviderResponse(NamedTuple):
    """Result of a request to a provider: `answer` is the status code or the failure."""

    answer: str
    accepted: bool = False
    refused: bool = False
    words: str = ""


def _fail(row: Operation, errors: list[ErrorEntry]) -> None:
    fail(row, errors[0]["code"], errors[0]["title"])


operating = partial(
    row_job, of=Operation, begun_in=[Status.PROCESSING], related=("service",), fail=_fail
)


@operating("providers", where={"deleted": None, "reported": None})
def request_provider(row: Operation, failures: int = 0) -> None:
    """Send an operation to its provider and retry while it is unreachable; processing -> error.

    An operation whose model is not analysed yet waits: `continue_operations` sends it later.

    failures : how often in a row the provider could not be reached
    """
    model = warehouse.get_model_unchecked(row.model_uri)
    location = warehouse.location_of(row.model_uri)
    if model is None or model.status == "error" or location is None:
        if model is not None and model.status == "processing":
            return
        fail(row, "ModelNotUsable", "The model was deleted or has no usable file: upload it anew.")
        return
    if model.status == "processing":
        return
    now = timezone.now()
    if row.deadline is None:
        row.deadline = now + timedelta(seconds=settings.OPERATION_TIME)
        Operation.objects.filter(pk=row.pk).update(deadline=row.deadline)
    if now >= row.deadline:
        title = f"The provider did not finish within {settings.OPERATION_TIME} s: order it again."
        fail(row, "TimeLimit", title)
        return
    quiet = timedelta(seconds=PROVIDER_QUIET)
    if row.heard is not None and now - row.heard < quiet:
        _ask_again(row, row.heard + quiet)
        return

    asked = _ask(row, model, location)

    with transaction.atomic():
        if not _note(row, asked):
            return
        if asked.accepted:
            _ask_again(row, timezone.now() + quiet)
        elif asked.refused:
            title = f"The provider refused the operation (HTTP {asked.answer})."
            details = {"status": int(asked.answer), "answer": asked.words}
            fail(row, "ProviderRefused", title, details)
        elif failures < len(PROVIDER_PAUSES):
            pause = timedelta(seconds=PROVIDER_PAUSES[failures])
            _ask_again(row, timezone.now() + pause, failures + 1)
        else:
            title = f"The provider could not be reached {failures + 1} times: order it again later."
            fail(row, "ProviderUnreachable", title, {"reason": asked.answer})


@dramatiq.actor(queue_name="default")
def withdraw_operation(uuid: str) -> None:
    """Stop a cancelled operation at a built-in provider."""
    row = Operation.objects.select_related("service").get(pk=uuid)
    with suppress(http.Unreachable):  # a provider that is away does nothing
        _request(row, "DELETE", orjson.dumps({"operation": row.uri}), timeout=WITHDRAWAL_TIMEOUT)


@dramatiq.actor(queue_name="default")
def continue_operations(model_uri: str) -> None:
    """A model was judged: the operations that wait for it, or that it is the result of, go on."""
    with transaction.atomic():
        under_way = Operation.objects.filter(status=Status.PROCESSING)
        waiting = under_way.filter(model_uri=model_uri, deadline=None, deleted=None)
        for row in waiting.only("owner"):
            enqueue(request_provider, row)
        made = Q(result_uri=model_uri) | Q(result_models__contains=[model_uri])
        for row in under_way.filter(made).only("owner"):
            enqueue(conclude_operation, row)


@operating("default")
def conclude_operation(row: Operation) -> None:
    """What it made was judged: processing -> complete, or -> error where all of it is rubbish."""
    if warehouse.any_unsettled(row.made):
        return
    found = warehouse.get_models_unchecked(row.made)
    with transaction.atomic():
        if row.deleted is not None:
            _forget(row)
        elif all(model.status == "error" for model in found.values()):
            model = found.get(row.result_uri)
            errors = list(model.errors) if model else []
            words = errors[0]["title"] if errors else "It is gone."
            title = f"The provider's file cannot be used. {words}"
            _discard(row)
            fail(row, "InvalidResult", title, {"errors": errors})
        else:
            finish(row, Status.COMPLETE, outputs=row.outputs)


def _discard(row: Operation) -> None:
    for uri in row.made:
        warehouse.discard_model(uri)


@transaction.atomic
def _forget(row: Operation) -> None:
    """End one that was deleted while it was at work; nothing of it stays."""
    _discard(row)
    row.move(Status.ERROR, outputs=None, upload=None)


@operating("extras", where={"reported__isnull": False, "result_uri": ""}, actor_name="take_parts")
def create_part_models(row: Operation) -> None:
    """Create a model of each object that the built-in provider extracted from a file."""
    if row.deleted is not None:
        _forget(row)
        return
    with blobs.local_copy(str(row.upload_id)) as path, blobs.scratch_dir() as folder:
        kept = [(part, *blobs.store_file(file)) for part, file in unpacked(path, folder)]
        picture = picture_in(path)
        shown = warehouse.keep_picture(picture) if picture else None
    model = warehouse.get_model_unchecked(row.model_uri)
    stem = model.name if model else "model"
    with transaction.atomic():
        current = Operation.objects.select_for_update(of=("self",)).get(pk=row.pk)
        if current.is_over or current.result_uri:
            return
        if current.deleted is not None:
            _forget(current)
            return
        uris = [
            warehouse.add_model(
                owner=row.owner,
                name=part.name or f"{stem} {number}"[:255],
                type="stl",
                sha256=blobs.create_row(sha256, size),
                size=size,
                parents=[row.model_uri],
                source=part.source,
            )
            for number, (part, sha256, size) in enumerate(kept, start=1)
        ]
        if shown:
            warehouse.show_picture(uri=row.model_uri, operation=row.uri, picture=shown)
        part, sha256, _ = kept[0]
        current.result_uri, current.result_models = uris[0], uris
        current.result_name, current.result_type = part.name or stem, "stl"
        current.result_sha256 = sha256
        current.save()


@dramatiq.actor(actor_name="tell_reports", queue_name="default")
def publish_delayed_reports(uuid: str) -> None:
    """Publish reports that came too soon after the last one, as one."""
    with transaction.atomic():
        row = Operation.objects.filter(pk=uuid, status=Status.PROCESSING, tell_at__isnull=False)
        for waiting in row.select_for_update():
            tell_processing(waiting)


def tell_processing(row: Operation) -> None:
    """Emit the status `processing` in the caller's transaction."""
    row.told, row.tell_at = timezone.now(), None
    row.save(update_fields=["told", "tell_at"])
    callbacks.emit_status(row)


def fail(
    row: Operation, code: str, title: str, details: Mapping[str, object] | None = None
) -> None:
    """End an operation in error: nothing is charged."""
    outputs = {"title": title, "code": code, "details": details}
    finish(row, Status.ERROR, outputs=outputs)


@transaction.atomic
def finish(row: Operation, status: str, *, outputs: FreeJson | None) -> None:
    """Complete an operation and emit its event.

    Raises IllegalTransition where it has ended, or its provider has reported since it was read.
    """
    if Operation.objects.select_for_update().get(pk=row.pk).tell_at is not None:
        tell_processing(row)  # what still waits to be sent comes before the end
    expect = {"deleted": None, "reported": row.reported}
    row.move(status, expect=expect, outputs=outputs, upload=None)
    if status == Status.COMPLETE:
        payment.record(source=row.uri)
    else:
        payment.release(source=row.uri)
    made = outputs_of(row) or {}
    callbacks.emit_status(row, **{f"outputs.{name}": value for name, value in made.items()})
    if row.takes_apart:
        failed = status == Status.ERROR
        warehouse.end_conversion(
            uri=row.model_uri,
            operation=row.uri,
            models=[] if failed else row.made,
            receipt=made.get("receipt"),
            failure=made if failed else None,
        )


def _ask(row: Operation, model: warehouse.StoredModel, location: str) -> ProviderResponse:
    """One request to the provider, with no transaction open."""
    job = protocol.job(
        operation=row.uri,
        model=row.model_uri,
        content=location,
        name=model.name,
        type=model.type,
        parameters=row.parameters,
        report=row.report_location(),
        upload=upload_url("operation", row.pk, owner=row.owner_id),
    )
    if row.service.is_built_in:
        job["account"] = str(flow_of_owner(row.owner_id).account)
    try:
        answer = _request(
            row, row.service.service_method, orjson.dumps(job), timeout=PROVIDER_TIMEOUT
        )
    except url_policy.ForbiddenUrl as error:
        return ProviderResponse("forbidden", words=str(error))
    except http.Unreachable as error:
        return ProviderResponse(error.reason, words=str(error))
    accepted = HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES
    passing = answer.status in PASSING or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    words = answer.head.decode("utf-8", "replace").replace("\0", "")[:500]
    return ProviderResponse(str(answer.status), accepted, not (accepted or passing), words)


def _request(row: Operation, method: str, body: bytes, *, timeout: float) -> http.HttpResponse:
    """A signed request to an operation's provider."""
    service = row.service
    headers = {
        "Content-Type": "application/json",
        "User-Agent": protocol.USER_AGENT,
        # The same on each repeat.
        **signed_headers(service.secret, id=str(row.pk), payload=body),
    }
    return http.request(
        method,
        service.service_url,
        headers=headers,
        body=body,
        timeout=timeout,
        own=service.is_built_in,
    )


def _note(row: Operation, asked: ProviderResponse) -> bool:
    """Write an attempt down, and lock the row; whether its provider still has to report."""
    current = Operation.objects.select_for_update(of=("self",)).get(pk=row.pk)
    now = timezone.now()
    attempt = {"at": now.isoformat(), "answer": asked.answer}
    current.attempts = [*current.attempts, attempt][-KEPT_ATTEMPTS:]
    current.heard = now if asked.accepted else current.heard
    current.save(update_fields=["attempts", "heard"])
    return current.reported is None and not current.is_over


def _ask_again(row: Operation, at: Any, failures: int = 0) -> None:
    """Send the request again at that time, and at the latest when the operation has to be over."""
    due = min(at, row.deadline) - timezone.now()
    delay = max(1, int(due.total_seconds() * 1000) + 1)
    enqueue(request_provider, row, failures, delay=delay)

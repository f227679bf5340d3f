"""Provider reports and result files."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.integrations.actors import (
    create_part_models,
    finish,
    publish_delayed_reports,
    tell_processing,
)
from apps.integrations.models import Operation
from apps.warehouse import interface as warehouse
from core import uris
from core.api.openapi.response_types import FreeJson
from core.errors import Conflict, Forbidden, NotFound, ServiceError
from core.files import blobs
from core.outbound.webhook_signatures import is_signed
from core.queue.row_jobs import enqueue

# Reports that follow each other faster are sent together.
MIN_PAUSE = timedelta(seconds=1)

Status = Operation.Status


class ForgedReport(Forbidden):
    """The location or the signature is not of this operation and its service."""

    code = "SignatureDoesNotMatch"


class AlreadyReported(Conflict):
    """The operation is over, or its provider has made its final report."""

    code = "already-reported"


class WrongOperation(Conflict):
    """The report names another operation."""

    code = "wrong-operation"


class ResultMissing(Conflict):
    """The report speaks of a file that was not uploaded."""

    code = "result-missing"


def require_signature(
    *, uuid: UUID, signature: str, headers: Mapping[str, str], body: bytes
) -> None:
    """Raise ForgedReport unless the report came by this operation's location, from its provider."""
    row = Operation.objects.select_related("service").filter(pk=uuid).first()
    if (
        row is None
        or not row.is_report_signature(signature)
        or not is_signed(row.service.secret, headers, body)
    ):
        raise ForgedReport(
            "Send the report to callback.url as it was given, and sign its body with the secret of "
            "the service, within five minutes (Standard Webhooks)."
        )


@transaction.atomic
def take_report(
    *,
    uuid: UUID,
    status: str,
    operation: str | None = None,
    outputs: FreeJson | None = None,
    result: FreeJson | None = None,
) -> None:
    """A provider's report; the first final one counts.

    outputs : on complete {receipt}, on error {title, code, details}
    result  : {name, type} of the file that was uploaded
    """
    row = _locked(uuid)
    if operation is not None and uris.canonical(operation) != row.uri:
        raise WrongOperation(f"This location is of {row.uri}.", field="operation")
    if row.is_over or row.reported is not None:
        raise AlreadyReported("The operation has ended; no further reports are accepted.")
    if status == Status.PROCESSING:
        _take_sign_of_life(row)
        return
    if status == Status.COMPLETE and result is not None and row.upload_id is None:
        raise ResultMissing("Upload the result file before you report it, or report no result.")
    if status == Status.COMPLETE and result is None and row.upload_id is not None:
        title = "A file was uploaded: say its name and type in result."
        raise ServiceError(title, code="missing-parameter", field="result")
    row.reported = row.heard = timezone.now()
    row.save(update_fields=["reported", "heard", "updated"])
    if status == Status.ERROR:
        finish(row, status, outputs=outputs)
    else:
        _complete(row, outputs or {}, result)


def expect_result(*, uuid: UUID) -> int | None:
    """The bytes of the file that was uploaded for an operation, if any; else why none can be."""
    row = Operation.objects.select_related("upload").for_upload(uuid)
    if row.upload is None:
        _require_waiting(row)
    return row.upload.size if row.upload else None


@transaction.atomic
def store_result(*, uuid: UUID, sha256: str, size: int, place: Callable[[], None]) -> None:
    """Take a result file; until the final report another one replaces it."""
    row = Operation.objects.select_for_update(of=("self",)).for_upload(uuid)
    if row.upload_id == sha256:
        return
    _require_waiting(row)
    row.upload_id = blobs.create_row(sha256, size, place=place)
    row.save(update_fields=["upload", "updated"])


def _require_waiting(row: Operation) -> None:
    if row.is_over or row.reported is not None:
        raise AlreadyReported("The operation has ended; no further files are accepted.")


def _locked(uuid: UUID) -> Operation:
    rows = Operation.objects.select_for_update(of=("self",)).select_related("service", "owner")
    row = rows.filter(pk=uuid, deleted=None).first()
    if row is None:
        raise NotFound("The operation that this location was made for is no longer there.")
    return row


def _take_sign_of_life(row: Operation) -> None:
    """Emit a report now, or merged with later ones when they follow too quickly."""
    row.heard = timezone.now()
    if row.told is None or row.heard - row.told >= MIN_PAUSE:
        tell_processing(row)
    elif row.tell_at is None:
        row.tell_at = row.told + MIN_PAUSE
        delay = int((row.tell_at - row.heard).total_seconds() * 1000) + 1
        publish_delayed_reports.send_with_options(args=(str(row.pk),), delay=delay)
    row.save(update_fields=["heard", "tell_at", "updated"])


def _complete(row: Operation, outputs: FreeJson, result: FreeJson | None) -> None:
    """Make the result model; an STL is judged before the operation ends."""
    kept = {"receipt": outputs.get("receipt")}
    if result is None or row.upload is None:
        finish(row, Status.COMPLETE, outputs=kept)
        return
    if row.takes_apart and row.service.is_built_in:
        row.outputs = kept
        row.save(update_fields=["outputs", "updated"])
        enqueue(create_part_models, row)
        return
    model = warehouse.get_model_unchecked(row.model_uri)
    row.outputs = kept
    row.result_name = result.get("name") or (model.name if model else "result")
    row.result_type = result["type"]
    row.result_sha256 = row.upload.sha256
    row.result_uri = warehouse.add_model(
        owner=row.owner,
        name=row.result_name,
        type=row.result_type,
        sha256=row.upload.sha256,
        size=row.upload.size,
        parents=[row.model_uri],
    )
    row.save()
    if row.result_type != "stl":
        finish(row, Status.COMPLETE, outputs=kept)

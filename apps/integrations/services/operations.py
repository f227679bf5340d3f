"""Service layer: create, cancel and delete operations."""

from collections.abc import Mapping

from django.db import transaction
from django.db.models import QuerySet

from apps.callbacks import interface as callbacks
from apps.integrations.actors import fail, request_provider, withdraw_operation
from apps.integrations.domain.schemas import check_parameters
from apps.integrations.models import Operation, Service
from apps.payment import interface as payment
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import Conflict, InvalidFields, ServiceError, UnknownResource
from core.queue.row_jobs import cancel_jobs, enqueue
from core.state_machine import IllegalTransition


class OperationOver(Conflict):
    """What has come to its end cannot be cancelled."""

    code = "operation-over"


@transaction.atomic
def create(
    *,
    actor: Person,
    service: str,
    inputs: dict[str, str],
    parameters: Mapping[str, object],
    callback: dict[str, str] | None = None,
) -> Operation:
    """An operation of the service with this URI; it waits until its model is judged."""
    found, model = _find(service, inputs["model"], actor)
    check_parameters(found.schema, parameters)
    if model.status == "error":
        title = "A model in error has no file that can be worked on: upload another."
        raise warehouse.ModelNotReady(title, field="inputs.model")
    if model.status == "inoperable" and warehouse.location_of(model.uri) is None:
        title = "This model's file has not been uploaded yet: upload it first."
        raise warehouse.ModelNotReady(title, field="inputs.model")
    row = Operation.objects.create(
        owner=actor, service=found, model_uri=model.uri, parameters=parameters
    )
    payment.authorise(
        owner=actor,
        namespace="integrations",
        action=found.type,
        service=found.uri,
        source=row.uri,
    )
    if callback:
        callbacks.subscribe(uri=row.uri, owner_id=actor.pk, **callback)
    enqueue(request_provider, row)
    return row


@transaction.atomic
def change(*, actor: Person, row: Operation, status: str = "") -> None:
    """Cancel an operation where `status` is another than it has; nothing else of it changes.

    For its owner, and holders of the right `write` on it.
    """
    row.require(actor, "write")
    if status and status != row.status:
        _cancel(row)


@transaction.atomic
def _cancel(operation: Operation) -> None:
    """End an operation in error, and charge nothing; again is fine."""
    current = Operation.objects.select_for_update(of=("self",)).get(pk=operation.pk)
    if current.status == Operation.Status.ERROR:
        return
    if current.is_over or current.reported is not None:
        raise OperationOver("The provider has finished this: it can only be deleted.")
    fail(current, "Cancelled", "The operation was cancelled.")
    _give_up(current)


@transaction.atomic
def delete(*, actor: Person, row: Operation) -> None:
    """Delete an operation and cancel it if it runs; its result model stays.

    Needs ownership or the right `delete` on it.
    """
    row.delete_by(actor)
    _end_conversion(row)
    _give_up(row)
    payment.release(source=row.uri)


def _end_conversion(row: Operation) -> None:
    """Update the model whose conversion is cancelled."""
    if row.takes_apart and not row.is_over:
        failure = {"code": "Cancelled", "title": "The operation was deleted."}
        warehouse.end_conversion(uri=row.model_uri, operation=row.uri, models=[], failure=failure)


def _give_up(row: Operation) -> None:
    """Cancel the operation's jobs, also at a built-in provider; others learn it by a 409."""
    cancel_jobs(request_provider, on=[row])
    if row.service.is_built_in:
        enqueue(withdraw_operation, row)


def cancel_operations(*, operations: QuerySet[Operation]) -> int:
    """Cancel those that are not over; how many there were."""
    cancelled = 0
    for row in operations.filter(status=Operation.Status.PROCESSING, deleted=None, reported=None):
        try:
            _cancel(row)
            cancelled += 1
        except (OperationOver, IllegalTransition):
            continue  # it came to its end at this moment
    return cancelled


def retry_requests(*, operations: QuerySet[Operation]) -> int:
    """Ask the providers of those that are not over, now; how many there were."""
    waiting = operations.filter(status=Operation.Status.PROCESSING, deleted=None, reported=None)
    with transaction.atomic():
        rows = list(waiting.select_related(None).only("owner"))
        waiting.update(heard=None)
        for row in rows:
            enqueue(request_provider, row)
    return len(rows)


def _find(service: str, model: str, user: Person) -> tuple[Service, warehouse.StoredModel]:
    """Return the resources of the URIs, if `user` may use both; one error lists both faults."""
    faults: list[ServiceError] = []
    keys = Service.keys_of(service)
    found = Service.objects.visible_to(user).filter(pk__in=keys).first()
    if found is None:
        title = f"{service} is not a service that you may use: GET /service/ lists them."
        faults.append(UnknownResource(title, field="service"))
    try:
        found_model = warehouse.find_model(uri=model, user=user, field="inputs.model")
    except UnknownResource as fault:
        faults.append(fault)
    if faults or found is None:
        raise InvalidFields(faults)
    return found, found_model

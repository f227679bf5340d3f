"""Public interface of integrations."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from apps.integrations.models import Operation, Service
from apps.integrations.provenance import (
    TRACING as TRACING,  # what it tells of how things came to be
)
from apps.integrations.services import builtin, conversions, reports
from core.auth_user import Person
from core.state_machine import event_schema, event_schemas

# A provider's sign of life is an event, too, and no change of state.
EVENTS = {
    **event_schemas(Operation),
    "operation.processing": event_schema(Operation.Status.PROCESSING),
}


def expect_result(*, uuid: UUID) -> int | None:
    """The bytes of the file that was uploaded for the operation with this key; None before."""
    return reports.expect_result(uuid=uuid)


def store_result(*, uuid: UUID, sha256: str, size: int, place: Callable[[], None]) -> None:
    """Take a file that a provider uploaded for the operation with this key."""
    reports.store_result(uuid=uuid, sha256=sha256, size=size, place=place)


def convert_file(*, uri: str, owner: Person, asked: bool) -> dict[str, Any] | None:
    """Start the conversion of this model's file; return the model's field `conversion`, or None.

    asked : the request waits for the answer: raises PaymentRequired where charging is not allowed
    """
    return conversions.convert_file(uri=uri, owner=owner, asked=asked)


def register_builtin() -> None:
    """Offer the services of the built-in providers, where that has not been done."""
    builtin.register()


def is_service(uri: str) -> bool:
    """Whether `uri` names a service of the catalogue."""
    keys = Service.keys_of(uri)
    return Service.objects.filter(pk__in=keys, deleted=None).exists()

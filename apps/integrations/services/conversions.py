"""Automatic conversion of uploaded files."""

from typing import Any

from django.db import transaction

from apps.integrations.builtin.catalogue import key_of
from apps.integrations.models import Service
from apps.integrations.services import operations
from apps.payment import interface as payment
from core.auth_user import Person


@transaction.atomic(savepoint=False)
def convert_file(*, uri: str, owner: Person, asked: bool) -> dict[str, Any] | None:
    """Start an operation, of a model's owner, that extracts the objects of its file.

    Returns the model's field `conversion`: {status, operation}, or {status, payment_status} where
    charging is not allowed; None where the owner may not use the service.

    asked : the request waits for the answer: raises PaymentRequired where charging is not allowed
    """
    service = Service.objects.visible_to(owner).filter(pk=key_of("file-conversion")).first()
    if service is None:
        return None
    price = payment.quote(
        owner=owner, namespace="integrations", action=service.type, service=service.uri
    )
    if price and price.rejection and not asked:
        missing = (price.rejection.details or {}).get("payment_status")
        return {"status": "payment-required", "payment_status": missing}
    row = operations.create(
        actor=owner,
        service=service.uri,
        inputs={"model": uri},
        parameters={"parts": "separate"},
    )
    return {"status": "processing", "operation": row.uri}

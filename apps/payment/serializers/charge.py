"""Charges as the contract spells them."""

from decimal import Decimal
from typing import Annotated, TypedDict
from uuid import UUID

from apps.payment.models import Charge
from core.api.fields import StrictSerializer, UriField
from core.api.money import AmountField
from core.api.openapi.response_types import OwnedAnswer, Uri
from core.uris import user_uri


class CorrectionSerializer(StrictSerializer):
    """What to give back of a charge."""

    corrects = UriField()
    amount = AmountField()


class ChargeOnInvoiceAnswer(TypedDict):
    """A charge on an invoice."""

    uuid: UUID
    namespace: str
    action: str
    type: str
    source: Uri
    amount: Decimal
    currency: str
    cost_centre: str | None
    invoice_uuid: UUID | None


class ChargeAnswer(OwnedAnswer, ChargeOnInvoiceAnswer):
    """An amount due for an action, or refunded."""

    status: Annotated[str, Charge.Status]
    corrects: Uri | None


def charge_on_invoice(charge: Charge) -> ChargeOnInvoiceAnswer:
    """Return the contract's representation of a charge on an invoice."""
    return {
        "uuid": charge.uuid,
        "namespace": charge.namespace,
        "action": charge.action,
        "type": charge.type,
        "source": charge.source,
        "amount": charge.amount,
        "currency": charge.currency,
        "cost_centre": charge.cost_centre or None,
        "invoice_uuid": charge.invoice_id,
    }


def charge_resource(charge: Charge) -> ChargeAnswer:
    """A charge by itself."""
    return {
        **charge_on_invoice(charge),
        "uri": charge.uri,
        "status": charge.status,
        "corrects": Charge.uri_of(charge.corrects_id) if charge.corrects_id else None,
        "user_uri": user_uri(charge.owner_id),
        "created": charge.created,
        "updated": charge.updated,
    }

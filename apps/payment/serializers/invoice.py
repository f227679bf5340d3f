"""Invoices as the contract spells them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from apps.payment.models import Invoice
from apps.payment.serializers.charge import ChargeOnInvoiceAnswer, charge_on_invoice
from core.api.fields import Choice, StrictSerializer
from core.api.money import MoneyAnswer
from core.api.openapi.response_types import FreeJson, OwnedAnswer
from core.money import rounded


class InvoiceSerializer(StrictSerializer):
    """What an administrator may say of an invoice: that it is `paid`."""

    status = Choice(choices=Invoice.Status.choices, required=False)


class InvoiceAnswer(OwnedAnswer):
    """The amount that a user owes for a month."""

    month: str
    charges: list[ChargeOnInvoiceAnswer]
    cost: MoneyAnswer
    issued: datetime | None
    due: datetime
    payment_uuid: UUID | None
    status: Annotated[str, Invoice.Status]
    taxes: list[FreeJson]


def invoice_resource(invoice: Invoice) -> InvoiceAnswer:
    """The contract's invoice; `issued` is null while it still grows."""
    charges = sorted(invoice.charges.all(), key=lambda charge: charge.uuid)  # type: ignore[attr-defined]
    return {
        "uri": invoice.uri,
        "month": f"{invoice.month:%Y-%m}",
        "charges": [charge_on_invoice(charge) for charge in charges],
        "cost": {
            "amount": rounded(invoice.cost, invoice.currency),
            "currency": invoice.currency,
        },
        "created": invoice.created,
        "issued": invoice.issued,
        "due": invoice.due,
        "payment_uuid": invoice.payment_uuid,
        "status": invoice.status,
        "taxes": [],
        "user_uri": invoice.owner.uri,  # type: ignore[attr-defined]
        "updated": invoice.updated,
    }
